import type { Row } from '../db/tables.ts'
import type { ObjectIds } from '../engine/engine.ts'

/** An object of the console, as a backup names it. */
interface Named {
  type: string
  id: string
  name: string
  /** Whether it has files in this state: what is only coming, or going, has lost nothing without them. */
  hasFiles: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Collects, from rows that pass by, what the engine is asked for. */
export function makeBelongings() {
  const named = new Map<string, Named>()
  const ids = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] } satisfies Record<
    keyof ObjectIds,
    string[]
  > as Record<keyof ObjectIds, string[]>
  const add = (kind: keyof ObjectIds, type: string, { id, name }: Row, hasFiles: boolean) => {
    ids[kind].push(text(id))
    named.set(text(id), { type, id: text(id), name: text(name), hasFiles })
  }
  return {
    see(table: string, row: Row): void {
      const status = text(row.status)
      // What is in the bin is whole.
      const isKept = text(row.bin_id) !== ''
      if (table === 'vm') {
        add('machines', 'VM', row, row.provisioned === 1 && (row.wanted_deleted === 0 || isKept))
        // It has no row of its own before the restore is done.
        const safety = text(row.restore_safety)
        if (safety) ids.machineSnapshots.push(safety)
      } else if (table === 'disk') {
        add('volumes', 'disk', row, !['creating', 'failed', 'deleting'].includes(status) || isKept)
      } else if (table === 'vm_snapshot') {
        add('machineSnapshots', 'snapshot', row, ['ready', 'creating'].includes(status) || isKept)
      } else if (table === 'disk_snapshot') {
        add('volumeSnapshots', 'disk snapshot', row, ['ready', 'creating'].includes(status) || isKept)
      }
    },
    ids: ids as ObjectIds,
    /** Those of the objects left out that would have had files. */
    lost: (left: ReadonlyMap<string, string>) =>
      [...left].flatMap(([id, reason]) => {
        const one = named.get(id)
        return one?.hasFiles ? [{ type: one.type, id, name: one.name, reason }] : []
      }),
  }
}
