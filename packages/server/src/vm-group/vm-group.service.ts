/** What the services of pools and of sets have in common: whose a group is, how it is made, changed and deleted. */
import {
  type GroupDisk,
  type GroupHistory,
  groupSnapshotTexts,
  keptText,
  type Template,
  type Vm,
} from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import type { DiskService } from '../disk/disk.service.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import type { LoadBook } from './load.ts'
import { makeRollOut, type RollOutWish, type User } from './roll-out.service.ts'
import { groupWish, titleOf, vmsOf } from './vm-group.activity.ts'
import type { MemberCounts, MemberRevision, VmGroupRepo } from './vm-group.repo.ts'
import {
  type GroupKind,
  type GroupRecord,
  type NewEvent,
  takenByGrowing,
  takenByMembers,
} from './vm-group.state.ts'
import type { VmGroupBinRepo } from './vm-group-bin.repo.ts'

export interface VmGroupServiceOptions<W> {
  kind: GroupKind
  texts: {
    notFound: string
    templateMissing: string
    sshKeyMissing: string
    inUse: string
    hasProtected: string
  }
  /** A group of this kind as it goes over the wire. */
  toWire: (group: GroupRecord, counts: MemberCounts) => W
  /** Tells whoever listens that a group changed, or is gone. */
  changed: (projectId: string, groupId: string) => void
  repo: VmGroupRepo
  keys: SshKeyService
  templates: TemplateService
  vms: VmService
  quotas: Pick<QuotaService, 'require'>
  snapshots: Pick<VmSnapshotService, 'forMembers'>
  disks: DiskService
  startScripts: Pick<StartScriptService, 'forNewGroup' | 'forRollOut'>
  load: LoadBook
  binRepo: Pick<VmGroupBinRepo, 'put'>
  /** Asks the reconciler to look at a group soon. */
  kick: (groupId: string) => void
  /** Asks the one of projects to have members rest. */
  kickProject: (projectId: string) => void
  /** Tells whoever listens what is in the bin. */
  binChanged: (projectId: string, groupId: string) => void
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  clock: Clock
}

export interface NewGroup {
  name: string
  description: string
  template_id: string
  ssh_key_id: string
  persistent: boolean
  cpu?: number | undefined
  memory_mb?: number | undefined
  root_disk_gb?: number | null | undefined
  disks: readonly { name: string; size: string }[]
  snapshot_id: string | null
  start_script?: string | undefined
}

interface MemberSource {
  imageId: string
  cpu: number
  memoryMb: number
  rootBytes: number | null
  disks: readonly GroupDisk[]
  /** For the activity log. */
  of: string
  /** Throws when there is no more to make them of. */
  requireSource: (tx: Tx) => Promise<void>
}

export interface Sizes {
  min: number
  desired: number
  max: number
  autoScaling: boolean
}

const none: MemberCounts = { total: 0, existing: 0, running: 0, renewed: 0, held: 0 }

export function makeVmGroupService<W>(options: VmGroupServiceOptions<W>) {
  const {
    kind,
    texts,
    toWire,
    changed,
    repo,
    binRepo,
    keys,
    templates,
    vms,
    quotas,
    snapshots,
    disks,
    load,
  } = options
  const { kick, clock, binDays, binChanged, kickProject } = options

  const rollOut = makeRollOut(options)

  const countsOf = async (groupId: string) => (await repo.counts({ groupId })).get(groupId) ?? none
  const wire = async (group: GroupRecord): Promise<W> => toWire(group, await countsOf(group.id))

  async function own(projectId: string, groupId: string): Promise<GroupRecord> {
    const group = await repo.find(groupId)
    if (!group || group.projectId !== projectId || group.kind !== kind) throw new Problem(404, texts.notFound)
    return group
  }

  async function announce(group: GroupRecord): Promise<void> {
    changed(group.projectId, group.id)
  }

  async function rolling(
    projectId: string,
    groupId: string,
    change: (group: GroupRecord) => Promise<GroupRecord>,
  ): Promise<W> {
    const group = await change(await own(projectId, groupId))
    kick(groupId)
    await announce(group)
    return wire(group)
  }

  /** What every member is made of: the template, or a VM snapshot, whose VM it is like. */
  async function memberOf(
    projectId: string,
    template: Pick<Template, 'id' | 'default_cpu' | 'default_memory_mb'> & { imageId: string },
    { disks: blank, snapshot_id, ...size }: NewGroup,
  ): Promise<MemberSource> {
    if (snapshot_id === null) {
      const { imageId } = template
      return {
        imageId,
        cpu: size.cpu ?? template.default_cpu,
        memoryMb: size.memory_mb ?? template.default_memory_mb,
        rootBytes: await vms.rootOfNew(imageId, size.root_disk_gb),
        disks: disks.blank(blank),
        of: '',
        requireSource: async () => {},
      }
    }
    const source = await snapshots.forMembers(projectId, snapshot_id)
    if (!source) throw refuse('snapshot_id', groupSnapshotTexts.missing)
    if (source.templateId !== template.id) throw refuse('template_id', groupSnapshotTexts.otherTemplate)
    const { held, requireReady, name, ...like } = source
    return {
      ...like,
      disks: held.map(({ name, size }) => ({ name, size, source: 'SNAPSHOT' })),
      of: ` from snapshot ${name}`,
      requireSource: requireReady,
    }
  }

  return {
    announce,
    /** The group, if it is of this project and kind; else a 404. */
    own,

    /** For the event bus. */
    async read(ids: readonly string[]): Promise<W[]> {
      return Promise.all((await repo.findAll(ids)).filter((group) => group.kind === kind).map(wire))
    },

    async list(projectId: string): Promise<W[]> {
      const [groups, counts] = await Promise.all([repo.list(projectId, kind), repo.counts({ projectId })])
      return groups.map((group) => toWire(group, counts.get(group.id) ?? none))
    },

    async get(projectId: string, groupId: string): Promise<W & { vms: Vm[]; revisions: MemberRevision[] }> {
      const group = await own(projectId, groupId)
      const [members, revisions, counts] = await Promise.all([
        vms.ofGroup(projectId, groupId),
        repo.revisions(groupId),
        countsOf(groupId),
      ])
      return { ...toWire(group, counts), vms: members, revisions }
    },

    async history(projectId: string, groupId: string): Promise<GroupHistory> {
      await own(projectId, groupId)
      return { samples: load.samples(groupId), events: await repo.events(groupId) }
    },

    async create(userId: string, projectId: string, input: NewGroup, sizes: Sizes): Promise<W> {
      const key = await keys.find(userId, input.ssh_key_id)
      if (!key) throw refuse('ssh_key_id', texts.sshKeyMissing)
      const template = await templates.find(input.template_id)
      if (!template) throw refuse('template_id', texts.templateMissing)
      const member = await memberOf(projectId, template, input)
      const now = clock.now()
      const id = newId(now)
      // Copies of a snapshot run none.
      const ofTemplate = input.snapshot_id === null ? template.startScript : null
      const addScript = options.startScripts.forNewGroup(
        { id, imageId: member.imageId },
        input.start_script ?? ofTemplate,
      )
      await repo.insert(
        {
          id,
          project_id: projectId,
          kind,
          name: input.name,
          description: input.description,
          template_id: template.id,
          template_name: template.name,
          image_id: member.imageId,
          ssh_key_id: key.id,
          ssh_key_name: key.name,
          ssh_public_key: key.public_key,
          cpu: member.cpu,
          memory_mb: member.memoryMb,
          root_bytes: member.rootBytes,
          persistent: input.persistent ? 1 : 0,
          disks: JSON.stringify(member.disks),
          min_size: sizes.min,
          desired_size: sizes.desired,
          max_size: sizes.max,
          auto_scaling: sizes.autoScaling ? 1 : 0,
          status: 'coming',
          status_since: isoTime(now),
          status_message: null,
          failures: 0,
          failed_at: null,
          failed_why: null,
          revision: 1,
          roll_out: null,
          roll_out_why: null,
          sized_at: null,
          created_at: isoTime(now),
          copy_of: input.snapshot_id,
          bin_id: null,
        },
        event('created', `Created with a desired size of ${sizes.desired}`, 0, sizes.desired),
        groupWish(
          { id, kind, name: input.name, projectId },
          userId,
          'create',
          `Create ${titleOf({ kind, name: input.name })} with ${vmsOf(sizes.desired)}${member.of} requested`,
          now,
        ),
        async (tx) => {
          await member.requireSource(tx)
          await quotas.require(tx, projectId, takenByMembers(sizes.desired, member))
        },
        addScript,
      )
      const group = await own(projectId, id)
      // As it is before anything is done for it.
      const answer = await wire(group)
      kick(id)
      await announce(group)
      return answer
    },

    /** Stores other sizes; `next` sees the present ones and may throw to refuse. */
    async resize(user: User, projectId: string, groupId: string, next: (sizes: Sizes) => Sizes): Promise<W> {
      await own(projectId, groupId)
      const now = clock.now()
      const resized: Parameters<typeof repo.change>[2] = (current) => {
        const before = sizesOf(current)
        const after = next(before)
        const isOther = after.desired !== before.desired
        const said = changesBetween(before, after)
        const what = said
          ? `Update ${titleOf(current)} requested: ${said}`
          : `Retry ${titleOf(current)} requested`
        return {
          set: {
            min_size: after.min,
            desired_size: after.desired,
            max_size: after.max,
            auto_scaling: after.autoScaling ? 1 : 0,
            // Whoever changes something wants it to be tried again now.
            failures: 0,
            ...(isOther && { sized_at: isoTime(now) }),
            ...((isOther || current.status === 'error') && {
              status: 'coming' as const,
              status_since: isoTime(now),
              status_message: null,
            }),
          },
          events: said ? [event('resized', `By ${user.name}: ${said}`, before.desired, after.desired)] : [],
          entries: [groupWish(current, user.id, 'update', what, now)],
        }
      }
      const group = await repo.change(groupId, now, resized, (tx, current, desired, members) =>
        quotas.require(tx, projectId, takenByGrowing(current, desired, members)),
      )
      if (!group) throw new Problem(404, texts.notFound)
      kick(groupId)
      await announce(group)
      return wire(group)
    },

    /** Stores other settings, and the wish that the members are replaced one by one by such that have them. */
    rollOut: (user: User, projectId: string, groupId: string, wish: RollOutWish): Promise<W> =>
      rolling(projectId, groupId, (group) => rollOut.begin(user, group, wish)),

    continueRollOut: (user: User, projectId: string, groupId: string): Promise<W> =>
      rolling(projectId, groupId, (group) => rollOut.resume(user, group)),

    stopRollOut: (user: User, projectId: string, groupId: string): Promise<W> =>
      rolling(projectId, groupId, (group) => rollOut.stop(user, group)),

    /**
     * Gone for the user at once, with its members and their own disks: to the bin, unless it is deleted for good. The
     * reconcilers suspend or end the guests.
     */
    async delete(userId: string, projectId: string, groupId: string, forGood = false): Promise<void> {
      const group = await own(projectId, groupId)
      const what = `Delete ${titleOf(group)} and its VMs requested`
      const isKept = !forGood && binDays > 0
      const kept = isKept ? keptText(binDays) : null
      const told = groupWish(group, userId, 'delete', what, clock.now(), kept)
      const gone = isKept
        ? await binRepo.put(group, { deletedBy: userId, days: binDays }, told)
        : await repo.remove(groupId, told)
      if (gone === 'protected') throw new Problem(409, texts.hasProtected)
      if (gone === 'busy') throw new Problem(409, texts.inUse)
      if (gone === 'missing') throw new Problem(404, texts.notFound)
      changed(projectId, groupId)
      await vms.end(projectId, gone)
      if (!isKept) return
      binChanged(projectId, groupId)
      kickProject(projectId)
    },
  }
}

const event = (kind: NewEvent['kind'], message: string, from: number, to: number): NewEvent => ({
  kind,
  message,
  from_size: from,
  to_size: to,
})

const sizesOf = ({ minSize, maxSize, autoScaling, facts }: GroupRecord): Sizes => ({
  min: minSize,
  desired: facts.desired,
  max: maxSize,
  autoScaling,
})

/** Empty when nothing is other than before. */
function changesBetween(before: Sizes, after: Sizes): string {
  const said: string[] = []
  if (before.desired !== after.desired) said.push(`size ${before.desired} to ${after.desired}`)
  // A set has one size and no limits beside it.
  const limited = after.min !== after.max || before.min !== before.max
  if (limited && (before.min !== after.min || before.max !== after.max)) {
    said.push(`limits from ${before.min}–${before.max} to ${after.min}–${after.max}`)
  }
  if (before.autoScaling !== after.autoScaling) {
    said.push(`auto scaling turned ${after.autoScaling ? 'on' : 'off'}`)
  }
  return said.join(', ')
}
