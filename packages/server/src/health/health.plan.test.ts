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

describe('what is wrong by the figures', () => {
  it('is nothing when nothing is', () => {
    expect(problemsOf(well, now)).toEqual([])
  })

  it('is nothing right after the start, when nothing has been done yet', () => {
    const fresh = withReconciler({ last_scan_at: null, last_scan_ms: null, last_look_at: null })
    const measuring = { last_at: null, last_ms: null, failures_in_a_row: 0 }
    expect(problemsOf({ ...fresh, measuring }, now)).toEqual([])
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
})

describe('what is wrong with backups', () => {
  const good = {
    id: 'b',
    at: before(3_600_000),
    ended_at: before(3_000_000),
    bytes: 1,
    added_bytes: 1,
    left_out: 0,
  }
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

  it('is no age where backups are made by hand', () => {
    const old = { ...good, at: before(900 * 3_600_000) }
    expect(backupProblems({ ...backups, last_good: old, too_old_ms: null }, now)).toEqual([])
  })
})
