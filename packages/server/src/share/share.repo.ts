import { sharesPerVm } from '@slipway/contract'
import { sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { ShareCodeTable, ShareTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { expired } from './share.activity.ts'
import { labelOf } from './share.address.ts'
import type { ShareRecord, ShareWish } from './share.state.ts'

const toRecord = (row: ShareTable & { vm_name: string }): ShareRecord => ({
  id: row.id,
  projectId: row.project_id,
  vmId: row.vm_id,
  vmName: row.vm_name,
  port: row.port,
  kind: row.kind,
  audience: row.audience,
  hostPort: row.host_port,
  label: row.label,
  secret: row.secret,
  cookieKey: row.cookie_key,
  expiresAt: row.expires_at,
  visits: Number(row.visits),
  lastVisitAt: row.last_visit_at,
  createdAt: row.created_at,
})

/** Why a share cannot be added. */
export type Refusal = 'vm-missing' | 'already-shared' | 'too-many' | 'no-port-left'

/** A share that is to be added, with what is made for it. */
export interface NewShare extends ShareWish {
  id: string
  vmId: string
  projectId: string
  /** Ports of the host that it may have, the best first; null: it needs none. */
  hostPorts: readonly number[] | null
  /** What its label ends in when others have the plain one. */
  suffix: string
  secret: string
  cookieKey: string
  createdAt: string
}

export type ShareChange = Partial<Pick<ShareTable, 'audience' | 'expires_at' | 'secret' | 'cookie_key'>>

export type ShareRepo = ReturnType<typeof makeShareRepo>

export function makeShareRepo(db: Db) {
  const records = (executor: Db = db) =>
    executor
      .selectFrom('share')
      .innerJoin('vm', 'vm.id', 'share.vm_id')
      // They rest, and keep their ports and names.
      .where('share.project_id', 'not in', projectsInBin(executor))
      .selectAll('share')
      .select('vm.name as vm_name')

  async function find(id: string, executor: Db = db): Promise<ShareRecord | null> {
    const row = await records(executor).where('share.id', '=', id).executeTakeFirst()
    return row ? toRecord(row) : null
  }

  /** Adds a share within a transaction, and records it. */
  async function add(
    tx: Tx,
    wanted: NewShare,
    entryOf: (share: ShareRecord) => Entry,
  ): Promise<ShareRecord | Refusal> {
    const vm = await tx
      .selectFrom('vm')
      .innerJoin('project', 'project.id', 'vm.project_id')
      .select(['vm.name', 'project.name as project_name'])
      .where('vm.id', '=', wanted.vmId)
      .where('vm.project_id', '=', wanted.projectId)
      .where('vm.wanted_deleted', '=', 0)
      .executeTakeFirst()
    if (!vm) return 'vm-missing'
    const ofVm = await tx.selectFrom('share').select('port').where('vm_id', '=', wanted.vmId).execute()
    if (ofVm.some(({ port }) => port === wanted.port)) return 'already-shared'
    if (ofVm.length >= sharesPerVm) return 'too-many'
    const hostPort = wanted.hostPorts === null ? null : await firstFree(tx, wanted.hostPorts)
    if (hostPort === undefined) return 'no-port-left'
    const named = { vm: vm.name, project: vm.project_name, port: wanted.port }
    const plain = labelOf(named, null)
    const taken = await tx.selectFrom('share').select('id').where('label', '=', plain).executeTakeFirst()
    await tx
      .insertInto('share')
      .values({
        id: wanted.id,
        project_id: wanted.projectId,
        vm_id: wanted.vmId,
        port: wanted.port,
        kind: wanted.kind,
        audience: wanted.audience,
        host_port: hostPort,
        label: taken ? labelOf(named, wanted.suffix) : plain,
        secret: wanted.secret,
        cookie_key: wanted.cookieKey,
        expires_at: wanted.expiresAt,
        visits: 0,
        last_visit_at: null,
        created_at: wanted.createdAt,
      })
      .execute()
    const share = await find(wanted.id, tx)
    if (!share) return 'vm-missing'
    await record(tx, [entryOf(share)])
    return share
  }

  return {
    find: (id: string) => find(id),
    add,

    async findAll(ids: readonly string[]): Promise<ShareRecord[]> {
      return (await records().where('share.id', 'in', ids).execute()).map(toRecord)
    },

    /** The shares of a project, oldest first. */
    async list(projectId: string): Promise<ShareRecord[]> {
      const rows = await records().where('share.project_id', '=', projectId).orderBy('share.id').execute()
      return rows.map(toRecord)
    },

    /** Every share there is, oldest first. */
    async all(): Promise<ShareRecord[]> {
      return (await records().orderBy('share.id').execute()).map(toRecord)
    },

    /** Whether a project has a VM that is not deleted. */
    async hasVm(projectId: string, vmId: string): Promise<boolean> {
      const row = await db
        .selectFrom('vm')
        .select('id')
        .where('id', '=', vmId)
        .where('project_id', '=', projectId)
        .where('wanted_deleted', '=', 0)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The ports of the host that are given out, in the order in which they were. */
    async hostPorts(): Promise<number[]> {
      const rows = await db
        .selectFrom('share')
        .select('host_port')
        .where('host_port', 'is not', null)
        .orderBy('id')
        .execute()
      return rows.flatMap(({ host_port }) => host_port ?? [])
    },

    /** `given` may throw to refuse. */
    insert: (
      wanted: NewShare,
      entryOf: (share: ShareRecord) => Entry,
      given: (tx: Tx) => Promise<void>,
    ): Promise<ShareRecord | Refusal> =>
      db.transaction().execute(async (tx) => {
        await given(tx)
        return add(tx, wanted, entryOf)
      }),

    /** Changes a share by what it is now; null when it is gone. */
    change(
      id: string,
      next: (share: ShareRecord) => ShareChange,
      entryOf: (share: ShareRecord) => Entry,
    ): Promise<ShareRecord | null> {
      return db.transaction().execute(async (tx) => {
        const before = await find(id, tx)
        if (!before) return null
        await tx.updateTable('share').set(next(before)).where('id', '=', id).execute()
        const after = await find(id, tx)
        if (after) await record(tx, [entryOf(after)])
        return after
      })
    },

    /** Gives a share without a port of the host one of these. */
    setHostPort: (id: string, ports: readonly number[]): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const hostPort = await firstFree(tx, ports)
        if (hostPort === undefined) return
        await tx.updateTable('share').set({ host_port: hostPort }).where('id', '=', id).execute()
      }),

    /** False when it was gone already. */
    remove(id: string, entryOf: (share: ShareRecord) => Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const share = await find(id, tx)
        if (!share) return false
        await tx.deleteFrom('share').where('id', '=', id).execute()
        await record(tx, [entryOf(share)])
        return true
      })
    },

    /** Deletes the shares whose end is reached, and records that. */
    async removeExpired(nowMs: number): Promise<ShareRecord[]> {
      const due = (executor: Db) => records(executor).where('share.expires_at', '<=', isoTime(nowMs))
      // Most of the time there is nothing to do, which needs no transaction.
      if (!(await due(db).executeTakeFirst())) return []
      return db.transaction().execute(async (tx) => {
        const over = (await due(tx).orderBy('share.id').execute()).map(toRecord)
        for (const { id } of over) await tx.deleteFrom('share').where('id', '=', id).execute()
        await record(
          tx,
          over.map((share) => expired(share, nowMs)),
        )
        return over
      })
    },

    /** When the next share ends by itself, ISO 8601. */
    async nextEnd(): Promise<string | null> {
      const row = await db
        .selectFrom('share')
        .select((e) => e.fn.min('expires_at').as('at'))
        .where('project_id', 'not in', projectsInBin(db))
        .executeTakeFirst()
      return row?.at ?? null
    },

    /** Whether the guest of a VM is up. */
    async isRunning(vmId: string): Promise<boolean> {
      const row = await db.selectFrom('vm').select('status').where('id', '=', vmId).executeTakeFirst()
      return row?.status === 'running'
    },

    /** Keeps a code that leads from a session to a share, and forgets those that nobody came with. */
    async addCode(row: ShareCodeTable, now: string): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx.deleteFrom('share_code').where('expires_at', '<=', now).execute()
        await tx.insertInto('share_code').values(row).execute()
      })
    },

    /** The session that a code leads from; null when there is none, or not any more. It leads there once. */
    async takeCode(shareId: string, codeHash: string, now: string): Promise<string | null> {
      const row = await db
        .deleteFrom('share_code')
        .where('code_hash', '=', codeHash)
        .where('share_id', '=', shareId)
        .returning(['session_id', 'expires_at'])
        .executeTakeFirst()
      return row && row.expires_at > now ? row.session_id : null
    },

    /** Adds visits to those that are counted; what is gone has none. Returns whose they are. */
    async addVisits(
      visits: ReadonlyMap<string, { count: number; last: string }>,
    ): Promise<{ id: string; projectId: string }[]> {
      return db.transaction().execute(async (tx) => {
        const found: { id: string; projectId: string }[] = []
        for (const [id, { count, last }] of visits) {
          const row = await tx
            .updateTable('share')
            .set((e) => ({
              visits: e('visits', '+', count),
              // Another server may have seen a later one.
              last_visit_at: sql<string>`case when last_visit_at > ${last} then last_visit_at else ${last} end`,
            }))
            .where('id', '=', id)
            .returning('project_id')
            .executeTakeFirst()
          if (row) found.push({ id, projectId: row.project_id })
        }
        return found
      })
    },
  }
}

async function firstFree(tx: Tx, ports: readonly number[]): Promise<number | undefined> {
  const rows = await tx.selectFrom('share').select('host_port').where('host_port', 'is not', null).execute()
  const taken = new Set(rows.map(({ host_port }) => host_port))
  return ports.find((port) => !taken.has(port))
}
