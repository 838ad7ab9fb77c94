import type { Health } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { backupProblems, problemsOf } from './health.plan.ts'

type Figures = Omit<Health, 'status' | 'problems'>

const now = Date.parse('2026-11-22T12:00:00.000Z')
const before = (ms: number) => new Date(now - ms).toISOString()

const well: Figures = {
  driver: { is_this_server: true, server: 'vm-host, process 7' },
  reconcilers: [
    {
      name: 'vm',
      last_scan_at: before(30_000),
      last_scan_ms: 5,
      scans_failed_in_a_row: 0,
      last_look_at: before(3_600_000),
      last_look_ms: 20,
      longest_look_ms: 90_000,
      oldest_look_ms: 1_000,
      working: 1,
      queued: 3,
      failing: 1,
      failures_in_a_row: 1,
      looks: 1000,
      failed: 4,
      abandoned: 1,
      abandoned_under_way: 0,
      last_failure: null,
    },
  ],
  measuring: { last_at: before(10_000), last_ms: 40, failures_in_a_row: 0 },
  process: {
    started_at: before(86_400_000),
    event_loop_delay_ms: 20,
    event_loop_delay_max_ms: 300,
    memory_mb: 150,
    open_files: 90,
    open_files_limit: 1024,
    uncaught_errors: 0,
  },
  data_directory: { free_mb: 50_000, size_mb: 100_000 },
  ballast: { size_mb: 64, missing_mb: 0, needed_mb: 0 },
  engine: { kind: 'qemu', accelerator: 'KVM', answer_ms: 2 },
  mails: { waiting: 0, oldest_waiting_at: null, failed: 0, last_failure: null },
  backups: null,
}

const withReconciler = (change: Partial<Health['reconcilers'][number]>): Figures => ({
  ...well,
  reconcilers: well.reconcilers.map((one) => ({ ...one, ...change })),
})
const withProcess = (change: Partial<Health['process']>): Figures => ({
  ...well,
  process: { ...well.process, ...change },
})
const measuring = (change: Partial<Health['measuring']>): Figures => ({
  ...well,
  measuring: { ...well.measuring, ...change },
})
const mails = (change: Partial<Health['mails']>): Figures => ({
  ...well,
  mails: { ...well.mails, ...change },
})

describe('what is wrong by the figures', () => {
  it('is nothing when nothing is', () => {
    expect(problemsOf(well, now)).toEqual([])
  })

  it('is nothing right after the start, when nothing has been done yet', () => {
    const fresh = withReconciler({ last_scan_at: null, last_scan_ms: null, last_look_at: null })
    const unmeasured = { last_at: null, last_ms: null, failures_in_a_row: 0 }
    expect(problemsOf({ ...fresh, measuring: unmeasured }, now)).toEqual([])
  })

  it('is nothing at a server that stands by for another', () => {
    const driver = { is_this_server: false, server: 'other-host, process 8' }
    expect(problemsOf({ ...well, driver, reconcilers: [] }, now)).toEqual([])
  })

  it.each<[string, Figures]>([
    ['cannot scan', withReconciler({ scans_failed_in_a_row: 2 })],
    ['cannot scan', withReconciler({ last_scan_at: before(200_000) })],
    ['abandoned 2 looks', withReconciler({ abandoned_under_way: 2 })],
    ['busy with one object for 75 s', withReconciler({ oldest_look_ms: 75_000 })],
    ['keeps failing on 3 objects', withReconciler({ failing: 3, failures_in_a_row: 9 })],
    ['is not measured', { ...well, measuring: { ...well.measuring, last_at: before(90_000) } }],
    ['responds slowly', withProcess({ event_loop_delay_max_ms: 12_000 })],
    ['responds slowly', withProcess({ event_loop_delay_ms: 800 })],
    ['LimitNOFILE', withProcess({ open_files: 900 })],
    ['1 error was not handled', withProcess({ uncaught_errors: 1 })],
    ['512 MB free', { ...well, data_directory: { free_mb: 512, size_mb: 100_000 } }],
    ['cannot be read', { ...well, data_directory: null }],
    ['once 280 MB are free', { ...well, ballast: { size_mb: 64, missing_mb: 24, needed_mb: 280 } }],
    ['No server drives', { ...well, driver: { is_this_server: false, server: null }, reconcilers: [] }],
    ['The qemu engine does not respond', { ...well, engine: { ...well.engine, answer_ms: null } }],
  ])('says that something %s, once, with what to do', (text, figures) => {
    const problems = problemsOf(figures, now)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(text)
    // A fact and an advice are two sentences at least, or two halves.
    expect(problems[0]).toMatch(/[.:;] \S.*\.$/)
  })

  it.each<[string, (value: number) => Figures, number]>([
    ['two failed scans', (n) => withReconciler({ scans_failed_in_a_row: n }), 1],
    ['two minutes without a scan', (ms) => withReconciler({ last_scan_at: before(ms) }), 120_000],
    ['a minute with one object', (ms) => withReconciler({ oldest_look_ms: ms }), 60_000],
    ['five failures', (n) => withReconciler({ failures_in_a_row: n }), 4],
    ['a minute without measuring', (ms) => measuring({ last_at: before(ms) }), 60_000],
    ['three failures to measure', (n) => measuring({ failures_in_a_row: n }), 2],
    ['half a second of delay', (ms) => withProcess({ event_loop_delay_ms: ms }), 500],
    ['three seconds of delay once', (ms) => withProcess({ event_loop_delay_max_ms: ms }), 3000],
    ['four fifths of the files', (n) => withProcess({ open_files: n, open_files_limit: 1000 }), 800],
    ['a gigabyte free', (n) => ({ ...well, data_directory: { free_mb: -n, size_mb: 1e5 } }), -1024],
    ['five minutes of a mail', (ms) => mails({ waiting: 1, oldest_waiting_at: before(ms) }), 300_000],
    ['no failed mail', (failed) => mails({ failed }), 0],
  ])('is nothing up to a limit, and something beyond it: %s', (_, figures, limit) => {
    expect(problemsOf(figures(limit), now)).toEqual([])
    expect(problemsOf(figures(limit + 1), now)).toHaveLength(1)
  })

  it('is nothing of what is not known, or not there', () => {
    expect(problemsOf(withProcess({ open_files: 900, open_files_limit: null }), now)).toEqual([])
    expect(problemsOf(withProcess({ open_files: null }), now)).toEqual([])
    expect(problemsOf({ ...well, ballast: null }, now)).toEqual([])
    expect(problemsOf(withReconciler({ oldest_look_ms: null }), now)).toEqual([])
  })

  it('says when a reconciler scanned last, if it ever did', () => {
    const saying = (last_scan_at: string | null) =>
      problemsOf(withReconciler({ scans_failed_in_a_row: 2, last_scan_at }), now)[0]
    expect(saying(before(30_000))).toContain('work. The last scan ended at 2026-11-22T11:59:30.000Z. For')
    expect(saying(null)).toContain('work. For')
  })

  it('says how many mails wait or failed, for how long and why', () => {
    const waiting = (count: number, last_failure: string | null = null) =>
      problemsOf(mails({ waiting: count, oldest_waiting_at: before(419_000), last_failure }), now)[0]
    expect(waiting(1)).toContain('1 mail waits to be sent, the oldest for 6 minutes. Check')
    expect(waiting(2, 'No answer.')).toContain(
      '2 mails wait to be sent, the oldest for 6 minutes. The last failure: No answer. Check',
    )
    expect(problemsOf(mails({ failed: 1 }), now)[0]).toContain(
      '1 mail of the last day could not be sent. The page',
    )
    expect(problemsOf(mails({ failed: 2, last_failure: 'No.' }), now)[0]).toContain(
      '2 mails of the last day could not be sent. The last failure: No. The page',
    )
  })
})

describe('what is wrong with backups', () => {
  const sizes = { bytes: 1, added_bytes: 1, left_out: 0 }
  const good = { id: 'b', at: before(3_600_000), ended_at: before(3_000_000), ...sizes }
  const backups = {
    repository: '/backups',
    schedule: 'Every 6 hours',
    running_since: null,
    next_at: null,
    last_good: good,
    last_failure: null,
    too_old_ms: 7_200_000,
  }

  it('is nothing while the newest is young, and before the first', () => {
    expect(backupProblems(backups, now)).toEqual([])
    expect(backupProblems({ ...backups, last_good: null }, now)).toEqual([])
  })

  it.each<[string, Partial<typeof backups> | object]>([
    ['failed: The disk is full.', { last_failure: { at: before(0), message: 'The disk is full.' } }],
    ['is 3 hours old', { last_good: { ...good, at: before(3 * 3_600_000) } }],
    ['lacks the files of 2 objects', { last_good: { ...good, left_out: 2 } }],
  ])('is said: it %s', (sentence, change) => {
    expect(backupProblems({ ...backups, ...change }, now)).toEqual([expect.stringContaining(sentence)])
  })

  it('is an age beyond the limit, and not at it', () => {
    const aged = (ms: number) => backupProblems({ ...backups, last_good: { ...good, at: before(ms) } }, now)
    expect(aged(7_200_000)).toEqual([])
    expect(aged(7_200_001)).toHaveLength(1)
  })

  it('is no age where backups are made by hand', () => {
    const old = { ...good, at: before(900 * 3_600_000) }
    expect(backupProblems({ ...backups, last_good: old, too_old_ms: null }, now)).toEqual([])
  })
})
