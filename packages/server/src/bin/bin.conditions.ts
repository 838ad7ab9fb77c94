/** What is in the bin, for the queries of others. */
import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** The ids of the projects that are in the bin, for `where project_id not in`. */
export const projectsInBin = (executor: Db) =>
  executor.selectFrom('bin').select('bin.id').where('bin.kind', '=', sql.lit('project'))
