//! `tilelab cluster slurm`: a script that submits an experiment to Slurm as an array job, and a
//! merge job that depends on it.
//!
//! The script asks `tilelab cluster status` when it is submitted, so submitting it again runs only
//! what is missing. A shard that is stopped by its time limit or by pre-emption saves its state and
//! is queued again to continue. A shard that fails is queued again a few times. Slurm itself queues
//! the shards of a lost node again (`--requeue`). The merge job always runs (`afterany`) and names
//! the shards that are missing.

use super::{ExperimentArgs, input_error, shards, shell};
use crate::game::KernelChoice;
use std::path::{Path, PathBuf};

/// Print a script that submits the shards and the merge to Slurm
///
/// FILE, DIR and the program must lie on a disk that all nodes share. Submit with: tilelab cluster
/// slurm FILE --shards N | sh
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: tilelab cluster slurm experiments/readme.toml --shards 200 --cpus 4 --time 2:00:00 --out /scratch/me | sh"
)]
pub struct Args {
    #[command(flatten)]
    source: ExperimentArgs,
    /// Number of shards; several times the number of jobs that run at once, so that none is waited
    /// for long
    #[arg(long, value_name = "N", value_parser = shards)]
    shards: u64,
    /// Where results go; on a disk that all nodes share
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Partition of the cluster [default: the cluster's]
    #[arg(long, value_name = "NAME", value_parser = word)]
    partition: Option<String>,
    /// Account to charge [default: the cluster's]
    #[arg(long, value_name = "NAME", value_parser = word)]
    account: Option<String>,
    /// Time limit of a shard, in Slurm's forms (minutes, h:mm:ss, d-hh); a longer shard is queued
    /// again and continues
    #[arg(long, value_name = "TIME", default_value = "1:00:00", value_parser = time)]
    time: String,
    /// Cores of a shard, and its threads
    #[arg(long, value_name = "C", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    cpus: u16,
    /// Memory of a shard, such as 500M [default: the cluster's]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    mem: Option<String>,
    /// How often a shard that failed is queued again
    #[arg(long, value_name = "R", default_value_t = 2)]
    retries: u16,
    /// Which engine plays (`tilelab list kernels`)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = crate::cli::run::kernel)]
    kernel: KernelChoice,
    /// The program, on a disk that all nodes share [default: this one]
    #[arg(long, value_name = "PATH")]
    tilelab: Option<PathBuf>,
}

/// A name that Slurm takes as it is.
fn word(text: &str) -> Result<String, String> {
    let fits = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.,+".contains(c));
    if fits && !text.starts_with('-') {
        Ok(text.to_owned())
    } else {
        Err("accepted: letters, digits and - _ . , +".to_owned())
    }
}

/// A size as Slurm takes it: a whole number of megabytes, or one with the suffix K, M, G or T.
fn memory(text: &str) -> Result<String, String> {
    let number = text
        .strip_suffix(['K', 'M', 'G', 'T', 'k', 'm', 'g', 't'])
        .unwrap_or(text);
    if is_number(number) && number.bytes().any(|digit| digit != b'0') {
        return Ok(text.to_owned());
    }
    Err("accepted: a whole number of megabytes from 1, or one with K, M, G or T after it, such as 500M".to_owned())
}

/// A time as Slurm takes it: `m`, `m:ss`, `h:mm:ss`, `d-h`, `d-h:mm` or `d-h:mm:ss`, above zero.
fn time(text: &str) -> Result<String, String> {
    let (days, clock) = text
        .split_once('-')
        .map_or((None, text), |(days, clock)| (Some(days), clock));
    let fields: Vec<&str> = days.into_iter().chain(clock.split(':')).collect();
    let are_numbers = fields.iter().all(|field| is_number(field));
    let is_above_zero = text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    // Fields after the first are parts of the one before.
    let last = &clock.split(':').collect::<Vec<_>>()[1..];
    let are_parts = last
        .iter()
        .all(|field| field.len() == 2 && field.as_bytes()[0] < b'6');
    if are_numbers && is_above_zero && last.len() <= 2 && are_parts {
        return Ok(text.to_owned());
    }
    Err("accepted: minutes, m:ss, h:mm:ss, d-hh, d-hh:mm or d-hh:mm:ss, above zero".to_owned())
}

/// Whether a text is a whole number of one to nine digits.
fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Refuses a program that is not there or cannot be run.
fn check_program(path: &Path) -> anyhow::Result<()> {
    let wrong = |what: &str| Err(input_error(format!("--tilelab {}: {what}", path.display())));
    let Ok(metadata) = std::fs::metadata(path) else {
        return wrong("there is no such file");
    };
    if !metadata.is_file() {
        return wrong("is not a program");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o111 == 0 {
            return wrong("is not executable");
        }
    }
    Ok(())
}

/// The script.
///
/// # Errors
/// When the experiment is wrong or a path cannot stand in a script.
pub fn script(args: &Args) -> anyhow::Result<String> {
    let plan = args.source.plan()?;
    crate::cli::experiments::check_kernel(&args.source.file, &plan, args.kernel)?;
    let program = match &args.tilelab {
        Some(path) => {
            check_program(path)?;
            path.clone()
        }
        None => std::env::current_exe()?,
    };
    let log = args.out.join(&plan.name).join("slurm");
    if log.to_string_lossy().contains(['\\', '%']) {
        return Err(input_error(format!(
            "--out {}: Slurm gives \\ and % a meaning in paths",
            args.out.display()
        )));
    }
    let texts = Texts {
        name: plan.name,
        tilelab: shell::path("--tilelab", &program)?,
        file: shell::path("FILE", &args.source.file)?,
        out: shell::path("--out", &args.out)?,
        log: shell::path("--out", &log)?,
        kernel: KernelChoice::ALL
            .iter()
            .find(|(_, choice)| *choice == args.kernel)
            .map_or("auto", |(name, _)| name),
    };
    Ok(texts.submission(args))
}

/// The quoted texts that the jobs are made of.
struct Texts {
    name: String,
    tilelab: String,
    file: String,
    out: String,
    log: String,
    kernel: &'static str,
}

impl Texts {
    fn submission(&self, args: &Args) -> String {
        let Self {
            name,
            tilelab,
            file,
            out,
            log,
            ..
        } = self;
        let shards = args.shards;
        let overrides = args.source.overrides();
        let resources = resources(args);
        let charge = charge(args);
        let shard = self.shard(args);
        let merge = self.merge(args);
        format!(
            r#"#!/bin/sh
# {shards} shards of {name} as an array job, and the merge job that waits for them. Submit: sh THIS_FILE
# Submitted again, it runs only the shards that are missing.
set -eu
mkdir -p {log}
todo=$({tilelab} cluster status {file}{overrides} --shards {shards} --out {out} --missing)
if [ -n "$todo" ]; then
  array=$(sbatch --parsable --array="$todo" --job-name={name} --requeue --open-mode=append \
    --output={log}/%A-%a.log {resources}{charge} <<'TILELAB_SHARD'
{shard}TILELAB_SHARD
)
  array=${{array%%;*}}
  echo "{name}: shards $todo are the array job $array"
  set -- --dependency="afterany:$array"
else
  echo "{name}: all {shards} shards are done"
  set --
fi
merge=$(sbatch --parsable "$@" --job-name={name}-merge --output={log}/merge-%j.log --ntasks=1 --time=1:00:00{charge} <<'TILELAB_MERGE'
{merge}TILELAB_MERGE
)
echo "{name}: the merge job is ${{merge%%;*}}; the result will be in "{out}/{name}
echo "{name}: logs are in "{log}"; squeue shows what runs; this tells what is done:"
cat <<'TILELAB_END'
{tilelab} cluster status {file}{overrides} --shards {shards} --out {out}
TILELAB_END
"#
        )
    }

    /// The job of one shard.
    fn shard(&self, args: &Args) -> String {
        let Self {
            tilelab,
            file,
            out,
            kernel,
            ..
        } = self;
        let Args {
            shards,
            cpus,
            retries,
            ..
        } = args;
        let overrides = args.source.overrides();
        format!(
            r#"#!/bin/sh
try=$((${{SLURM_RESTART_COUNT:-0}} + 1))
say() {{ echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $(hostname): shard $SLURM_ARRAY_TASK_ID of {shards}, try $try: $*"; }}
say begins
if ! {tilelab} --version >/dev/null; then
  say "the program does not run on this node:" {tilelab}
  code=127
else
  {tilelab} run {file}{overrides} --shard "$SLURM_ARRAY_TASK_ID/{shards}" --out {out} --threads {cpus} --kernel {kernel} --quiet &
  pid=$!
  # Slurm warns the script before the time limit; the run then saves its state and ends with 130.
  stopped=
  trap 'stopped=1; kill -TERM "$pid"' TERM
  code=0
  wait "$pid" || code=$?
  if [ -n "$stopped" ]; then code=0; wait "$pid" || code=130; fi
fi
case $code in
  0) say done; exit 0 ;;
  2) say "wrong input, which no other try would change"; exit 2 ;;
  130) say "stopped with its state saved; queued again to continue"; exec scontrol requeue "$SLURM_JOB_ID" ;;
esac
if [ "$try" -le {retries} ]; then
  say "failed with exit code $code; queued again"
  exec scontrol requeue "$SLURM_JOB_ID"
fi
say "failed for good with exit code $code"
exit "$code"
"#
        )
    }

    /// The job that joins the shards.
    fn merge(&self, args: &Args) -> String {
        let Self {
            name,
            tilelab,
            file,
            out,
            ..
        } = self;
        let shards = args.shards;
        let overrides = args.source.overrides();
        format!(
            r#"#!/bin/sh
{tilelab} cluster status {file}{overrides} --shards {shards} --out {out} || exit
exec {tilelab} merge --out {out} {out}/{name}/shard-*-of-{shards}
"#
        )
    }
}

/// Options of the array job about its resources. The signal leaves two minutes to save, of which a
/// run needs seconds.
fn resources(args: &Args) -> String {
    let mem = args
        .mem
        .as_ref()
        .map(|mem| format!(" --mem={mem}"))
        .unwrap_or_default();
    format!(
        "--ntasks=1 --cpus-per-task={} --time={} --signal=B:TERM@120{mem}",
        args.cpus, args.time
    )
}

/// Options of both jobs about where they run.
fn charge(args: &Args) -> String {
    let option = |name: &str, value: &Option<String>| {
        value
            .as_ref()
            .map(|value| format!(" --{name}={value}"))
            .unwrap_or_default()
    };
    option("partition", &args.partition) + &option("account", &args.account)
}
