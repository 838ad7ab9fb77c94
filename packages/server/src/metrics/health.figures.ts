import type { Health, ReconcilerHealth } from '@slipway/contract'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Writes down how the server is. Returns what takes over the figures of a moment. */
export function makeHealthFigures(register: Registry): (health: Health) => void {
  const registers = [register]
  const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `slipway_${name}`, help, labelNames, registers })
  const of = ['reconciler'] as const
  const reconcilerGauges: [Gauge<'reconciler'>, (one: ReconcilerHealth) => number | null][] = [
    [gauge('reconciler_queued', 'Objects that wait for a look.', of), (one) => one.queued],
    [gauge('reconciler_working', 'Looks under way.', of), (one) => one.working],
    [gauge('reconciler_failing', 'Objects whose last look failed.', of), (one) => one.failing],
    [
      gauge('reconciler_failures_in_a_row', 'The most failures in a row that one object has.', of),
      (one) => one.failures_in_a_row,
    ],
    [
      gauge('reconciler_last_look_timestamp_seconds', 'When the last look ended.', of),
      (one) => timestamp(one.last_look_at),
    ],
    [
      gauge('reconciler_last_look_seconds', 'How long the last look took.', of),
      (one) => inSeconds(one.last_look_ms),
    ],
    [
      gauge('reconciler_longest_look_seconds', 'How long the longest look took.', of),
      (one) => inSeconds(one.longest_look_ms),
    ],
    [
      gauge('reconciler_oldest_look_seconds', 'How long the oldest look under way has taken.', of),
      (one) => inSeconds(one.oldest_look_ms ?? 0),
    ],
    [
      gauge('reconciler_abandoned_under_way', 'Abandoned looks that have not ended yet.', of),
      (one) => one.abandoned_under_way,
    ],
    [
      gauge('reconciler_last_scan_timestamp_seconds', 'When the last scan ended.', of),
      (one) => timestamp(one.last_scan_at),
    ],
    [
      gauge('reconciler_last_scan_seconds', 'How long the last scan took.', of),
      (one) => inSeconds(one.last_scan_ms),
    ],
    [
      gauge('reconciler_scans_failed_in_a_row', 'Scans that failed since one succeeded.', of),
      (one) => one.scans_failed_in_a_row,
    ],
  ]
  const looks = new Counter({
    name: 'slipway_reconciler_looks_total',
    help: 'Looks by how they ended.',
    labelNames: ['reconciler', 'outcome'] as const,
    registers,
  })
  const drives = gauge('drives', '1 at the server that drives, 0 at those that stand by.')
  const degraded = gauge('degraded', '1 when there are problems; /api/admin/health describes them.')
  const delay = gauge('event_loop_delay_seconds', 'How late timers fired in the last one to two minutes.', [
    'quantile',
  ])
  const free = gauge('data_free_bytes', 'Free space of the data directory.')
  const ballast = gauge('ballast_missing_bytes', 'How much of the ballast was given up on a full disk.')
  const uncaught = gauge('uncaught_errors', 'Errors that nothing in the server handled.')
  const engineAnswers = gauge('engine_answers', 'Whether the engine answers: 1 or 0.')
  const measured = gauge('vm_usage_timestamp_seconds', 'When the use of VMs was measured last.')
  const backupAt = gauge(
    'backup_last_good_timestamp_seconds',
    'When the newest backup outside the host was begun; 0 for never.',
  )
  const backupFailed = gauge('backup_failed', '1 when the last backup outside the host failed.')
  const backupBytes = gauge(
    'backup_last_good_bytes',
    'The newest backup outside the host: its size, and by how much the repository grew.',
    ['of'],
  )

  return (health) => {
    for (const [each, read] of reconcilerGauges) {
      for (const one of health.reconcilers) {
        const value = read(one)
        if (value !== null) each.set({ reconciler: one.name }, value)
      }
    }
    looks.reset()
    for (const { name, looks: all, failed, abandoned } of health.reconcilers) {
      looks.inc({ reconciler: name, outcome: 'succeeded' }, all - failed)
      looks.inc({ reconciler: name, outcome: 'failed' }, failed - abandoned)
      looks.inc({ reconciler: name, outcome: 'abandoned' }, abandoned)
    }
    drives.set(health.driver.is_this_server ? 1 : 0)
    degraded.set(health.status === 'ok' ? 0 : 1)
    delay.set({ quantile: '0.99' }, health.process.event_loop_delay_ms / 1000)
    delay.set({ quantile: '1' }, health.process.event_loop_delay_max_ms / 1000)
    if (health.data_directory) free.set(health.data_directory.free_mb * 1024 ** 2)
    if (health.ballast) ballast.set(health.ballast.missing_mb * 1024 ** 2)
    uncaught.set(health.process.uncaught_errors)
    engineAnswers.set(health.engine.answer_ms === null ? 0 : 1)
    measured.set(timestamp(health.measuring.last_at) ?? 0)
    if (health.backups) {
      const { last_good: good, last_failure } = health.backups
      backupAt.set(timestamp(good?.at ?? null) ?? 0)
      backupFailed.set(last_failure === null ? 0 : 1)
      backupBytes.set({ of: 'backup' }, good?.bytes ?? 0)
      backupBytes.set({ of: 'growth' }, good?.added_bytes ?? 0)
    }
  }
}

const timestamp = (at: string | null): number | null => (at === null ? null : Date.parse(at) / 1000)
const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)
