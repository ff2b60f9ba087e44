# Ends what programs leave behind: a process that has left their group still has the environment with
# which it began. Each line is the mark of a program that has ended, and is answered by an empty line
# when nothing has it any more. The input ends with tilelab, whatever ended that: then all marks that
# begin with $1 are those of programs that have ended.
trap '' HUP INT TERM PIPE
end() {
  # A process may begin another one while it is sought.
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    found=$(grep -lzs "^TILELAB_PROGRAM=$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return
    for file in $found; do
      file=${file#/proc/}
      kill -KILL "${file%/environ}" 2>/dev/null
    done
  done
}
while read -r mark; do
  end "$mark"
  echo
done
end "$1"
