import {
  type BinRestored,
  type Disk,
  type DiskStatus,
  diskAllowedBy,
  type diskApi,
  diskCan,
  disksPerVm,
  diskTexts,
  type EndpointId,
  type GroupDisk,
  gibibyte,
  hotPlugAllowed,
  keptText,
  type Limits,
  mayBegin,
  messages,
  nameBack,
  nameLimit,
  operationTexts,
  type Parsed,
  parseDiskSize,
  storageGoesToBin,
  tooSmall,
  type UnderWay,
  unlessLimited,
  uploadTexts,
  vmSnapshotTexts,
  waitingText,
  wholeGi,
} from '@slipway/contract'
import { type Entry, entry, type Told, wish } from '../activity/entry.ts'
import { restored } from '../bin/bin.activity.ts'
import type { Tx } from '../db/open.ts'
import type { DiskTable } from '../db/schema.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { inBackground } from '../lib/in-background.ts'
import type { JobBoard } from '../lib/job-board.ts'
import type { JobView } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import { mapInTurns } from '../lib/turn.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { diskSubject, notReleased } from './disk.activity.ts'
import type { DiskRepo, SourceSnapshot } from './disk.repo.ts'
import type { DiskRecord } from './disk.state.ts'

type DiskCreateBody = Parsed<typeof diskApi.create>['body']
type DiskUpdateBody = Parsed<typeof diskApi.update>['body']

export interface DiskFilter {
  status?: string | undefined
  source?: string | undefined
  vm_id?: string | undefined
}

/** Both vocabularies of the specification are understood (catalogue G-061). */
const listWordOf: Record<string, string> = { empty: 'blank', http: 'image', registry: 'image' }

/** What counts of its size: the larger of what it has and what it gets. */
const wantedBytes = ({ sizeBytes, nextSizeBytes }: DiskRecord): number =>
  Math.max(sizeBytes, nextSizeBytes ?? 0)

/** What somebody asked for, as the activity log says it. */
function changeText({ disk }: DiskRecord, { name }: DiskUpdateBody, nextBytes: number | null): string {
  const renamed = name !== undefined && name !== disk.name ? ` to ${name}` : ''
  if (nextBytes !== null && wholeGi(nextBytes) !== disk.next_size_gb)
    return `Enlarge disk ${disk.name} to ${wholeGi(nextBytes)}Gi requested`
  return renamed ? `Renamed disk ${disk.name}${renamed}` : `Changed disk ${disk.name}`
}

/** A guest has ten seconds to let go of a disk (catalogue G-064); the rest is for the way there and back. */
export const detachPatienceMs = 12_000

export type DiskService = ReturnType<typeof makeDiskService>

export interface DiskServiceOptions {
  repo: DiskRepo
  /** What the engine cannot do. */
  cannot: Limits
  /** Asks the reconciler to look at a disk soon. */
  kick: (diskId: string) => void
  changed: Changed
  /** Calls back with the id of a disk that any server changed. */
  onChanged: (listener: (diskId: string) => void) => void
  /** Tells whoever watches that the disks of a VM changed. */
  announceVm: (vmId: string) => Promise<void>
  /** Where disks are created. */
  jobs: Pick<JobBoard, 'find' | 'abort'>
  clock: Clock
  log: Pick<Log, 'error'>
  quotas: Pick<QuotaService, 'require'>
  /** In whole Gi. */
  maxDiskGb: number
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  /** Has the snapshot schedule of what comes back begin anew, in the same transaction. */
  resumeSchedules: (tx: Tx, of: { diskIds: readonly string[] }, nowMs: number) => Promise<void>
}

export function makeDiskService(options: DiskServiceOptions) {
  const { repo, cannot, kick, changed, announceVm, jobs, clock, log, maxDiskGb, binDays } = options
  /** Requests that wait for a guest to let go of a disk. */
  const waiting = new Map<string, Set<() => void>>()

  function wire({ disk, projectId, upload }: DiskRecord & { projectId: string }): Disk {
    const job = disk.status === 'creating' ? jobs.find(disk.id) : null
    const isReceiving = disk.status === 'creating' && upload !== null && upload.received < upload.bytes
    return {
      ...disk,
      status_message: isReceiving ? uploadTexts.receiving : messageOf(job, disk.status_message),
      project_id: projectId,
      progress: isReceiving ? upload.received / upload.bytes : (job?.progress ?? null),
    }
  }

  /** What a disk being created waits for; nothing while it is under way; else what was stored of it. */
  function messageOf(job: JobView | null, stored: string | null): string | null {
    if (job?.waitsFor) return waitingText(job.kind, job.waitsFor)
    return job?.state === 'running' ? null : stored
  }

  const isPresent = (
    record: DiskRecord | null,
    projectId: string,
  ): record is DiskRecord & { projectId: string } =>
    record !== null && record.projectId === projectId && record.facts.status !== 'deleting'

  function requirePresent(record: DiskRecord | null, projectId: string) {
    if (!isPresent(record, projectId)) throw new Problem(404, messages.diskNotFound)
    return record
  }

  /** Tells whoever watches the project what it looks like now. */
  async function announce(record: DiskRecord): Promise<void> {
    if (isPresent(record, record.projectId ?? '')) changed('disk', record.projectId, record.disk.id)
  }

  /** The server that drives may be another one: what it made of the disk stands in the database. */
  async function wakeWaiting(diskId: string): Promise<void> {
    const record = await repo.find(diskId)
    if (!record?.facts.detaching) for (const wake of waiting.get(diskId) ?? []) wake()
  }
  options.onChanged((diskId) => {
    if (waiting.has(diskId)) inBackground(log, 'waking those who wait for a disk', wakeWaiting(diskId))
  })

  /** Resolves when the wish to detach has been answered, or after the patience is over. */
  function answered(diskId: string): Promise<void> {
    return new Promise((resolve) => {
      const wakers = waiting.get(diskId) ?? new Set()
      waiting.set(diskId, wakers)
      const done = () => {
        cancel()
        wakers.delete(done)
        if (wakers.size === 0) waiting.delete(diskId)
        resolve()
      }
      const cancel = clock.after(detachPatienceMs, done)
      wakers.add(done)
    })
  }

  function rowOf(
    projectId: string,
    disk: Pick<DiskTable, 'name' | 'size_bytes'> & Partial<DiskTable>,
  ): DiskTable {
    const now = clock.now()
    return {
      id: newId(now),
      project_id: projectId,
      description: '',
      next_size_bytes: null,
      vm_id: null,
      status: 'creating' satisfies DiskStatus,
      source: 'EMPTY',
      status_message: null,
      image_url: null,
      image_sha256: null,
      snapshot_id: null,
      snapshot_kind: null,
      snapshot_disk_id: null,
      plugged: 0,
      detaching: 0,
      owner_vm_id: null,
      bin_id: null,
      created_at: isoTime(now),
      status_since: isoTime(now),
      ...disk,
    }
  }

  /** The size of a disk of a group, in whole Gi. */
  function giOf(size: string): number {
    const gi = parseDiskSize(size, maxDiskGb)
    if (typeof gi === 'string') throw refuse('disks', gi)
    return gi
  }

  const told = ({ disk, projectId }: Pick<DiskRecord, 'disk' | 'projectId'>, what: Told): Entry =>
    entry(clock.now(), diskSubject(disk, projectId), what)

  async function insert(
    projectId: string,
    disk: Parameters<typeof rowOf>[1],
    what: Told,
    more: {
      /** What it takes as long as it is made from a file that is uploaded. */
      fileBytes?: number
      given?: (tx: Tx) => Promise<void>
      along?: (tx: Tx, diskId: string) => Promise<void>
    } = {},
  ) {
    const row = rowOf(projectId, disk)
    const stored = await repo.insert(
      row,
      entry(clock.now(), diskSubject(row, projectId), what),
      async (tx) => {
        const { fileBytes = 0 } = more
        const isMoreThanDisk = fileBytes > row.size_bytes
        const disk_bytes = isMoreThanDisk ? fileBytes : row.size_bytes
        await options.quotas.require(tx, projectId, { disk_bytes }, isMoreThanDisk ? 'file_bytes' : undefined)
        await more.given?.(tx)
      },
      async (tx) => more.along?.(tx, row.id),
    )
    if (!stored) throw new Problem(409, vmSnapshotTexts.notReady)
    const record = requirePresent(await repo.find(row.id), projectId)
    kick(row.id)
    await announce(record)
    return wire(record)
  }

  async function findSource(projectId: string, input: DiskCreateBody): Promise<SourceSnapshot> {
    const name = input.disk_sansphot ?? ''
    const found = await repo.findSource(projectId, input.snapshot_id ? { id: input.snapshot_id } : { name })
    if (!found) throw refuse('disk_sansphot', `Disk snapshot "${name}" not found`)
    if (found.status !== 'ready') throw new Problem(409, vmSnapshotTexts.notReady)
    return found
  }

  /** What a disk is made larger to; null where that is the size that it has. */
  function nextBytes({ disk, sizeBytes }: DiskRecord, wanted: number): number | null {
    // The size of a disk from an image may be between two whole Gi: what is shown of it is not another one.
    if (wanted <= sizeBytes || wanted === disk.size_gb * gibibyte) {
      if (wanted < disk.size_gb * gibibyte) throw refuse('size', tooSmall(disk.size))
      return null
    }
    return wanted
  }

  async function requireGrowth(
    tx: {
      within: Tx
      vm: (id: string) => Promise<{ status: string; deleted: boolean } | null>
      underWay: () => Promise<ReadonlySet<UnderWay>>
    },
    record: DiskRecord,
    nextBytes: number,
  ): Promise<void> {
    const { disk, projectId } = record
    require409(diskCan.grow(disk))
    require422(unlessLimited(cannot.grow_disks))
    const vm = disk.vm_id === null ? null : await tx.vm(disk.vm_id)
    if (vm && !vm.deleted) require409(diskAllowedBy.grow(vm))
    require409(mayBegin('growDisk', await tx.underWay()))
    const more = Math.max(0, nextBytes - wantedBytes(record))
    if (projectId !== null && more > 0)
      await options.quotas.require(tx.within, projectId, { disk_bytes: more })
  }

  return {
    announce,

    /** Disks that are not deleted, for the event bus. */
    async read(ids: readonly string[]): Promise<Disk[]> {
      const found = await repo.findAll(ids)
      return found.filter((record) => isPresent(record, record.projectId ?? '')).map(wire)
    },

    /** A disk of a project, for other services, which have checked whose project it is. */
    async find(diskId: string, projectId: string): Promise<Disk | null> {
      const record = await repo.find(diskId)
      return isPresent(record, projectId) ? wire(record) : null
    },

    /** For other services, which have checked whose project it is. */
    async ofProject(projectId: string): Promise<Disk[]> {
      return mapInTurns(await repo.list(projectId), (record) => wire({ ...record, projectId }))
    },

    /** The disks that are on a VM, for its own service. */
    async ofVm(vmId: string, projectId: string): Promise<Disk[]> {
      return (await repo.ofVm(vmId)).map((record) => wire({ ...record, projectId }))
    },

    /** The disks that are on the members of a group, for the service of VMs. */
    async ofGroup(groupId: string, projectId: string): Promise<Disk[]> {
      return (await repo.ofGroup(groupId)).map((record) => wire({ ...record, projectId }))
    },

    /** Blank disks as people ask for them, with their sizes in whole Gi; refuses a size that cannot be. */
    blank(wanted: readonly { name: string; size: string }[]): GroupDisk[] {
      return wanted.map(({ name, size }) => ({ name, size: `${giOf(size)}Gi`, source: 'EMPTY' }))
    },

    /** For the VM service: the rows of the disks that are made for a new VM and go with it. */
    rowsFor(
      vm: { id: string; projectId: string },
      wanted: readonly { name: string; size: string }[],
    ): DiskTable[] {
      return wanted.map(({ name, size }) =>
        rowOf(vm.projectId, { name, size_bytes: giOf(size) * gibibyte, owner_vm_id: vm.id }),
      )
    },

    /** For the VM service: the rows of disks that become copies of those in a VM snapshot, and go with a new VM. */
    copiesFor(
      vm: { id: string; projectId: string },
      snapshotId: string,
      held: readonly { disk_id: string; name: string; size: string }[],
    ): DiskTable[] {
      return held.map(({ disk_id, name, size }) =>
        rowOf(vm.projectId, {
          name,
          size_bytes: giOf(size) * gibibyte,
          source: 'SNAPSHOT',
          snapshot_id: snapshotId,
          snapshot_kind: 'machine',
          snapshot_disk_id: disk_id,
          owner_vm_id: vm.id,
        }),
      )
    },

    /** Disks were stored or changed by another service: they need a look, and whoever watches is told. */
    async notice(ids: Iterable<string>): Promise<void> {
      for (const id of ids) {
        kick(id)
        const record = await repo.find(id)
        if (record) await announce(record)
      }
    },

    async list(projectId: string, filter: DiskFilter): Promise<Disk[]> {
      const status = filter.status?.toLowerCase()
      const word = filter.source?.toLowerCase()
      const source = word && (listWordOf[word] ?? word)
      const all = await mapInTurns(await repo.list(projectId), (record) => wire({ ...record, projectId }))
      return all.filter(
        (disk) =>
          (!status || disk.status === status) &&
          (!source || disk.source === source) &&
          (!filter.vm_id || disk.vm_id === filter.vm_id),
      )
    },

    async create(userId: string, projectId: string, input: DiskCreateBody): Promise<Disk> {
      const gi = parseDiskSize(input.size, maxDiskGb)
      if (typeof gi === 'string') throw refuse('size', gi)
      const { name, description, source } = input
      const asked = { name, description, source, size_bytes: gi * gibibyte }
      const what = (from: string) => wish(userId, 'disk.create', `Create disk ${name}${from} requested`)
      if (source === 'EMPTY') return insert(projectId, asked, what(''))
      if (source !== 'SNAPSHOT') {
        const url = input.image_url ?? ''
        // The rest of an address may be a key to what is there.
        const from = source === 'HTTP' ? `an image at ${new URL(url).host}` : `container image ${url}`
        return insert(projectId, { ...asked, image_url: url }, what(` from ${from}`))
      }
      const snapshot = await findSource(projectId, input)
      return insert(
        projectId,
        {
          ...asked,
          size_bytes: Math.max(asked.size_bytes, snapshot.sizeBytes),
          snapshot_id: snapshot.id,
          snapshot_kind: snapshot.kind,
        },
        what(' from a snapshot'),
      )
    },

    /** For the disk snapshot service, which has checked the snapshot. */
    async createFromSnapshot(
      userId: string,
      projectId: string,
      snapshot: { id: string; name: string; sizeBytes: number },
      asked: { name: string; description: string; sizeGb: number },
    ): Promise<Disk> {
      const gi = parseDiskSize(`${asked.sizeGb}`, maxDiskGb)
      if (typeof gi === 'string') throw refuse('size_gb', gi)
      const message = `Create disk ${asked.name} from snapshot ${snapshot.name} requested`
      return insert(
        projectId,
        {
          name: asked.name,
          description: asked.description,
          source: 'SNAPSHOT',
          size_bytes: Math.max(gi * gibibyte, snapshot.sizeBytes),
          snapshot_id: snapshot.id,
          snapshot_kind: 'volume',
        },
        wish(userId, 'diskSnapshot.createDisk', message),
      )
    },

    /**
     * For uploads: stores a disk that waits for its file, and by `along` what is known of that, in one transaction.
     * `given` may throw to refuse. Returns the id of the disk.
     */
    async createForUpload(
      userId: string,
      projectId: string,
      asked: { name: string; description: string; size: string; fileName: string; fileBytes: number },
      given: (tx: Tx) => Promise<void>,
      along: (tx: Tx, diskId: string) => Promise<void>,
    ): Promise<string> {
      const gi = parseDiskSize(asked.size, maxDiskGb)
      if (typeof gi === 'string') throw refuse('size', gi)
      const { name, description, fileName, fileBytes } = asked
      const message = `Create disk ${name} from file ${fileName} requested`
      const row = { name, description, source: 'UPLOAD', size_bytes: gi * gibibyte } as const
      return (
        await insert(projectId, row, wish(userId, 'upload.create', message), { fileBytes, given, along })
      ).id
    },

    /** Ends the creation of a disk, of which nothing is left; false when it is not being created any more. */
    async discard(userId: string, projectId: string, diskId: string, action: EndpointId): Promise<boolean> {
      const deleting = { status: 'deleting', status_message: null }
      const record = await repo.change(diskId, clock.now(), ['creating'], deleting, (disk) => [
        told(disk, wish(userId, action, `Cancelled the upload for disk ${disk.disk.name}`)),
      ])
      if (!record) return false
      jobs.abort(diskId)
      changed('disk', projectId, diskId)
      kick(diskId)
      return true
    },

    /** For downloads: a disk that can be read as it is. */
    async requireReadable(projectId: string, diskId: string): Promise<Disk> {
      const record = requirePresent(await repo.find(diskId), projectId)
      require409(diskCan.download(record.disk))
      return wire(record)
    },

    /** Stores what is to be another; the reconciler makes it larger. */
    async update(userId: string, projectId: string, diskId: string, asked: DiskUpdateBody): Promise<Disk> {
      const { name, description, size } = asked
      const gi = size === undefined ? null : parseDiskSize(size, maxDiskGb)
      if (typeof gi === 'string') throw refuse('size', gi)
      await repo.exclusively(diskId, async (tx) => {
        const record = requirePresent(tx.record, projectId)
        const next_size_bytes = gi === null ? record.nextSizeBytes : nextBytes(record, gi * gibibyte)
        if (next_size_bytes !== null && next_size_bytes !== record.nextSizeBytes)
          await requireGrowth(tx, record, next_size_bytes)
        const isStopped = record.nextSizeBytes !== null && next_size_bytes === null
        await tx.set(
          {
            next_size_bytes,
            ...(name !== undefined && { name }),
            ...(description !== undefined && { description }),
            // It may say why the size could not be had.
            ...(isStopped && { status_message: null }),
          },
          told(record, wish(userId, 'disk.update', changeText(record, asked, next_size_bytes))),
        )
      })
      const record = requirePresent(await repo.find(diskId), projectId)
      kick(diskId)
      await announce(record)
      if (record.disk.vm_id !== null) await announceVm(record.disk.vm_id)
      return wire(record)
    },

    /** Gone for its users at once. It goes to the bin, unless it is deleted for good: then the reconciler removes its bytes. */
    async delete(userId: string, projectId: string, diskId: string, forGood = false): Promise<void> {
      const isKept = await repo.exclusively(diskId, async (tx) => {
        const { disk, ...record } = requirePresent(tx.record, projectId)
        require409(diskCan.delete(disk))
        require409(mayBegin('deleteDisk', await tx.underWay()))
        const keeps = !forGood && binDays > 0 && storageGoesToBin(disk)
        if (keeps)
          await tx.keep({ projectId, name: disk.name, deletedBy: userId, days: binDays }, clock.now())
        const message = `Delete disk ${disk.name} requested`
        await tx.set(
          { status: 'deleting', status_message: null, bin_id: keeps ? diskId : null },
          told({ disk, ...record }, wish(userId, 'disk.delete', message, keeps ? keptText(binDays) : null)),
        )
        return keeps
      })
      changed('disk', projectId, diskId)
      if (isKept) changed('bin_item', projectId, diskId)
      kick(diskId)
    },

    /** Brings a disk back from the bin, on no VM. */
    async comeBack(userId: string, projectId: string, diskId: string): Promise<BinRestored> {
      const name = await repo.exclusively(diskId, async (tx) => {
        const record = tx.record
        const isThere = record?.projectId === projectId && record.facts.isKept
        if (!isThere || !(await tx.takeOut())) throw new Problem(404, messages.binItemNotFound)
        await options.quotas.require(tx.within, projectId, { disk_bytes: wantedBytes(record) })
        const { name: before } = record.disk
        const nameNow = nameBack(before, await tx.names(projectId), nameLimit)
        await tx.set(
          { status: 'available', status_message: null, bin_id: null, name: nameNow },
          told(
            { ...record, disk: { ...record.disk, name: nameNow } },
            restored(userId, 'disk', before, nameNow),
          ),
        )
        await options.resumeSchedules(tx.within, { diskIds: [diskId] }, clock.now())
        return nameNow
      })
      kick(diskId)
      changed('disk', projectId, diskId)
      return { id: diskId, kind: 'disk', name, notes: [] }
    },

    /**
     * Ends the creation of a disk, which becomes `failed`; false when it is not being created any more. The caller has
     * checked who asks. Stored at once, so that it holds over a restart; the reconciler removes what there is.
     */
    async cancelCreation(userId: string, diskId: string, action: EndpointId): Promise<boolean> {
      const failed = { status: 'failed', status_message: operationTexts.cancelled }
      const message = (name: string) => `Cancelled the creation of disk ${name}`
      const record = await repo.change(diskId, clock.now(), ['creating'], failed, (disk) => [
        told(disk, wish(userId, action, message(disk.disk.name))),
      ])
      if (!record) return false
      jobs.abort(diskId)
      kick(diskId)
      await announce(record)
      return true
    },

    async attach(userId: string, projectId: string, diskId: string, vmId: string): Promise<Disk> {
      await repo.exclusively(diskId, async (tx) => {
        const record = requirePresent(tx.record, projectId)
        const { disk } = record
        const vm = await tx.vm(vmId)
        if (!vm || vm.deleted || vm.projectId !== projectId) throw refuse('vm_id', diskTexts.vmMissing)
        require409(diskCan.attach(disk))
        require409(diskAllowedBy.attach(vm))
        require422(hotPlugAllowed(vm, cannot))
        require409(mayBegin('attach', await tx.underWay(vmId)))
        if (repo.roomOn(vm) <= 0) throw new Problem(409, `A VM supports at most ${disksPerVm} disks`)
        await tx.set(
          { status: 'attached', vm_id: vmId, plugged: 0, status_message: null },
          told(record, wish(userId, 'disk.attach', `Attached disk ${disk.name} to VM ${vm.name}`)),
        )
      })
      const record = requirePresent(await repo.find(diskId), projectId)
      kick(diskId)
      await announce(record)
      await announceVm(vmId)
      return wire(record)
    },

    /** Waits for the guest to let go of it; the wish is stored first and survives this process. */
    async detach(userId: string, projectId: string, diskId: string): Promise<Disk> {
      await repo.exclusively(diskId, async (tx) => {
        const record = requirePresent(tx.record, projectId)
        const { disk } = record
        require409(diskCan.detach(disk))
        const vm = disk.vm_id === null ? null : await tx.vm(disk.vm_id)
        if (vm && !vm.deleted) {
          require409(diskAllowedBy.detach(vm))
          require422(hotPlugAllowed(vm, cannot))
        }
        require409(mayBegin('detach', await tx.underWay()))
        const message = `Detach disk ${disk.name} from VM ${disk.vm_name} requested`
        await tx.set({ detaching: 1 }, told(record, wish(userId, 'disk.detach', message)))
      })
      const answer = answered(diskId)
      kick(diskId)
      await answer
      const record = await repo.exclusively(diskId, async (tx) => {
        const now = requirePresent(tx.record, projectId)
        // Out of patience: the wish must not come true behind the user's back.
        if (now.disk.vm_id !== null && now.facts.detaching)
          // Its guest may let go all the same, and nobody may be there to see it: it is attached anew.
          await tx.set({ detaching: 0, plugged: 0 }, notReleased(now, clock.now()))
        return now
      })
      // The job that takes it off may still be under way, or wait for its turn.
      kick(diskId)
      if (record.disk.vm_id === null) return wire(record)
      throw new Problem(409, diskTexts.notReleased)
    },
  }
}
