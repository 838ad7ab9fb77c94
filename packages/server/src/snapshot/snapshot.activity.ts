/** What the activity log says of snapshots, of VMs and of disks. */
import type { EndpointId } from '@slipway/contract'
import { change, type Entry, entry, failure, repair, type Told, wish } from '../activity/entry.ts'

/** What there is to tell of a snapshot. */
export interface NamedSnapshot {
  id: string
  projectId: string | null
  snapshot: { name: string } & ({ vm_name: string } | { disk_name: string })
}

function wordsOf({ snapshot }: NamedSnapshot) {
  if ('vm_name' in snapshot) {
    const title = `${snapshot.name} of VM ${snapshot.vm_name}`
    return { type: 'vm_snapshot', word: 'vmSnapshot', title } as const
  }
  const title = `${snapshot.name} of disk ${snapshot.disk_name}`
  return { type: 'disk_snapshot', word: 'diskSnapshot', title } as const
}

const about = (record: NamedSnapshot, nowMs: number, told: Told): Entry => {
  const { type } = wordsOf(record)
  const { id, projectId, snapshot } = record
  return entry(nowMs, { type, id, name: snapshot.name, projectId }, told)
}

export function deletionAsked(
  record: NamedSnapshot,
  userId: string,
  nowMs: number,
  reason: string | null,
): Entry {
  const { word, title } = wordsOf(record)
  return about(record, nowMs, wish(userId, `${word}.delete`, `Delete snapshot ${title} requested`, reason))
}

/** Somebody restored one from the bin, as `name`. */
export const snapshotRestored = (record: NamedSnapshot, name: string, told: Told, nowMs: number): Entry =>
  about({ ...record, snapshot: { ...record.snapshot, name } }, nowMs, told)

export function creationCancelled(
  record: NamedSnapshot,
  userId: string,
  action: EndpointId,
  nowMs: number,
): Entry {
  const { title } = wordsOf(record)
  return about(record, nowMs, wish(userId, action, `Cancelled the creation of snapshot ${title}`))
}

/** The schedule of the VM or disk took one. */
export function takenBySchedule(record: NamedSnapshot, nowMs: number): Entry {
  const { word, title } = wordsOf(record)
  return about(
    record,
    nowMs,
    change(`${word}.scheduled`, `Create snapshot ${title} requested by its schedule`),
  )
}

/** Newer ones of the schedule replace it. */
export function supersededBySchedule(record: NamedSnapshot, nowMs: number): Entry {
  const { word, title } = wordsOf(record)
  return about(
    record,
    nowMs,
    change(`${word}.superseded`, `Delete snapshot ${title} requested by its schedule`),
  )
}

export function snapshotGone(record: NamedSnapshot, nowMs: number): Entry {
  const { word, title } = wordsOf(record)
  return about(record, nowMs, change(`${word}.deleted`, `Snapshot ${title} was deleted`))
}

/** What is new when a snapshot gets a status by itself; null for what is only on its way. */
export function snapshotNews(
  record: NamedSnapshot & { status: string },
  { status, status_message }: { status?: string; status_message?: string | null },
  nowMs: number,
): Entry | null {
  const { word, title } = wordsOf(record)
  switch (status) {
    case 'ready':
      if (record.status === 'error')
        return about(record, nowMs, repair(`${word}.found`, `Snapshot ${title} can be read again`))
      return about(record, nowMs, change(`${word}.ready`, `Snapshot ${title} is ready`))
    case 'deleting':
      return about(record, nowMs, change(`${word}.expired`, `Snapshot ${title} has expired`))
    case 'failed': {
      const what = `Snapshot ${title} could not be created`
      return about(record, nowMs, failure(`${word}.failed`, what, status_message ?? null))
    }
    case 'error': {
      const what = `Snapshot ${title} is lost or damaged`
      return about(record, nowMs, failure(`${word}.error`, what, status_message ?? null))
    }
    default:
      return null
  }
}
