import {
  changedTags,
  copiesAllowed,
  copyNames,
  type Disk,
  diskAllowedBy,
  type EndpointId,
  gibibyte,
  hasToWait,
  keptText,
  type Limits,
  type LongChange,
  mayBegin,
  memberAllows,
  messages,
  type Parsed,
  parseDiskSize,
  quotaOfVms,
  quotaOfVmsWithDisks,
  rootDiskTooSmall,
  suspendAllowed,
  tagsPerVm,
  unlessLimited,
  type Vm,
  type VmSnapshot,
  type vmApi,
  vmCan,
  vmChangeTexts,
  vmSnapshotTexts,
  vmTexts,
  wholeGi,
} from '@slipway/contract'
import { change as becomes, entry, type Told, wish as wished } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { Changed, EventKind } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import { mapInTurns } from '../lib/turn.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { ShareService } from '../share/share.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import { asked, frozen, toldOfChanges, unused, vmSubject } from './vm.activity.ts'
import { goesToBin, keptChange, powerBack, restChange } from './vm.bin.ts'
import {
  changeOf,
  keyOfThen,
  moreTaken,
  nextRootOf,
  rootOfCopy,
  rootTaken,
  type VmUpdateBody,
} from './vm.change.ts'
import type { Patience } from './vm.patience.ts'
import { isAlive } from './vm.plan.ts'
import { changesDisks, Unsteady, type VmRepo } from './vm.repo.ts'
import { changed, suspendsAtOf, toWire, type VmChange, type VmRecord } from './vm.state.ts'

type VmCreateBody = Parsed<typeof vmApi.create>['body']
type TagsChange = Parameters<typeof changedTags>[1]
type VmCopiesBody = Parsed<typeof vmApi.fork>['body']

export type VmService = ReturnType<typeof makeVmService>

export interface VmServiceOptions {
  repo: VmRepo
  disks: DiskService
  keys: SshKeyService
  templates: TemplateService
  shares: Pick<ShareService, 'forNewVm'>
  startScripts: Pick<StartScriptService, 'forNewVm'>
  /** Asks the reconciler to look at a VM soon. */
  kick: (vmId: string) => void
  /** Looks at a VM whoever else is being looked at: it is ended by force. */
  hurry: (vmId: string) => void
  changed: Changed
  /** Told that a member of a group, or their number, changed. */
  onMember: (groupId: string) => void
  clock: Clock
  patience: Pick<Patience, 'since'>
  /** What the engine cannot do. */
  cannot: Limits
  quotas: Pick<QuotaService, 'require' | 'requireForMember'>
  /** The largest disk, in whole Gi. */
  maxDiskGb: number
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  /** The id of a guest that is kept ready for such a VM; null where the account gets none. */
  takeReserved: (accountId: string, like: { imageId: string; cpu: number; memoryMb: number }) => string | null
}

/** What a group asks for when it wishes for one more member. */
export interface MemberWish {
  projectId: string
  groupId: string
  groupName: string
  kind: 'pool' | 'set'
  number: number
  /** Which settings of the group these are. */
  revision: number
  name: string
  templateId: string
  templateName: string
  imageId: string
  sshKeyId: string
  sshKeyName: string
  sshPublicKey: string
  cpu: number
  memoryMb: number
  /** Of its root disk; null: as its image makes it. */
  rootBytes: number | null
  persistent: boolean
  /** Blank disks of its own, unless it is made of a snapshot. */
  disks: readonly { name: string; size: string }[]
  /** The VM snapshot that it is made of. */
  copyOf: string | null
  /** The one before could not be created: that it is tried again is not worth an entry. */
  isRetry: boolean
}

/** What copies of a VM are made of, and how the activity log tells of it. */
export interface CopiesWish {
  snapshotId: string
  asked: VmCopiesBody
  action: EndpointId
  /** Such as `as a fork of web`. */
  of: string
}

type Present = VmRecord & { projectId: string }

/** Whether a record is a VM the user still has, in that project. */
const isPresent = (vm: VmRecord | null, projectId: string): vm is Present =>
  vm !== null && !vm.wanted.deleted && vm.projectId === projectId

export function makeVmService(options: VmServiceOptions) {
  const { repo, disks, keys, templates, shares, kick, hurry, onMember, clock, patience } = options

  async function wire(vm: Present): Promise<Vm> {
    return toWire(vm, await disks.ofVm(vm.id, vm.projectId), patience.since(vm))
  }

  async function announce(vm: VmRecord): Promise<void> {
    if (vm.member) onMember(vm.member.groupId)
    if (isPresent(vm, vm.projectId ?? '')) options.changed('vm', vm.projectId, vm.id)
  }

  const tell = (told: (vm: VmRecord) => Told | readonly Told[] | null) => (vm: VmRecord) =>
    [told(vm) ?? []].flat().map((what) => entry(clock.now(), vmSubject(vm), what))

  /** Stores a wish after `allowed` and `given` agreed to it, tells everybody and wakes the reconciler. */
  async function wish(
    projectId: string,
    vmId: string,
    allowed: (vm: VmRecord) => true | string,
    told: (vm: VmRecord) => Told | readonly Told[] | null,
    change: (vm: VmRecord) => VmChange,
    given?: (tx: Tx) => Promise<void>,
  ): Promise<Vm> {
    const vm = await repo.change(
      vmId,
      (current) => {
        if (!isPresent(current, projectId)) throw new Problem(404, messages.vmNotFound)
        require409(allowed(current))
        return changed(current, change(current), clock.now())
      },
      { tell: tell(told), given },
    )
    if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
    if (vm.wanted.force) hurry(vmId)
    else kick(vmId)
    await announce(vm)
    return wire(vm)
  }

  /** A VM as it is before anything was done for it. */
  function fresh(
    asked: Pick<
      Present,
      | 'projectId'
      | 'name'
      | 'templateId'
      | 'templateName'
      | 'imageId'
      | 'sshKeyId'
      | 'sshKeyName'
      | 'sshPublicKey'
      | 'cpu'
      | 'memoryMb'
      | 'persistent'
      | 'member'
    > &
      Partial<Pick<Present, 'id' | 'note' | 'tags' | 'deleteProtection' | 'formerSshKeys' | 'nextRootBytes'>>,
  ): Present {
    const now = clock.now()
    return {
      note: '',
      tags: [],
      deleteProtection: false,
      formerSshKeys: [],
      rootBytes: null,
      nextRootBytes: null,
      id: newId(now),
      ...asked,
      sshKeyDue: null,
      createdAt: isoTime(now),
      version: 1,
      nextCpu: null,
      sizeDue: null,
      nextMemoryMb: null,
      suspendAfterMin: null,
      idleSince: null,
      copyOf: null,
      wanted: { power: 'on', force: false, restarts: 0, deleted: false, kept: false, restore: false },
      known: {
        admitted: false,
        provisioned: false,
        restarts: 0,
        judgedRun: null,
        fault: null,
        silent: false,
        restorePrepared: false,
      },
      restore: null,
      binId: null,
      powerBack: null,
      seenPower: 'absent',
      address: null,
      status: 'pending',
      statusSince: now,
      statusMessage: null,
      steps: [],
    }
  }

  /** What a VM and the disks that are made for it take of a quota. */
  const takenBy = (vm: VmRecord, disks: readonly { size_bytes: number }[]) =>
    quotaOfVms(1, {
      cpu: vm.cpu,
      memory_mb: vm.memoryMb,
      disk_bytes: disks.reduce((sum, { size_bytes }) => sum + size_bytes, rootTaken(vm)),
    })

  /** Whether a restore still copies: its disks are as they were, and it can be cancelled. */
  const copies = (vm: VmRecord): boolean => vm.restore !== null && !vm.known.restorePrepared

  /** The size of a root disk that may be had at all. */
  function allowedGb(root_disk_gb: number): number {
    const gi = parseDiskSize(`${root_disk_gb}`, options.maxDiskGb)
    if (typeof gi === 'string') throw refuse('root_disk_gb', gi)
    return gi
  }

  /**
   * What the root disk of a new VM is to have; null: as the image makes it. The engine makes it so, and says how large it is
   * once the VM has been up.
   */
  async function rootOfNew(imageId: string, root_disk_gb: number | null | undefined): Promise<number | null> {
    if (root_disk_gb == null) return null
    const wanted = allowedGb(root_disk_gb)
    const least = wholeGi((await templates.rootBytesOf(imageId)) ?? 0)
    if (wanted < least) throw refuse('root_disk_gb', rootDiskTooSmall(least))
    return wanted === least ? null : wanted * gibibyte
  }

  /** What a change of its root disk leaves to be done; refuses one that cannot be. */
  function requireRoot(vm: VmRecord, wantedGb: number | undefined, imageBytes: number | null): number | null {
    const next = nextRootOf(vm, wantedGb, imageBytes)
    if (typeof next === 'string') throw refuse('root_disk_gb', next)
    if (next === null || next === vm.nextRootBytes) return next
    require422(unlessLimited(options.cannot.grow_root_disks))
    require409(diskAllowedBy.grow(vm))
    return next
  }

  /** Refuses a long change beside those that are under way; within the transaction that stores it. */
  const besideOthers = (requested: LongChange, vmId: string) => async (tx: Tx) =>
    require409(mayBegin(requested, await repo.underWay(vmId, tx)))

  const suspended: VmChange = { wanted: { power: 'suspended', force: false }, statusMessage: null }

  /** A wish of a group for one of its members; what is gone or was protected meanwhile needs none. */
  async function wishMember(
    vmId: string,
    told: Told,
    change: (vm: VmRecord) => VmChange | null,
    requested?: LongChange,
  ): Promise<void> {
    let isHeld = false
    const vm = await repo
      .change(
        vmId,
        (current) => {
          const wish = current.wanted.deleted ? null : change(current)
          return wish ? changed(current, wish, clock.now()) : current
        },
        {
          tell: tell(() => told),
          async given(tx) {
            isHeld = requested !== undefined && hasToWait(requested, await repo.underWay(vmId, tx))
            if (isHeld) throw new Error(`VM ${vmId} has something under way`)
          },
        },
      )
      .catch((error: unknown) => {
        if (isHeld) return null
        throw error
      })
    if (!vm) return
    kick(vmId)
    await announce(vm)
  }

  /** Gone for its users at once; the reconciler ends the guest and removes its files. `keep`: it goes to the bin. */
  async function remove(
    vmId: string,
    projectId: string,
    allowed: (vm: VmRecord) => void,
    told: (vm: VmRecord) => Told | null,
    {
      given,
      keep,
    }: { given?: (tx: Tx) => Promise<void>; keep?: { deletedBy: string; memory: boolean } } = {},
  ): Promise<VmRecord> {
    const ofVm = await disks.ofVm(vmId, projectId)
    const own = new Set((await repo.ownDisks(vmId)).map(({ id }) => id))
    const memory = {
      suspends: keep?.memory === true && options.cannot.suspend === null,
      isSteady:
        keep?.memory === true &&
        ofVm.every(({ id }) => own.has(id)) &&
        !changesDisks(await repo.underWay(vmId)),
    }
    const nowMs = clock.now()
    let shareIds: string[] = []
    const left: { group: VmRecord['member'] } = { group: null }
    let power: VmRecord['wanted']['power'] = 'off'
    const onSharesEnded = (ids: string[]) => {
      shareIds = ids
    }
    const vm = await repo.change(
      vmId,
      (current) => {
        allowed(current)
        // A member that went to the bin with its group in this moment.
        if (current.wanted.kept) return current
        left.group = current.member
        if (!keep || !goesToBin(current))
          return changed(current, { wanted: { deleted: true, power: 'off', force: true } }, nowMs)
        const change = keptChange(current, memory)
        power = powerBack(current, change)
        return changed(current, change, nowMs)
      },
      {
        tell: tell(told),
        given,
        alongside: (tx, gone) =>
          keep && gone.wanted.kept
            ? repo.keepInBin(
                { deletedBy: keep.deletedBy, days: options.binDays, power, group: left.group },
                nowMs,
                onSharesEnded,
              )(tx, gone)
            : repo.letGo(nowMs, onSharesEnded)(tx, gone),
      },
    )
    if (!vm) throw new Problem(404, messages.vmNotFound)
    options.changed('vm', projectId, vmId)
    if (vm.wanted.kept) options.changed('bin_item', projectId, vmId)
    for (const id of shareIds) options.changed('share', projectId, id)
    for (const id of own) options.changed('disk', projectId, id)
    kick(vmId)
    await disks.notice(new Set([...ofVm.map(({ id }) => id), ...own]))
    if (left.group) onMember(left.group.groupId)
    return vm
  }

  /** Copies of a VM, made of a snapshot of it with these disks. Nothing is stored before `add`. */
  async function copiesOf(
    userId: string,
    source: Pick<Vm, 'id' | 'project_id'>,
    { snapshotId, asked, action, of }: CopiesWish,
  ) {
    require422(copiesAllowed(options.cannot))
    const { project_id: projectId } = source
    const vm = await repo.find(source.id)
    if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
    const {
      templateId,
      templateName,
      imageId,
      sshKeyId,
      sshKeyName,
      sshPublicKey,
      formerSshKeys,
      cpu,
      memoryMb,
      persistent,
      note,
      tags,
    } = vm
    const like = {
      projectId,
      templateId,
      templateName,
      imageId,
      sshKeyId,
      sshKeyName,
      sshPublicKey,
      formerSshKeys,
    }
    const copies = copyNames(asked.name, asked.count).map(
      (name): Present => ({
        ...fresh({ ...like, name, cpu, memoryMb, persistent, note, tags, member: null }),
        copyOf: snapshotId,
        ...keyOfThen(vm),
        ...rootOfCopy(vm),
      }),
    )
    const diskIds: string[] = []
    return {
      /** Stores them, all or nothing, in a transaction of the caller's. */
      async add(tx: Tx, held: VmSnapshot['disks']): Promise<void> {
        const rows = copies.flatMap((copy) => disks.copiesFor(copy, snapshotId, held))
        const root_bytes = rootOfCopy(vm).nextRootBytes
        const size = { cpu, memory_mb: memoryMb, root_bytes, disks: held }
        await options.quotas.require(tx, projectId, quotaOfVmsWithDisks(copies.length, size))
        diskIds.push(...rows.map(({ id }) => id))
        const told = (copy: Present) =>
          entry(
            clock.now(),
            vmSubject(copy),
            wished(userId, action, `Create VM ${copy.name} ${of} requested`),
          )
        await repo.insertCopies(tx, copies, rows, copies.map(told))
      },
      /** Wakes the reconciler for them and tells everybody, once they are stored. */
      async begin(): Promise<Vm[]> {
        for (const copy of copies) {
          kick(copy.id)
          await announce(copy)
        }
        await disks.notice(diskIds)
        return copies.map((copy) => toWire(copy, [], patience.since(copy)))
      },
    }
  }

  return {
    /** Tells whoever watches the project what a VM looks like now. */
    announce,
    copiesOf,
    rootOfNew,

    /** What a VM is made of that shall be like this one. */
    async like(projectId: string, vmId: string) {
      const vm = await repo.find(vmId)
      if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
      const { templateId, imageId, cpu, memoryMb } = vm
      return { templateId, imageId, cpu, memoryMb, rootBytes: rootOfCopy(vm).nextRootBytes }
    },

    /** VMs that are not deleted, for the event bus. */
    async read(ids: readonly string[]): Promise<Vm[]> {
      const found = await repo.findAll(ids)
      return Promise.all(found.filter((vm) => isPresent(vm, vm.projectId ?? '')).map(wire))
    },

    async list(projectId: string): Promise<Vm[]> {
      const [records, all] = await Promise.all([repo.list(projectId), disks.ofProject(projectId)])
      const byVm = Map.groupBy(all, (disk: Disk) => disk.vm_id)
      return mapInTurns(
        records.filter((vm) => isPresent(vm, projectId)),
        (vm) => toWire(vm, byVm.get(vm.id) ?? [], patience.since(vm)),
      )
    },

    async get(projectId: string, vmId: string): Promise<Vm> {
      // At once: on PostgreSQL each question is a way there and back.
      const [vm, itsDisks] = await Promise.all([repo.find(vmId), disks.ofVm(vmId, projectId)])
      if (!isPresent(vm, projectId)) throw new Problem(404, messages.vmNotFound)
      return toWire(vm, itsDisks, patience.since(vm))
    },

    async create(userId: string, projectId: string, input: VmCreateBody): Promise<Vm> {
      if (input.project_id !== undefined && input.project_id !== projectId) {
        throw refuse('project_id', vmTexts.projectMismatch)
      }
      const diskIds = input.disks.map((disk) => disk.disk_id)
      const [template, key, ...asked] = await Promise.all([
        templates.find(input.template_id),
        keys.find(userId, input.ssh_key_id),
        ...diskIds.map((id) => disks.find(id, projectId)),
      ])
      if (!template) throw refuse('template_id', vmTexts.templateMissing)
      if (!key) throw refuse('ssh_key_id', vmTexts.sshKeyMissing)
      const attached = asked.filter((disk) => disk !== null)
      if (attached.length < diskIds.length) throw refuse('disks', vmTexts.diskMissing)
      const size = {
        imageId: template.imageId,
        cpu: input.cpu ?? template.default_cpu,
        memoryMb: input.memory_mb ?? template.default_memory_mb,
      }
      const nextRootBytes = await rootOfNew(template.imageId, input.root_disk_gb)
      const script = input.start_script ?? template.startScript
      const isPlain = diskIds.length === 0 && script === null && nextRootBytes === null
      const asFresh = fresh({
        ...size,
        projectId,
        name: input.name,
        templateId: template.id,
        templateName: template.name,
        sshKeyId: key.id,
        sshKeyName: key.name,
        sshPublicKey: key.public_key,
        persistent: input.persistent,
        nextRootBytes,
        note: input.note,
        tags: input.tags,
        deleteProtection: input.delete_protection,
        member: null,
      })
      const addScript = options.startScripts.forNewVm(asFresh, script)
      const sharing = await shares.forNewVm(userId, projectId, input.share_ports)
      const now = clock.now()
      const entriesOf = (vm: VmRecord) => [
        entry(now, vmSubject(vm), wished(userId, 'vm.create', `Create VM ${vm.name} requested`)),
        ...attached.map(({ id, name }) =>
          entry(
            now,
            { type: 'disk', id, name, projectId },
            wished(userId, 'disk.attach', `Attached disk ${name} to VM ${vm.name}`),
          ),
        ),
      ]
      let vm = asFresh
      const taken = await repo.insert(
        async (tx) => {
          await options.quotas.require(tx, projectId, {
            ...takenBy(asFresh, []),
            shares: input.share_ports.length,
          })
          // Once it may be created: a guest that is taken and not used is lost to everybody.
          const reserved = isPlain ? options.takeReserved(userId, size) : null
          if (reserved !== null) vm = { ...asFresh, id: reserved }
          return vm
        },
        diskIds,
        entriesOf,
        async (tx, { id }) => {
          await sharing.add(tx, id)
          await addScript(tx)
        },
      )
      if (taken) {
        const name = attached.find((disk) => disk.id === taken)?.name ?? ''
        throw new Problem(409, `Disk "${name}" is not available`)
      }
      kick(vm.id)
      await announce(vm)
      sharing.announce()
      if (diskIds.length === 0) return toWire(vm, [], patience.since(vm))
      await disks.notice(diskIds)
      return wire(vm)
    },

    start: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(projectId, vmId, vmCan.start, asked(userId, 'vm.start', 'Start'), () => ({
        wanted: { power: 'on', force: false },
        known: { fault: null },
        statusMessage: null,
        steps: [],
      })),

    stop: (userId: string, projectId: string, vmId: string, force: boolean): Promise<Vm> =>
      wish(
        ...([projectId, vmId, force ? vmCan.forceStop : vmCan.stop] as const),
        asked(userId, 'vm.stop', force ? 'Force stop' : 'Stop'),
        (vm) => ({
          // See `isStoppedSince`: for the restore the guest is cut off anyway.
          wanted: { power: 'off', force: force || vm.wanted.force || vm.restore !== null },
          statusMessage: null,
        }),
      ),

    /** Its guest runs on until its memory is saved, and after that when it cannot be. */
    suspend: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(
        projectId,
        vmId,
        (vm) => {
          require422(suspendAllowed(options.cannot))
          return vmCan.suspend(vm)
        },
        asked(userId, 'vm.suspend', 'Suspend'),
        () => suspended,
        besideOthers('suspend', vmId),
      ),

    /**
     * Suspends a VM that was not used for long enough, as it is now. False when it is not so any more, or something is
     * done with it that has to end first.
     */
    async suspendUnused(vmId: string): Promise<boolean> {
      let isSuspended = false
      try {
        const vm = await repo.change(
          vmId,
          (current) => {
            const at = suspendsAtOf(current)
            isSuspended = !current.wanted.deleted && at !== null && at <= clock.now()
            return isSuspended ? changed(current, suspended, clock.now()) : current
          },
          {
            tell: tell((current) => (isSuspended ? unused(current) : null)),
            given: besideOthers('suspend', vmId),
          },
        )
        if (!vm || !isSuspended) return false
        kick(vmId)
        await announce(vm)
        return true
      } catch (error) {
        if (error instanceof Problem) return false
        throw error
      }
    },

    /** Changes what is asked for; a new size and a new host name hold from the next boot on, a new SSH key as soon as its guest has it. */
    async update(userId: string, projectId: string, vmId: string, asked: VmUpdateBody): Promise<Vm> {
      let told: readonly Told[] = []
      let isRenamed = false
      const key = asked.ssh_key_id === undefined ? null : await keys.find(userId, asked.ssh_key_id)
      const wantedGb = asked.root_disk_gb === undefined ? undefined : allowedGb(asked.root_disk_gb)
      const before = wantedGb === undefined ? null : await repo.find(vmId)
      const imageBytes = before && (await templates.rootBytesOf(before.imageId))
      const vm = await wish(
        projectId,
        vmId,
        (current) => {
          if (typeof asked.suspend_after_minutes === 'number') require422(suspendAllowed(options.cannot))
          if (asked.ssh_key_id !== undefined && asked.ssh_key_id !== current.sshKeyId) {
            if (key === null) throw refuse('ssh_key_id', vmTexts.sshKeyMissing)
            require422(unlessLimited(options.cannot.change_keys))
          }
          const allowed = current.member === null || memberAllows(asked)
          if (allowed === true) requireRoot(current, wantedGb, imageBytes)
          return allowed
        },
        () => told,
        (current) => {
          const change = changeOf(current, asked, key, requireRoot(current, wantedGb, imageBytes))
          const after = changed(current, change, clock.now())
          told = toldOfChanges(userId, current, after)
          isRenamed = after.name !== current.name
          return change
        },
        async (tx) => {
          const current = await repo.find(vmId, tx)
          if (!current) return
          const nextRootBytes = requireRoot(current, wantedGb, imageBytes)
          await options.quotas.require(tx, projectId, moreTaken(current, asked, nextRootBytes))
        },
      )
      if (isRenamed) {
        for (const [kind, ids] of Object.entries(await repo.namedAfter(vmId)) as [EventKind, string[]][])
          for (const id of ids) options.changed(kind, projectId, id)
      }
      return vm
    },

    /** Adds tags to those that a VM has, and removes others. */
    tag(userId: string, projectId: string, vmId: string, wanted: TagsChange): Promise<Vm> {
      let told: readonly Told[] = []
      return wish(
        projectId,
        vmId,
        ({ tags }) => changedTags(tags, wanted).length <= tagsPerVm || vmChangeTexts.tooManyTags,
        () => told,
        (current) => {
          const tags = changedTags(current.tags, wanted)
          told = toldOfChanges(userId, current, { ...current, tags })
          return { tags }
        },
      )
    },

    /** Counts as a use of a VM. */
    keepAwake: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(
        projectId,
        vmId,
        vmCan.keepAwake,
        ({ name }) => wished(userId, 'vm.keepAwake', `Kept VM ${name} awake`),
        () => ({ idleSince: null }),
      ),

    restart: (userId: string, projectId: string, vmId: string): Promise<Vm> =>
      wish(projectId, vmId, vmCan.restart, asked(userId, 'vm.restart', 'Restart'), (vm) => ({
        wanted: { restarts: vm.wanted.restarts + 1, force: false },
        statusMessage: null,
      })),

    /** Goes to the bin, unless it is deleted for good. */
    async delete(userId: string, projectId: string, vmId: string, forGood = false): Promise<void> {
      const isKept = !forGood && options.binDays > 0
      const attempt = (memory: boolean) =>
        remove(
          vmId,
          projectId,
          (current) => {
            if (!isPresent(current, projectId)) throw new Problem(404, messages.vmNotFound)
            require409(vmCan.remove({ delete_protection: current.deleteProtection }))
          },
          (current) =>
            wished(
              userId,
              'vm.delete',
              `Delete VM ${current.name} requested`,
              current.wanted.kept ? keptText(options.binDays) : null,
            ),
          {
            given: besideOthers(isKept ? 'binVm' : 'deleteVm', vmId),
            ...(isKept && { keep: { deletedBy: userId, memory } }),
          },
        )
      const gone = await attempt(true).catch((error: unknown) => {
        if (error instanceof Unsteady) return attempt(false)
        throw error
      })
      if (!gone.wanted.kept) hurry(vmId)
    },

    /** The members of a group, oldest first. The caller has checked whose it is. */
    async ofGroup(projectId: string, groupId: string): Promise<Vm[]> {
      const [records, all] = await Promise.all([repo.members(groupId), disks.ofGroup(groupId, projectId)])
      const byVm = Map.groupBy(all, (disk: Disk) => disk.vm_id)
      return records
        .filter((vm) => isPresent(vm, projectId))
        .map((vm) => toWire(vm, byVm.get(vm.id) ?? [], patience.since(vm)))
    },

    /** Makes a VM for a group. False when that number is taken or the group is gone; then nothing was made. */
    async createMember(member: MemberWish): Promise<boolean> {
      const { groupId, groupName, kind, number, revision, disks: wanted, isRetry, copyOf, ...like } = member
      const { rootBytes: nextRootBytes, ...made } = like
      const inGroup = { groupId, kind, number, revision, retiring: false, heals: 0 }
      const vm: Present = { ...fresh({ ...made, nextRootBytes, member: inGroup }), copyOf }
      const numbered = <D extends { name: string }>(disk: D): D => ({
        ...disk,
        name: `${disk.name}-${number}`,
      })
      const source = await repo.sourceOf(vm)
      if (copyOf !== null && !source) throw new Problem(409, vmTexts.sourceGone)
      const rows =
        copyOf !== null && source
          ? disks.copiesFor(vm, copyOf, source.disks.map(numbered))
          : disks.rowsFor(vm, wanted.map(numbered))
      const added = becomes('vm.added', `VM ${vm.name} was added to ${kind} ${groupName}`)
      const entries = isRetry ? [] : [entry(clock.now(), vmSubject(vm), added)]
      const given = (tx: Tx) => options.quotas.requireForMember(tx, made.projectId, takenBy(vm, rows))
      if (!(await repo.insertMember(vm, rows, entries, given))) return false
      kick(vm.id)
      await announce(vm)
      await disks.notice(rows.map(({ id }) => id))
      return true
    },

    /** Lets a member shut down properly, to go then; not one that is protected. */
    retireMember: (vmId: string, told: Told): Promise<void> =>
      wishMember(
        vmId,
        told,
        ({ deleteProtection }) =>
          deleteProtection
            ? null
            : { member: { retiring: true }, wanted: { power: 'off' }, statusMessage: null },
        'replace',
      ),

    /** Takes a member back that was to go. One that does not live any more starts anew; another keeps its steps. */
    keepMember: (vmId: string, told: Told): Promise<void> =>
      wishMember(vmId, told, ({ seenPower }) => ({
        member: { retiring: false },
        wanted: { power: 'on', force: false },
        statusMessage: null,
        ...(!isAlive({ power: seenPower }) && { steps: [] }),
      })),

    /** Starts a member again that broke, for the `heals`th time in a row. */
    healMember: (vmId: string, heals: number, told: Told): Promise<void> =>
      wishMember(vmId, told, () => ({
        member: { heals },
        wanted: { power: 'on', force: false },
        known: { fault: null },
        statusMessage: null,
        steps: [],
      })),

    /**
     * Ends a member and removes it with the disks that were made for it. Throws a `Problem` when it is protected, unless
     * it could not be created.
     */
    async removeMember(projectId: string, vmId: string, told: Told | null): Promise<void> {
      await remove(
        vmId,
        projectId,
        ({ status, deleteProtection }) => {
          if (status !== 'failed') require409(vmCan.remove({ delete_protection: deleteProtection }))
        },
        () => told,
        { given: besideOthers('deleteVm', vmId) },
      )
    },

    /** Ends VMs that another service has stored the wish to delete for. */
    async end(
      projectId: string,
      gone: Record<'vmIds' | 'diskIds' | 'freedIds' | 'shareIds', readonly string[]>,
    ): Promise<void> {
      for (const id of gone.vmIds) {
        options.changed('vm', projectId, id)
        kick(id)
      }
      for (const id of gone.diskIds) options.changed('disk', projectId, id)
      for (const id of gone.shareIds) options.changed('share', projectId, id)
      await disks.notice([...gone.diskIds, ...gone.freedIds])
    },

    /**
     * Puts a VM back to a snapshot, which the caller has checked; what it is now becomes the snapshot `safetyId`. `given` is
     * asked in the transaction that stores it, and may throw to refuse.
     */
    async restore(
      userId: string,
      projectId: string,
      vmId: string,
      { name, ...to }: { snapshotId: string; name: string; safetyId: string },
      given: (tx: Tx) => Promise<void>,
    ): Promise<Vm> {
      const told = asked(userId, 'vmSnapshot.restore', 'Restore', ` from snapshot ${name}`)
      const change = (vm: VmRecord): VmChange => ({
        restore: to,
        // What broke does not start by itself; the user decides when.
        wanted: { force: false, ...(vm.status === 'error' && { power: 'off' }) },
        known: { restorePrepared: false },
        statusMessage: null,
      })
      return wish(projectId, vmId, vmCan.restore, told, change, async (tx) => {
        await besideOthers('restore', vmId)(tx)
        if (!(await repo.isReady(to.snapshotId, tx))) throw new Problem(409, vmSnapshotTexts.notReady)
        await given(tx)
        // One is always kept, also beyond the limit; restores one after the other would be a way around it.
        if (await repo.hasSafetySnapshot(vmId, tx))
          await options.quotas.require(tx, projectId, { snapshot_bytes: 1 })
      })
    },

    /**
     * Ends a restore that still copies, for good and recorded; false when there is none, or its disks are changing
     * already. For the operations, which have checked who asks.
     */
    async cancelRestore(userId: string, vmId: string, action: EndpointId): Promise<boolean> {
      let cancelled = false
      const vm = await repo.change(
        vmId,
        function dropWish(current) {
          cancelled = copies(current)
          if (!cancelled) return current
          const statusMessage = 'The restore was cancelled. The VM is unchanged.'
          // Copies that are there by now are cleared by the reconciler.
          const known = { restorePrepared: true }
          return changed(
            current,
            { restore: null, wanted: { force: false }, known, statusMessage },
            clock.now(),
          )
        },
        {
          tell: (current) => [
            entry(
              clock.now(),
              vmSubject(current),
              wished(userId, action, `Cancelled the restore of VM ${current.name}`),
            ),
          ],
        },
      )
      if (!vm || !cancelled) return false
      kick(vmId)
      await announce(vm)
      return true
    },

    /** Stops a VM that is wanted on, because the owner of its project is deleting their account. */
    async freeze(vmId: string): Promise<void> {
      let isStopped = false
      const vm = await repo.change(
        vmId,
        (current) => {
          isStopped = !current.wanted.deleted && current.wanted.power === 'on'
          return isStopped
            ? changed(current, { wanted: { power: 'off' }, statusMessage: null }, clock.now())
            : current
        },
        { tell: tell((current) => (isStopped ? frozen(current) : null)) },
      )
      if (!vm || !isStopped) return
      kick(vmId)
      await announce(vm)
    },

    /**
     * Has a VM rest, because its project, or its group, is in the bin: with its memory, where the engine can. False while
     * something goes on with it that has to end first.
     */
    async rest(vmId: string): Promise<boolean> {
      let isAtRest = true
      const suspends = options.cannot.suspend === null
      try {
        const vm = await repo.change(
          vmId,
          (current) => {
            const isGone = current.wanted.deleted && !current.wanted.kept
            const change = isGone ? {} : restChange(current, suspends)
            isAtRest = change !== 'busy'
            return change === 'busy' ? current : changed(current, change, clock.now())
          },
          { given: besideOthers('suspend', vmId) },
        )
        if (vm && isAtRest) kick(vmId)
        return isAtRest
      } catch (error) {
        if (error instanceof Problem) return false
        throw error
      }
    },

    /** Has a VM be what it was before it rested. */
    async goOn(vmId: string): Promise<void> {
      const vm = await repo.change(vmId, (current) => {
        if (current.powerBack === null) return current
        return changed(
          current,
          {
            powerBack: null,
            ...(!current.wanted.deleted && { wanted: { power: current.powerBack, force: false } }),
            ...(current.powerBack === 'on' && current.known.fault === null && { steps: [] }),
          },
          clock.now(),
        )
      })
      if (!vm) return
      kick(vmId)
      await announce(vm)
    },

    restless: repo.restless,
    resting: repo.resting,
    unsettledProjects: repo.unsettledProjects,

    /** Tells whoever watches what a VM looks like now. */
    async announceById(vmId: string): Promise<void> {
      const vm = await repo.find(vmId)
      if (vm) await announce(vm)
    },
  }
}
