#!/bin/bash
# An experiment as an array job of Slurm. Edit the three places that are numbered, then submit the
# shards that are missing, and the merge, on a disk that all nodes share:
#
#   job=$(sbatch --parsable --array="$(tilelab cluster status FILE --shards N --missing)" slurm.sh)
#   sbatch --dependency="afterok:$job" --wrap 'tilelab merge --out results results/NAME/shard-*-of-N'
#
# 1. What a shard gets. One that needs longer saves its state, is queued again, and continues.
#SBATCH --time=1:00:00 --cpus-per-task=1
# Slurm warns a minute before the time limit and before a pre-emption.
#SBATCH --requeue --signal=B:TERM@60 --job-name=tilelab --output=slurm-%A-%a.log --open-mode=append

# 2. The experiment, with what changes it.
experiment=(experiments/readme.toml --out results)

# 3. The number of shards: several times the number that runs at once, so that none is waited for
# long. An array has at most MaxArraySize - 1 jobs, usually 1000.
shards=200

"${TILELAB:-tilelab}" run "${experiment[@]}" --shard "$SLURM_ARRAY_TASK_ID/$shards" \
  --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet &
shard=$!
trap 'kill -TERM "$shard"' TERM
# The signal ends the first `wait`, not the shard, which saves its state before it ends.
wait "$shard"
wait "$shard"
status=$?
if [ "$status" = 130 ]; then
  exec scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
