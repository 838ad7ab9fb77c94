import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { copyBeside } from './copy.ts'
import { DatabaseAway } from './errors.ts'
import * as first from './migrations/0001-first.ts'
import * as storage from './migrations/0002-storage.ts'
import * as groups from './migrations/0003-groups.ts'
import * as usage from './migrations/0004-usage.ts'
import * as activity from './migrations/0005-activity.ts'
import * as silent from './migrations/0006-silent.ts'
import * as seenTime from './migrations/0007-seen-time.ts'
import * as idempotencyAndUsage from './migrations/0008-idempotency-and-usage.ts'
import * as servers from './migrations/0009-servers.ts'
import * as networks from './migrations/0010-networks.ts'
import * as shares from './migrations/0011-shares.ts'
import * as idle from './migrations/0012-idle.ts'
import * as copies from './migrations/0013-copies.ts'
import * as members from './migrations/0014-members.ts'
import * as quotas from './migrations/0015-quotas.ts'
import * as apiTokens from './migrations/0016-api-tokens.ts'
import * as accountSettings from './migrations/0017-account-settings.ts'
import * as factors from './migrations/0018-factors.ts'
import * as oidc from './migrations/0019-oidc.ts'
import * as accountDeletion from './migrations/0020-account-deletion.ts'
import * as sshKeyProof from './migrations/0021-ssh-key-proof.ts'
import * as notice from './migrations/0022-notice.ts'
import * as groupCopies from './migrations/0023-group-copies.ts'
import * as vmChanges from './migrations/0024-vm-changes.ts'
import * as startScripts from './migrations/0025-start-scripts.ts'
import * as batches from './migrations/0026-batches.ts'
import * as snapshotSchedules from './migrations/0027-snapshot-schedules.ts'
import * as bin from './migrations/0028-bin.ts'
import * as webhooks from './migrations/0029-webhooks.ts'
import * as uploads from './migrations/0030-uploads.ts'
import * as binOfProjects from './migrations/0031-bin-of-projects.ts'
import * as binOfGroups from './migrations/0032-bin-of-groups.ts'
import * as diskSizes from './migrations/0033-disk-sizes.ts'
import * as sshKeysOfVms from './migrations/0034-ssh-keys-of-vms.ts'
import * as binOfTemplates from './migrations/0035-bin-of-templates.ts'
import * as rollOuts from './migrations/0036-roll-outs.ts'
import * as rootDisks from './migrations/0037-root-disks.ts'
import * as templateStartScripts from './migrations/0038-template-start-scripts.ts'
import * as rootDisksOfGroups from './migrations/0039-root-disks-of-groups.ts'
import * as sizesThatAreDue from './migrations/0042-sizes-that-are-due.ts'
import * as mailQueue from './migrations/0043-mail-queue.ts'
import * as limitOfTheBin from './migrations/0044-limit-of-the-bin.ts'
import * as handOvers from './migrations/0045-hand-overs.ts'
import { type DatabasePlace, type Db, openDatabase } from './open.ts'
import { equaliseColumns, isPostgres } from './postgres.ts'

/**
 * In the order of their names. A name that was released never changes, and a new one takes the number after the last:
 * a database that has a later migration takes none before it.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-storage': storage,
  '0003-groups': groups,
  '0004-usage': usage,
  '0005-activity': activity,
  '0006-silent': silent,
  '0007-seen-time': seenTime,
  '0008-idempotency-and-usage': idempotencyAndUsage,
  '0009-servers': servers,
  '0010-networks': networks,
  '0011-shares': shares,
  '0012-idle': idle,
  '0013-copies': copies,
  '0014-members': members,
  '0015-quotas': quotas,
  '0016-api-tokens': apiTokens,
  '0017-account-settings': accountSettings,
  '0018-factors': factors,
  '0019-oidc': oidc,
  '0020-account-deletion': accountDeletion,
  '0021-ssh-key-proof': sshKeyProof,
  '0022-notice': notice,
  '0023-group-copies': groupCopies,
  '0024-vm-changes': vmChanges,
  '0025-start-scripts': startScripts,
  '0026-batches': batches,
  '0027-snapshot-schedules': snapshotSchedules,
  '0028-bin': bin,
  '0029-webhooks': webhooks,
  '0030-uploads': uploads,
  '0031-bin-of-projects': binOfProjects,
  '0032-bin-of-groups': binOfGroups,
  '0033-disk-sizes': diskSizes,
  '0034-ssh-keys-of-vms': sshKeysOfVms,
  '0035-bin-of-templates': binOfTemplates,
  '0036-roll-outs': rollOuts,
  '0037-root-disks': rootDisks,
  '0038-template-start-scripts': templateStartScripts,
  '0039-root-disks-of-groups': rootDisksOfGroups,
  '0042-sizes-that-are-due': sizesThatAreDue,
  '0043-mail-queue': mailQueue,
  '0044-limit-of-the-bin': limitOfTheBin,
  '0045-hand-overs': handOvers,
}

const migratorOf = (db: Db) => new Migrator({ db, provider: { getMigrations: async () => migrations } })

/** The migrations that a database still lacks, and those that it has and this version does not know. */
export async function migrationsOf(db: Db): Promise<{ waiting: string[]; unknown: string[] }> {
  const all = await migratorOf(db).getMigrations()
  const waiting = all.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
  // Without any the table of those that were done may be missing too.
  if (waiting.length === all.length) return { waiting, unknown: [] }
  return { waiting, unknown: (await migrationsDone(db)).filter((name) => !(name in migrations)) }
}

/**
 * Brings the schema of the database at a place up to date, see {@link migrate}, for as long as that takes. `makeRoom` is
 * asked when the disk is full.
 */
export async function migrateDatabase(place: DatabasePlace, makeRoom?: () => boolean): Promise<void> {
  const db = openDatabase(place, { takesLong: true, makeRoom })
  try {
    await migrate(db, 'file' in place ? place.file : null)
  } finally {
    await db.destroy()
  }
}

/**
 * Brings the schema up to date, each migration in a transaction. When there is something to do to an existing
 * database, `file` is copied beside itself first, see {@link copyBeside}. Throws, and so stops the start, when a migration
 * fails, and when a newer version has migrated the database: this one would misread it.
 */
export async function migrate(db: Db, file: string | null): Promise<void> {
  // In one transaction, and so one server after the other, and none while somebody copies into the database.
  if (isPostgres(db) && !db.isTransaction)
    return db
      .transaction()
      .execute((tx) => migrate(tx, file))
      .catch((error: unknown) => {
        // The first that a server asks of its database.
        if (!(error instanceof DatabaseAway)) throw error
        throw new Error(`${error.message}. Check SLIPWAY_DATABASE_URL.`, { cause: error })
      })
  const { waiting, unknown } = await migrationsOf(db)
  if (unknown.length > 0)
    throw new Error(
      `The database was migrated by a newer version of Slipway (${unknown.join(', ')}). Nothing was changed. Start that version or a later one, or restore a backup from before the upgrade.`,
    )
  if (waiting.length > 0) {
    if (file && waiting.length < Object.keys(migrations).length)
      await copyBeside(db, `${file}.before-${waiting[0]}`)
    const { error } = await migratorOf(db).migrateToLatest()
    if (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`The database could not be migrated and is as it was before. ${why}`, { cause: error })
    }
  }
  // Each time: a server that was killed may have come no further than the migrations.
  if (isPostgres(db)) await equaliseColumns(db)
}

/** The migrations that were done to a database, in their order, whether this version knows them or not. */
export async function migrationsDone(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Makes the schema of an earlier version in an empty database, for rows of that time. Throws when it is not known. */
export async function migrateTo(db: Db, names: readonly string[]): Promise<void> {
  const last = names.at(-1)
  const known = Object.keys(migrations)
  if (last === undefined || names.some((name, index) => name !== known[index]))
    throw new Error(
      `It was made by a newer version of Slipway (${last ?? 'no migration'}). Install that version.`,
    )
  const { error } = await migratorOf(db).migrateTo(last)
  if (error) throw error
  if (isPostgres(db)) await equaliseColumns(db)
}
