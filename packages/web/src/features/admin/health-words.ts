import { type Capacity, formatGb, type ReconcilerHealth } from '@slipway/contract'

/** `40 ms`, `2.5 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`
  return `${Math.round(ms / 60_000)} min`
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

/** What fails in a reconciler now, in a sentence; null when nothing does. */
export function reconcilerNote({
  failing,
  failures_in_a_row,
  scans_failed_in_a_row,
  abandoned_under_way,
}: Pick<ReconcilerHealth, 'failing' | 'failures_in_a_row' | 'scans_failed_in_a_row' | 'abandoned_under_way'>):
  | string
  | null {
  const notes = [
    ...(failing > 0
      ? [`${count(failing, 'object')} failing, one of them ${count(failures_in_a_row, 'time')} in a row.`]
      : []),
    ...(scans_failed_in_a_row > 0
      ? [`The last ${scans_failed_in_a_row === 1 ? 'scan' : count(scans_failed_in_a_row, 'scan')} failed.`]
      : []),
    ...(abandoned_under_way > 0 ? [`${count(abandoned_under_way, 'look')} did not end in time.`] : []),
  ]
  return notes.length === 0 ? null : notes.join(' ')
}

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** `3 VMs, 10 GB of disks, and 2 GB of snapshots`; what there is none of is left out. */
export function inBinsText(bins: Capacity['in_bins']): string {
  const snapshots = bins.vm_snapshots_bytes + bins.disk_snapshots_bytes
  const parts = [
    ...(bins.vms > 0 ? [count(bins.vms, 'VM')] : []),
    ...(bins.disks_bytes > 0 ? [`${formatGb(bins.disks_bytes)} of disks`] : []),
    ...(snapshots > 0 ? [`${formatGb(snapshots)} of snapshots`] : []),
  ]
  return parts.length === 0 ? 'Nothing' : list.format(parts)
}
