/** What is in the bin, for the queries of others. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { Schema } from '../db/schema.ts'

/** The ids of the projects that are in the bin, for `where project_id not in`. */
export const projectsInBin = (executor: Db) =>
  executor.selectFrom('bin').select('bin.id').where('bin.kind', '=', sql.lit('project'))

/** Who deleted something, of a row with the name of that account; null once there is none. */
export const deleterOf = (row: { deleted_by: string | null; account_name: string | null }) =>
  row.deleted_by === null || row.account_name === null ? null : { id: row.deleted_by, name: row.account_name }

/** The ids of the pools and sets that are in the bin, for `where bin_id in`. */
export const groupsInBin = (executor: Db) =>
  executor
    .selectFrom('bin')
    .select('bin.id')
    .where('bin.kind', 'in', [sql.lit('vm_pool' as const), sql.lit('vm_set' as const)])

/** Whether a row is meant by a call to empty the bin, which names ids, a time, or both. */
export const isMeant = ({ ids, before }: { ids?: string[] | undefined; before?: string | undefined }) => {
  // Times are compared as they are stored, in whatever form they come.
  const until = before === undefined ? undefined : new Date(before).toISOString()
  return (e: ExpressionBuilder<Schema, 'bin'>) =>
    e.and([
      // PostgreSQL takes no empty list.
      ...(ids ? [e('bin.id', 'in', ids.length > 0 ? ids : [''])] : []),
      ...(until !== undefined ? [e('bin.deleted_at', '<=', until)] : []),
    ])
}
