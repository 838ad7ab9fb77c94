import { type UnderWay, type VmSnapshot, VmStatus, VmStep } from '@slipway/contract'
import { type ExpressionBuilder, sql } from 'kysely'
import { z } from 'zod'
import { change as becomes, type Entry, entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { groupsInBin, projectsInBin } from '../bin/bin.conditions.ts'
import { type Binned, putInBin, takeFromBin } from '../bin/bin.writes.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import type { DiskTable, Schema, VmSnapshotTable, VmTable } from '../db/schema.ts'
import {
  attachAgain,
  freeDisksOf,
  insertDisks,
  keepDisksOf,
  releaseDisksOf,
  returnDisksOf,
  takeDisksFor,
} from '../disk/disk.writes.ts'
import { isoTime } from '../lib/clock.ts'
import { readInTurns } from '../lib/turn.ts'
import { endSharesOf } from '../share/share.writes.ts'
import { addStartScriptOfGroup, keepStartScriptOfGroup } from '../start-script/start-script.writes.ts'
import { bytesOfDisk } from '../stored-bytes/stored-bytes.conditions.ts'
import { underWayOfVm } from '../under-way/under-way.conditions.ts'
import { vmNews, vmSubject } from './vm.activity.ts'
import { alivePowers } from './vm.plan.ts'
import type { Membership, PlannedVm, VmRecord } from './vm.state.ts'

const Steps = z.array(VmStep)
const Texts = z.array(z.string())

/** Where no step is under way and none failed. */
const arrived: ReadonlySet<string> = new Set<VmStatus>(['running', 'suspended', 'stopped'])

/** A VM whose group is gone is on its way out and a member no more. */
const memberOf = ({
  group_id,
  group_kind,
  member_number,
  retiring,
  heals,
  group_revision,
}: VmTable): Membership | null =>
  group_id === null || group_kind === null || member_number === null
    ? null
    : {
        groupId: group_id,
        kind: group_kind,
        number: member_number,
        retiring: retiring === 1,
        heals,
        revision: group_revision ?? 1,
      }

/** What a plan needs to know of a VM. */
const planColumns = [
  'id',
  'wanted_power',
  'wanted_force',
  'wanted_restarts',
  'wanted_deleted',
  'bin_id',
  'restore_from',
  'admitted',
  'provisioned',
  'restarts',
  'judged_run',
  'fault',
  'silent',
  'restore_prepared',
  'seen_power',
  'status',
  'status_since',
  'ssh_key_due',
  'size_due',
  'next_root_bytes',
] as const satisfies readonly (keyof VmTable)[]

const toPlanned = (row: Pick<VmTable, (typeof planColumns)[number]>): PlannedVm => ({
  id: row.id,
  wanted: {
    power: row.wanted_power,
    force: row.wanted_force === 1,
    restarts: row.wanted_restarts,
    deleted: row.wanted_deleted === 1,
    kept: row.bin_id !== null,
    restore: row.restore_from !== null,
  },
  known: {
    admitted: row.admitted === 1,
    provisioned: row.provisioned === 1,
    restarts: row.restarts,
    judgedRun: row.judged_run,
    fault: row.fault,
    silent: row.silent === 1,
    restorePrepared: row.restore_prepared === 1,
  },
  seenPower: row.seen_power,
  status: VmStatus.parse(row.status),
  statusSince: Date.parse(row.status_since),
  sshKeyDue: row.ssh_key_due,
  sizeDue: row.size_due,
  nextRootBytes: row.next_root_bytes,
})

/** The steps take longer to read than all else: who does not want them passes `'[]'`. */
const toRecord = (row: VmTable, steps = row.steps): VmRecord => ({
  ...toPlanned(row),
  projectId: row.project_id,
  name: row.name,
  templateId: row.template_id,
  templateName: row.template_name,
  imageId: row.image_id,
  sshKeyId: row.ssh_key_id,
  sshKeyName: row.ssh_key_name,
  sshPublicKey: row.ssh_public_key,
  formerSshKeys: row.former_ssh_keys === '[]' ? [] : Texts.parse(JSON.parse(row.former_ssh_keys)),
  cpu: row.cpu,
  memoryMb: row.memory_mb,
  nextCpu: row.next_cpu,
  nextMemoryMb: row.next_memory_mb,
  rootBytes: row.root_bytes,
  persistent: row.persistent === 1,
  note: row.note,
  tags: row.tags === '[]' ? [] : Texts.parse(JSON.parse(row.tags)),
  deleteProtection: row.delete_protection === 1,
  suspendAfterMin: row.suspend_after_min,
  idleSince: row.idle_since === null ? null : Date.parse(row.idle_since),
  copyOf: row.copy_of,
  member: memberOf(row),
  createdAt: row.created_at,
  version: row.version,
  binId: row.bin_id,
  powerBack: row.power_back,
  restore:
    row.restore_from === null ? null : { snapshotId: row.restore_from, safetyId: row.restore_safety ?? '' },
  address: row.ip_address === null ? null : { ip: row.ip_address, port: row.ssh_port },
  statusMessage: row.status_message,
  steps: steps === '[]' ? [] : Steps.parse(JSON.parse(steps)),
})

const toRow = (vm: VmRecord): VmTable => ({
  id: vm.id,
  project_id: vm.projectId,
  name: vm.name,
  template_id: vm.templateId,
  template_name: vm.templateName,
  image_id: vm.imageId,
  ssh_key_id: vm.sshKeyId,
  ssh_key_name: vm.sshKeyName,
  ssh_public_key: vm.sshPublicKey,
  former_ssh_keys: vm.formerSshKeys.length === 0 ? '[]' : JSON.stringify(vm.formerSshKeys),
  ssh_key_due: vm.sshKeyDue,
  cpu: vm.cpu,
  memory_mb: vm.memoryMb,
  next_cpu: vm.nextCpu,
  next_memory_mb: vm.nextMemoryMb,
  size_due: vm.sizeDue,
  root_bytes: vm.rootBytes,
  next_root_bytes: vm.nextRootBytes,
  persistent: vm.persistent ? 1 : 0,
  note: vm.note,
  tags: vm.tags.length === 0 ? '[]' : JSON.stringify(vm.tags),
  delete_protection: vm.deleteProtection ? 1 : 0,
  suspend_after_min: vm.suspendAfterMin,
  idle_since: vm.idleSince === null ? null : isoTime(vm.idleSince),
  copy_of: vm.copyOf,
  group_id: vm.member?.groupId ?? null,
  group_kind: vm.member?.kind ?? null,
  member_number: vm.member?.number ?? null,
  retiring: vm.member?.retiring ? 1 : 0,
  heals: vm.member?.heals ?? 0,
  group_revision: vm.member?.revision ?? null,
  created_at: vm.createdAt,
  version: vm.version,
  wanted_power: vm.wanted.power,
  wanted_force: vm.wanted.force ? 1 : 0,
  wanted_restarts: vm.wanted.restarts,
  wanted_deleted: vm.wanted.deleted ? 1 : 0,
  bin_id: vm.binId,
  power_back: vm.powerBack,
  admitted: vm.known.admitted ? 1 : 0,
  provisioned: vm.known.provisioned ? 1 : 0,
  restarts: vm.known.restarts,
  judged_run: vm.known.judgedRun,
  fault: vm.known.fault,
  silent: vm.known.silent ? 1 : 0,
  restore_from: vm.restore?.snapshotId ?? null,
  restore_safety: vm.restore?.safetyId ?? null,
  restore_prepared: vm.known.restorePrepared ? 1 : 0,
  seen_power: vm.seenPower,
  ip_address: vm.address?.ip ?? null,
  ssh_port: vm.address?.port ?? 22,
  status: vm.status,
  status_since: isoTime(vm.statusSince),
  status_message: vm.statusMessage,
  steps: vm.steps.length === 0 ? '[]' : JSON.stringify(vm.steps),
})

/** What belongs to a change of a VM. */
interface Beside {
  /** What the activity log says of it, beside a status that is new. */
  tell?: (vm: VmRecord) => readonly Entry[]
  /** Why the status is new, where its message does not say. */
  because?: string | null
  /** Asked first, in the same transaction: it may throw to refuse, and nobody changes what it sees before the end. */
  given?: ((tx: Tx) => Promise<void>) | undefined
  /** Done in the same transaction. */
  alongside?: ((tx: Tx, vm: VmRecord) => Promise<void>) | undefined
}

export type VmRepo = ReturnType<typeof makeVmRepo>

/** What VMs write into the tables of features above them. */
interface WritesAbove {
  /** Adds a VM snapshot that is already made, and records it, once; in the transaction it is given. */
  addVmSnapshot: (tx: Tx, row: VmSnapshotTable, entry: Entry) => Promise<void>
}

export function makeVmRepo(db: Db, { addVmSnapshot }: WritesAbove) {
  async function find(id: string, executor: Db = db): Promise<VmRecord | null> {
    const row = await executor.selectFrom('vm').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? toRecord(row) : null
  }

  /** Writes `next` if the row still is what `vm` was read as. */
  async function compareAndSet(vm: VmRecord, next: VmRecord, executor: Db): Promise<VmRecord | null> {
    const { id, ...row } = toRow({ ...next, version: vm.version + 1 })
    const result = await executor
      .updateTable('vm')
      .set(row)
      .where('id', '=', id)
      .where('version', '=', vm.version)
      .executeTakeFirst()
    return result.numUpdatedRows === 1n ? { ...next, version: vm.version + 1 } : null
  }

  /** In the bin with its project, or with its pool or set. */
  const isToRest = (e: ExpressionBuilder<Schema, 'vm'>) =>
    e.or([
      e.and([e('wanted_deleted', '=', 0), e('project_id', 'in', projectsInBin(db))]),
      e('bin_id', 'in', groupsInBin(db)),
    ])

  /** A wish that was on its way when it went to the bin counts as well. */
  const isRestless = (e: ExpressionBuilder<Schema, 'vm'>) =>
    e.or([e('power_back', 'is', null), e('wanted_power', '=', 'on')])

  return {
    find: (id: string, executor: Db = db) => find(id, executor),

    async findAll(ids: readonly string[]): Promise<VmRecord[]> {
      return (await db.selectFrom('vm').selectAll().where('id', 'in', ids).execute()).map((row) =>
        toRecord(row),
      )
    },

    /** The account that owns a project; null once that is gone. */
    async ownerOf(projectId: string): Promise<string | null> {
      const project = await db
        .selectFrom('project')
        .select('account_id')
        .where('id', '=', projectId)
        .executeTakeFirst()
      return project?.account_id ?? null
    },

    /** The VMs of a project that are not deleted, oldest first; without the steps of those that have arrived. */
    async list(projectId: string): Promise<VmRecord[]> {
      const all = await readInTurns(
        (after, most) =>
          db
            .selectFrom('vm')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('wanted_deleted', '=', 0)
            .where('id', '>', after)
            .orderBy('id')
            .limit(most)
            .execute(),
        (row) => toRecord(row, arrived.has(row.status) ? '[]' : row.steps),
      )
      // The id of one whose guest was kept ready is older than the VM. Sorting is stable: among equals ids decide.
      return all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
    },

    /** The members of a pool or set that are not deleted, oldest first. */
    async members(groupId: string): Promise<VmRecord[]> {
      const rows = await db
        .selectFrom('vm')
        .selectAll()
        .where('group_id', '=', groupId)
        .where('wanted_deleted', '=', 0)
        .orderBy('id')
        .execute()
      return rows.map((row) => toRecord(row))
    },

    /**
     * Every VM there is, those on their way out included, with what a plan needs: a server at rest does little else than
     * read this again and again.
     */
    async allPlanned(): Promise<PlannedVm[]> {
      return (await db.selectFrom('vm').select(planColumns).execute()).map(toPlanned)
    },

    /** The VMs that run and are to be suspended when they are not used; without their steps. */
    async leftAlone(): Promise<Omit<VmRecord, 'steps'>[]> {
      const rows = await db
        .selectFrom('vm')
        .selectAll()
        .where('suspend_after_min', 'is not', null)
        .where('status', '=', 'running')
        .where('wanted_deleted', '=', 0)
        .execute()
      return rows.map((row) => toRecord(row, '[]'))
    },

    /** The VMs of a project that are to rest, because that or their group is in the bin, and do not yet. */
    async restless(projectId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('vm')
        .select('id')
        .where('project_id', '=', projectId)
        .where(isToRest)
        .where(isRestless)
        .orderBy('id')
        .execute()
      return rows.map(({ id }) => id)
    },

    /** The VMs of a project that rest although they are not in the bin any more. */
    async resting(projectId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('vm')
        .select('id')
        .where('project_id', '=', projectId)
        .where('power_back', 'is not', null)
        .where('wanted_deleted', '=', 0)
        .where('project_id', 'not in', projectsInBin(db))
        .orderBy('id')
        .execute()
      return rows.map(({ id }) => id)
    },

    /** The projects with VMs that are to rest and do not, or that rest and are to go on. */
    async unsettledProjects(): Promise<string[]> {
      const restless = await db
        .selectFrom('vm')
        .select('project_id')
        .distinct()
        .where(isToRest)
        .where(isRestless)
        .execute()
      const back = await db
        .selectFrom('vm')
        .select('project_id')
        .distinct()
        .where('power_back', 'is not', null)
        .where('wanted_deleted', '=', 0)
        .where('project_id', 'not in', projectsInBin(db))
        .execute()
      return [...restless, ...back].flatMap(({ project_id }) => project_id ?? [])
    },

    /**
     * What is set aside beside one VM: memory of guests that do not live yet, and guests on their way up. One that
     * lives since before `slowBefore` (ISO 8601) and still boots has given its start slot back.
     */
    async admittedBeside(
      vmId: string,
      slowBefore: string,
    ): Promise<{ promisedMb: number; starting: number }> {
      const admitted = db.selectFrom('vm').where('admitted', '=', 1).where('id', '!=', vmId)
      const promised = await admitted
        .where('seen_power', 'not in', alivePowers)
        .select((e) => e.fn.sum<number | null>('memory_mb').as('mb'))
        .executeTakeFirstOrThrow()
      const starting = await admitted
        .where('seen_power', '!=', 'ready')
        .where('silent', '=', 0)
        .where((e) => e.or([e('seen_power', 'not in', alivePowers), e('status_since', '>', slowBefore)]))
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
      return { promisedMb: Number(promised.mb ?? 0), starting: Number(starting.n) }
    },

    /**
     * Stores a new VM and attaches its disks, all or nothing. Returns the id of the first disk that is not
     * available, or null when all went well. `make` may throw to refuse, and so may `alongside`, which adds what belongs
     * to the VM.
     */
    async insert(
      make: (tx: Tx) => Promise<VmRecord>,
      diskIds: readonly string[],
      entriesOf: (vm: VmRecord) => readonly Entry[],
      alongside: (tx: Tx, vm: VmRecord) => Promise<void>,
    ): Promise<string | null> {
      try {
        await db.transaction().execute(async (tx) => {
          const vm = await make(tx)
          await tx.insertInto('vm').values(toRow(vm)).execute()
          const missing = await takeDisksFor(tx, vm, diskIds)
          if (missing !== null) throw new DiskTaken(missing)
          await record(tx, entriesOf(vm))
          await alongside(tx, vm)
        })
        return null
      } catch (error) {
        if (error instanceof DiskTaken) return error.diskId
        throw error
      }
    },

    /** Stores new VMs with the disks that are made for them, in a transaction of the caller's. */
    async insertCopies(
      tx: Tx,
      vms: readonly VmRecord[],
      disks: readonly DiskTable[],
      entries: readonly Entry[],
    ): Promise<void> {
      await tx.insertInto('vm').values(vms.map(toRow)).execute()
      await insertDisks(tx, disks)
      await record(tx, entries)
    },

    /**
     * Stores a new member of a group with the disks that are made for it, all or nothing. False when that number is
     * taken, or the group is gone. `given` may throw to refuse.
     */
    async insertMember(
      vm: VmRecord,
      disks: readonly DiskTable[],
      entries: readonly Entry[],
      given: (tx: Tx) => Promise<void>,
    ): Promise<boolean> {
      try {
        return await db.transaction().execute(async (tx) => {
          const groupId = vm.member?.groupId ?? ''
          const group = tx.selectFrom('vm_group').select('id').where('id', '=', groupId)
          // Its group may have gone to the bin in this moment.
          if (!(await group.where('bin_id', 'is', null).executeTakeFirst())) return false
          await given(tx)
          await tx.insertInto('vm').values(toRow(vm)).execute()
          await insertDisks(tx, disks)
          await addStartScriptOfGroup(tx, vm.id)
          await record(tx, entries)
          return true
        })
      } catch (error) {
        if (isUniqueViolation(error) || isForeignKeyViolation(error)) return false
        throw error
      }
    },

    /**
     * Changes a VM by a pure function of what it is now. The function may throw to refuse, or return the record
     * itself to leave it. A status that is new is recorded. Null when there is no such VM.
     */
    async change(
      id: string,
      next: (vm: VmRecord) => VmRecord,
      { tell, because = null, given, alongside }: Beside = {},
    ): Promise<VmRecord | null> {
      // Most looks change nothing: they need no transaction.
      const before = await find(id)
      if (!before) return null
      const first = next(before)
      if (first === before) return before
      return db.transaction().execute(async (tx) => {
        await given?.(tx)
        let vm = before
        let wish = first
        let stored = await compareAndSet(vm, wish, tx)
        if (!stored) {
          const now = await find(id, tx)
          if (!now) return null
          vm = now
          wish = next(now)
          if (wish === now) return now
          stored = await compareAndSet(vm, wish, tx)
        }
        if (!stored) throw new Error(`VM ${id} was changed by two at once`)
        await record(tx, [...(tell?.(wish) ?? []), ...vmNews(vm, wish, because)])
        await alongside?.(tx, stored)
        return stored
      })
    },

    /**
     * Leaves the disks of a VM to others, lets those go that were made for it, and ends its shares, whose ids are told;
     * for `change`.
     */
    letGo: (nowMs: number, onSharesEnded: (ids: string[]) => void) => async (tx: Tx, vm: VmRecord) => {
      const ofVm = tx.selectFrom('vm').select('id').where('id', '=', vm.id)
      await releaseDisksOf(tx, ofVm, nowMs)
      onSharesEnded(await endSharesOf(tx, ofVm, nowMs))
    },

    /**
     * Keeps a VM in the bin with the disks that were made for it; all else is let go as above. Its memory goes on only with
     * the disks that it had: `Unsteady` is thrown when some would be missing. For `change`.
     */
    keepInBin:
      (
        of: Pick<Binned, 'deletedBy' | 'days'> & {
          power: VmTable['wanted_power']
          /** The pool or set that it leaves. */
          group: Pick<NonNullable<VmRecord['member']>, 'groupId' | 'revision'> | null
        },
        nowMs: number,
        onSharesEnded: (ids: string[]) => void,
      ) =>
      async (tx: Tx, { id, name, projectId, wanted }: VmRecord) => {
        if (projectId === null) return
        const withMemory = wanted.power === 'suspended'
        if (withMemory && changesDisks(await underWayOfVm(tx, id))) throw new Unsteady()
        const ofVm = tx.selectFrom('vm').select('id').where('id', '=', id)
        const { power, group, ...by } = of
        if (group !== null) await keepStartScriptOfGroup(tx, id, group)
        await keepDisksOf(tx, ofVm, id, nowMs)
        const freed = await freeDisksOf(tx, ofVm, nowMs)
        if (withMemory && freed.length > 0) throw new Unsteady()
        const ended = await endSharesOf(tx, ofVm, nowMs)
        await putInBin(tx, { id, projectId, kind: 'vm', name, ...by }, nowMs, {
          power,
          ended_shares: ended.length,
          attached: freed.flatMap((disk) =>
            disk.status === 'attached' && disk.detaching === 0 ? disk.id : [],
          ),
        })
        onSharesEnded(ended)
      },

    /**
     * Takes a VM out of the bin with what was kept of it, and attaches again what is still available. Null when it is
     * not there any more: the caller undoes the transaction then.
     */
    async returnFromBin(tx: Tx, vm: VmRecord, nowMs: number) {
      // First: what still belongs to an item that is taken out is deleted for good.
      const own = await returnDisksOf(tx, vm.id, nowMs)
      const item = await takeFromBin(tx, vm.id)
      if (!item) return null
      const attached = await attachAgain(tx, vm, item.attached, nowMs)
      return { ownIds: own, attachedIds: attached, missing: item.attached.length - attached.length }
    },

    /** What the bin says of a VM; null when it is not there. */
    async binned(id: string) {
      const row = await db
        .selectFrom('bin')
        .select(['power', 'ended_shares', 'attached'])
        .where('id', '=', id)
        .executeTakeFirst()
      return row ?? null
    },

    /** Sizes of the disks that are in the bin with a VM. */
    async binnedDiskBytes(id: string, executor: Db): Promise<number> {
      const row = await executor
        .selectFrom('disk')
        .select(sql<number | string | null>`sum(${bytesOfDisk})`.as('bytes'))
        .where('bin_id', '=', id)
        .executeTakeFirst()
      return Number(row?.bytes ?? 0)
    },

    /** What the VMs of a project are called. */
    async names(projectId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('vm')
        .select('name')
        .where('project_id', '=', projectId)
        .where('wanted_deleted', '=', 0)
        .execute()
      return rows.map(({ name }) => name)
    },

    /** Adds the snapshot that a restore leaves behind; for `change`. Once, however often it is done. */
    addSnapshot: (row: VmSnapshotTable, entry: Entry) => (tx: Tx) => addVmSnapshot(tx, row, entry),

    /** Whether its project is in the bin, or the owner of that is deleting their account: it must not start. */
    async isFrozen(id: string): Promise<boolean> {
      const row = await db
        .selectFrom('vm')
        .innerJoin('project', 'project.id', 'vm.project_id')
        .leftJoin('account_deletion as leaving', 'leaving.account_id', 'project.account_id')
        .select('vm.id')
        .where('vm.id', '=', id)
        .where((e) =>
          e.or([e('leaving.account_id', 'is not', null), e('vm.project_id', 'in', projectsInBin(db))]),
        )
        .executeTakeFirst()
      return row !== undefined
    },

    /** Name and disks of the snapshot a VM is put back to; null when it is gone. */
    async snapshotOf(vm: VmRecord): Promise<{ name: string; disks: VmSnapshot['disks'] } | null> {
      const row = await db
        .selectFrom('vm_snapshot')
        .select(['name', 'disks'])
        .where('id', '=', vm.restore?.snapshotId ?? '')
        .executeTakeFirst()
      // Written by the snapshot's own repository, in this form.
      return row ? { name: row.name, disks: JSON.parse(row.disks) as VmSnapshot['disks'] } : null
    },

    /** Whether a VM snapshot is there and whole. */
    async isReady(snapshotId: string, executor: Db): Promise<boolean> {
      const row = await executor
        .selectFrom('vm_snapshot')
        .select('id')
        .where('id', '=', snapshotId)
        .where('status', '=', 'ready')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether a VM is being put back to that snapshot, or made of it. */
    async isFrom(snapshotId: string, executor: Db = db): Promise<boolean> {
      const row = await executor
        .selectFrom('vm')
        .select('id')
        .where((e) =>
          e.or([
            e('restore_from', '=', snapshotId),
            e.and([
              e('copy_of', '=', snapshotId),
              e('provisioned', '=', 0),
              e('fault', 'is', null),
              e('wanted_deleted', '=', 0),
            ]),
          ]),
        )
        .executeTakeFirst()
      return row !== undefined
    },

    /** The VM snapshot that a VM is made of; null when it is gone. */
    async sourceOf({ copyOf }: VmRecord) {
      const row = await db
        .selectFrom('vm_snapshot')
        .select(['name', 'status', 'status_message', 'has_memory', 'disks'])
        .where('id', '=', copyOf)
        .executeTakeFirst()
      // Written by the snapshot's own repository, in this form.
      return row ? { ...row, disks: JSON.parse(row.disks) as VmSnapshot['disks'] } : null
    },

    async remove(id: string, nowMs: number): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('vm')
          .where('id', '=', id)
          .where('wanted_deleted', '=', 1)
          .where('bin_id', 'is', null)
          .returning(['id', 'name', 'project_id as projectId', 'group_id', 'fault'])
          .executeTakeFirst()
        // A member that could not be created never was there for anybody; its group says why.
        if (!gone || (gone.group_id !== null && gone.fault === 'failed')) return
        const deleted = becomes('vm.gone', `VM ${gone.name} was deleted`)
        await record(tx, [entry(nowMs, vmSubject(gone), deleted)])
      })
    },

    /** The disks that were made for a VM, and how far they are. */
    ownDisks: (vmId: string) =>
      db
        .selectFrom('disk')
        .select(['id', 'name', 'status', 'status_message', 'snapshot_disk_id'])
        .where('owner_vm_id', '=', vmId)
        .orderBy('id')
        .execute(),

    /** Which long changes are under way of a VM and its disks. */
    underWay: (id: string, executor: Db = db) => underWayOfVm(executor, id),

    /** Whether what a VM was before a restore is kept still. */
    async hasSafetySnapshot(id: string, executor: Db): Promise<boolean> {
      const row = await executor
        .selectFrom('vm_snapshot')
        .select('id')
        .where('vm_id', '=', id)
        .where('automatic', '=', 1)
        .where('status', '!=', 'deleting')
        // Those that forks are made of are automatic, too.
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('vm').select('vm.id').whereRef('vm.copy_of', '=', 'vm_snapshot.id'))),
        )
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** What else shows the name of a VM. */
    async namedAfter(vmId: string): Promise<Record<'disk' | 'vm_snapshot' | 'share', string[]>> {
      const of = async (table: 'disk' | 'vm_snapshot' | 'share') =>
        (await db.selectFrom(table).select('id').where('vm_id', '=', vmId).execute()).map(({ id }) => id)
      const [disk, vm_snapshot, share] = await Promise.all([of('disk'), of('vm_snapshot'), of('share')])
      return { disk, vm_snapshot, share }
    },

    /** The disks a VM starts with: those whose data is there. */
    async diskIds(vmId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('disk')
        .select('id')
        .where('vm_id', '=', vmId)
        .where('status', '=', 'attached')
        .orderBy('id')
        .execute()
      return rows.map((row) => row.id)
    },
  }
}

/** Whether a disk is being attached to a VM, or detached. */
export const changesDisks = (underWay: ReadonlySet<UnderWay>): boolean =>
  underWay.has('attach') || underWay.has('detach')

/** Disks of a VM changed in the moment in which its memory was to be kept. */
export class Unsteady extends Error {}

class DiskTaken extends Error {
  readonly diskId: string
  constructor(diskId: string) {
    super('disk is not available')
    this.diskId = diskId
  }
}
