import type { Health, ReconcilerHealth } from '@slipway/contract'

/** What is too much, in the units of the figures. */
const limits = {
  /** Scans come every half minute. */
  scanAgeMs: 120_000,
  scansFailed: 2,
  lookMs: 60_000,
  failures: 5,
  measuringAgeMs: 60_000,
  delayMs: 500,
  delayMaxMs: 3_000,
  openFiles: 0.8,
  freeMb: 1024,
  /** Usually a mail is sent within a second. */
  mailAgeMs: 5 * 60_000,
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`
const ageOf = (at: string | null, now: number) => (at === null ? null : now - Date.parse(at))

/** What is wrong by the figures, each with what to do. `now` in milliseconds since the epoch. */
export function problemsOf(figures: Omit<Health, 'status' | 'problems'>, now: number): string[] {
  return [
    ...(figures.driver.is_this_server || figures.driver.server !== null
      ? []
      : [
          'No server drives at the moment: requests are answered, and what they ask for waits. If this lasts longer than ten seconds, check the log for "the lease" and the database.',
        ]),
    ...figures.reconcilers.flatMap((one) => reconcilerProblems(one, now)),
    ...measuringProblems(figures.measuring, now),
    ...processProblems(figures.process),
    ...diskProblems(figures.data_directory),
    ...ballastProblems(figures.ballast),
    ...mailProblems(figures.mails, now),
    ...(figures.engine.answer_ms === null
      ? [
          `The ${figures.engine.kind} engine does not respond. Check the log for its errors, and restart the server if this continues. Running VMs are not affected.`,
        ]
      : []),
  ]
}

function reconcilerProblems(one: ReconcilerHealth, now: number): string[] {
  const problems: string[] = []
  const name = `The ${one.name} reconciler`
  const scanAge = ageOf(one.last_scan_at, now)
  if (one.scans_failed_in_a_row >= limits.scansFailed || (scanAge !== null && scanAge > limits.scanAgeMs)) {
    const since = one.last_scan_at === null ? '' : ` The last scan ended at ${one.last_scan_at}.`
    problems.push(
      `${name} cannot scan for pending work.${since} For the reason, see the log ("the scan failed"), and check the database and the data directory.`,
    )
  }
  if (one.abandoned_under_way > 0) {
    problems.push(
      `${name} abandoned ${count(one.abandoned_under_way, 'look')} that did not end in time. The log names the ids ("a look failed"): force stop those VMs, and restart the server if that does not help.`,
    )
  } else if (one.oldest_look_ms !== null && one.oldest_look_ms > limits.lookMs) {
    problems.push(
      `${name} has been busy with one object for ${seconds(one.oldest_look_ms)}. The host may be overloaded: check its processor and disk.`,
    )
  }
  if (one.failures_in_a_row >= limits.failures) {
    problems.push(
      `${name} keeps failing on ${count(one.failing, 'object')}, ${one.failures_in_a_row} times in a row at most. The log lists the objects and reasons ("a look failed").`,
    )
  }
  return problems
}

function measuringProblems(measuring: Health['measuring'], now: number): string[] {
  const age = ageOf(measuring.last_at, now)
  return age !== null && (age > limits.measuringAgeMs || measuring.failures_in_a_row > 2)
    ? [
        'The usage of running VMs is not measured. Charts and auto scaling are paused. For the reason, see the log ("VMs could not be measured").',
      ]
    : []
}

function processProblems(process: Health['process']): string[] {
  const { event_loop_delay_ms, event_loop_delay_max_ms, open_files, open_files_limit, uncaught_errors } =
    process
  const problems: string[] = []
  if (event_loop_delay_ms > limits.delayMs || event_loop_delay_max_ms > limits.delayMaxMs) {
    problems.push(
      `The server responds slowly: in the last two minutes it was blocked for up to ${seconds(event_loop_delay_max_ms)} at a time. Check the processor and the memory of the host.`,
    )
  }
  if (open_files !== null && open_files_limit !== null && open_files > open_files_limit * limits.openFiles) {
    problems.push(
      `The server has ${open_files} of at most ${open_files_limit} files open. Raise LimitNOFILE in the unit of the service and restart it.`,
    )
  }
  if (uncaught_errors > 0) {
    problems.push(
      `${count(uncaught_errors, 'error was', 'errors were')} not handled since the server started. Find them in the log, report them, and restart the server.`,
    )
  }
  return problems
}

function diskProblems(disk: Health['data_directory']): string[] {
  if (disk === null)
    return [
      'The data directory cannot be read. Check that its file system is mounted and that the server may read it.',
    ]
  return disk.free_mb < limits.freeMb
    ? [
        `The data directory has ${disk.free_mb} MB free. Delete disks or snapshots that are no longer needed, or enlarge the file system.`,
      ]
    : []
}

function ballastProblems(ballast: Health['ballast']): string[] {
  return ballast !== null && ballast.missing_mb > 0
    ? [
        `${ballast.missing_mb} of ${ballast.size_mb} MB of the ballast are missing, the space that the server gives up to stop and delete things on a full disk. While less than that is free, everything else is refused. Delete what is no longer needed and empty the bins, or enlarge the file system: the server makes the ballast again once ${ballast.needed_mb} MB are free.`,
      ]
    : []
}

function mailProblems(mails: Health['mails'], now: number): string[] {
  const why = mails.last_failure === null ? '' : ` The last failure: ${mails.last_failure}`
  const age = ageOf(mails.oldest_waiting_at, now)
  const problems: string[] = []
  if (age !== null && age > limits.mailAgeMs)
    problems.push(
      `${count(mails.waiting, 'mail waits', 'mails wait')} to be sent, the oldest for ${Math.floor(age / 60_000)} minutes.${why} Check SLIPWAY_SMTP_URL and the mail server; mails are sent by themselves once it takes them.`,
    )
  if (mails.failed > 0)
    problems.push(
      `${count(mails.failed, 'mail')} of the last day could not be sent.${why} The page Health lists them, and has those sent again whose link still works.`,
    )
  return problems
}

/** What is wrong with backups outside the host. */
export function backupProblems(
  backups: NonNullable<Health['backups']> & { too_old_ms: number | null },
  now: number,
): string[] {
  const { last_failure: failure, last_good: good, too_old_ms: tooOldMs } = backups
  const problems: string[] = []
  if (failure !== null) problems.push(`The last backup outside the host failed: ${failure.message}`)
  const age = ageOf(good?.at ?? null, now)
  if (age !== null && tooOldMs !== null && age > tooOldMs)
    problems.push(
      `The newest backup outside the host is ${Math.floor(age / 3_600_000)} hours old. Check that the server that drives was running, and the log for "backup".`,
    )
  if (good !== null && good.left_out > 0)
    problems.push(
      `The newest backup outside the host lacks the files of ${count(good.left_out, 'object')}. Run npm run backup -- --repository, which lists them with the reasons.`,
    )
  return problems
}
