#!/bin/sh
# A player of every game: tilelab match 'command(sh examples/players/player.sh)' random --game 2048
# Reads positions and answers the first legal move, one JSON line each.
while IFS= read -r line; do
  legal=${line##*'"legal":['}
  first=${legal%%']'*}
  # Names have no commas between quotes and commas: keep the first text.
  first=${first#'"'}
  first=${first%%'"'*}
  printf '{"move":"%s"}\n' "$first"
done
