/** What other features write into the bin, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'
import type { BinTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'

const dayMs = 24 * 60 * 60_000

/** Something that somebody deletes, and for how many days it is kept. */
export interface Binned {
  id: string
  projectId: string
  kind: BinTable['kind']
  name: string
  deletedBy: string
  days: number
}

/** What only VMs have. */
type OfVm = Pick<BinTable, 'power' | 'ended_shares'> & { attached: readonly string[] }

/** Puts something into the bin; whoever calls this marks it with the id. */
export async function putInBin(
  tx: Tx,
  { id, projectId, kind, name, deletedBy, days }: Binned,
  nowMs: number,
  ofVm: OfVm = { power: null, ended_shares: 0, attached: [] },
): Promise<void> {
  const times = { deleted_at: isoTime(nowMs), delete_at: isoTime(nowMs + days * dayMs) }
  const row = { id, project_id: projectId, kind, name, deleted_by: deletedBy, ...times }
  await tx
    .insertInto('bin')
    .values({
      ...row,
      ...ofVm,
      attached: JSON.stringify(ofVm.attached),
      counted: 0,
      leaves_why: null,
    })
    .execute()
}

/** Takes something out of the bin; null when it is not there any more. */
export async function takeFromBin(
  tx: Tx,
  id: string,
): Promise<(Omit<BinTable, 'attached'> & { attached: string[] }) | null> {
  const row = await tx.deleteFrom('bin').where('id', '=', id).returningAll().executeTakeFirst()
  // Written above, in this form.
  return row ? { ...row, attached: JSON.parse(row.attached) as string[] } : null
}

/** Ends the bin of a project that is being deleted itself: what was in it is deleted for good. */
export async function deleteBinOfProject(tx: Tx, projectId: string): Promise<void> {
  await tx.deleteFrom('bin').where('project_id', '=', projectId).execute()
}
