/** Gives the members of a pool or set other settings, one by one; what it does is the plan's business. */
import { formatCpu, formatMemory, keptRootDiskTooSmall, rollOutTexts, wholeGi } from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import { groupWish, titleOf } from './vm-group.activity.ts'
import type { MemberCounts, VmGroupRepo } from './vm-group.repo.ts'
import type { GroupRecord } from './vm-group.state.ts'

export interface RollOutOptions {
  texts: { notFound: string; templateMissing: string; sshKeyMissing: string }
  repo: Pick<VmGroupRepo, 'change' | 'renew'>
  keys: Pick<SshKeyService, 'find'>
  templates: Pick<TemplateService, 'find' | 'rootBytesOf'>
  vms: Pick<VmService, 'rootOfNew'>
  quotas: Pick<QuotaService, 'require'>
  startScripts: Pick<StartScriptService, 'forRollOut'>
  clock: Clock
}

export interface RollOutWish {
  template_id?: string | undefined
  ssh_key_id?: string | undefined
  cpu?: number | undefined
  memory_mb?: number | undefined
  /** Undefined or null: it stays. */
  root_disk_gb?: number | null | undefined
  /** Undefined: it stays. Null: none. */
  start_script?: string | null | undefined
  delete_disks: boolean
}

/** What members are made of. */
export type MemberSettings = Pick<
  GroupRecord,
  | 'templateId'
  | 'templateName'
  | 'imageId'
  | 'sshKeyId'
  | 'sshKeyName'
  | 'sshPublicKey'
  | 'cpu'
  | 'memoryMb'
  | 'rootBytes'
>

export interface User {
  id: string
  name: string
}

export function makeRollOut(options: RollOutOptions) {
  const { texts, repo, keys, templates, vms, quotas, startScripts, clock } = options

  /** The settings that differ from those of the group, looked up for whoever asks. */
  async function asked(
    userId: string,
    group: GroupRecord,
    wish: RollOutWish,
  ): Promise<Partial<MemberSettings>> {
    const settings: { -readonly [K in keyof MemberSettings]?: MemberSettings[K] } = {}
    if (wish.template_id !== undefined) {
      const template = await templates.find(wish.template_id)
      if (!template) throw refuse('template_id', texts.templateMissing)
      settings.templateId = template.id
      settings.templateName = template.name
      settings.imageId = template.imageId
    }
    if (wish.ssh_key_id !== undefined) {
      const key = await keys.find(userId, wish.ssh_key_id)
      if (!key) throw refuse('ssh_key_id', texts.sshKeyMissing)
      settings.sshKeyId = key.id
      settings.sshKeyName = key.name
      settings.sshPublicKey = key.public_key
    }
    if (wish.cpu !== undefined) settings.cpu = wish.cpu
    if (wish.memory_mb !== undefined) settings.memoryMb = wish.memory_mb
    if (wish.root_disk_gb != null)
      settings.rootBytes = await vms.rootOfNew(settings.imageId ?? group.imageId, wish.root_disk_gb)
    else if (settings.imageId !== undefined) await requireRootFits(group.rootBytes, settings.imageId)
    return settings
  }

  /** Refuses another image for which the root disks are too small, which stay as they are. */
  async function requireRootFits(rootBytes: number | null, imageId: string): Promise<void> {
    if (rootBytes === null) return
    const least = wholeGi((await templates.rootBytesOf(imageId)) ?? 0)
    if (wholeGi(rootBytes) < least) throw refuse('root_disk_gb', keptRootDiskTooSmall(least))
  }

  /** What the members take beyond what they take now, once all have the new settings. */
  const growthOf = (before: GroupRecord, after: MemberSettings) => ({
    processors: Math.max(0, after.cpu - before.cpu) * before.facts.desired,
    memory_mb: Math.max(0, after.memoryMb - before.memoryMb) * before.facts.desired,
    disk_bytes: Math.max(0, (after.rootBytes ?? 0) - (before.rootBytes ?? 0)) * before.facts.desired,
  })

  async function changed(group: GroupRecord | null): Promise<GroupRecord> {
    if (!group) throw new Problem(404, texts.notFound)
    return group
  }

  return {
    /** Stores other settings and the wish that all members have them. */
    async begin(user: User, group: GroupRecord, wish: RollOutWish): Promise<GroupRecord> {
      const settings = await asked(user.id, group, wish)
      const now = clock.now()
      return changed(
        await repo.change(group.id, now, async (current, tx) => {
          if (current.copyOf !== null) throw new Problem(409, rollOutTexts.ofSnapshot)
          const after = { ...current, ...settings }
          const { id, imageId } = after
          const script = await startScripts.forRollOut(
            tx,
            { id, imageId, revision: current.facts.revision },
            wish.start_script,
          )
          const said = [...differences(current, after), ...(script.what === null ? [] : [script.what])]
          const isOther = said.length > 0 || after.imageId !== current.imageId
          const revision = current.facts.revision + (isOther ? 1 : 0)
          const what = said.join(', ') || (isOther ? 'the present image of its template' : 'go on')
          const size = current.facts.desired
          return {
            set: {
              template_id: after.templateId,
              template_name: after.templateName,
              image_id: after.imageId,
              ssh_key_id: after.sshKeyId,
              ssh_key_name: after.sshKeyName,
              ssh_public_key: after.sshPublicKey,
              cpu: after.cpu,
              memory_mb: after.memoryMb,
              root_bytes: after.rootBytes,
              revision,
              ...underWay(current, now),
            },
            events: [
              { kind: 'roll_out', message: `By ${user.name}: ${what}`, from_size: size, to_size: size },
            ],
            entries: [
              groupWish(
                current,
                user.id,
                'rollOut',
                `Roll out to ${titleOf(current)} requested: ${what}`,
                now,
              ),
            ],
            alongside: async (tx: Tx) => {
              const old = await repo.renew(tx, current.id, { ...after, revisions: script.alike }, revision)
              await script.store(revision)
              if (old === 0 && !isOther) throw new Problem(409, rollOutTexts.nothing)
              const holdsDisks = current.facts.persistent || current.disks.length > 0
              if (old > 0 && holdsDisks && !wish.delete_disks)
                throw refuse('delete_disks', rollOutTexts.deleteDisks)
              await quotas.require(tx, current.projectId, growthOf(current, after))
            },
          }
        }),
      )
    },

    /** Goes on with one that is paused. */
    async resume(user: User, group: GroupRecord): Promise<GroupRecord> {
      const now = clock.now()
      return changed(
        await repo.change(group.id, now, (current) => {
          if (current.facts.rollOut !== 'paused') throw new Problem(409, rollOutTexts.notPaused)
          const size = current.facts.desired
          return {
            set: underWay(current, now),
            events: [
              {
                kind: 'roll_out',
                message: `By ${user.name}: the roll-out continues`,
                from_size: size,
                to_size: size,
              },
            ],
            entries: [
              groupWish(
                current,
                user.id,
                'continueRollOut',
                `Continue the roll-out to ${titleOf(current)} requested`,
                now,
              ),
            ],
          }
        }),
      )
    },

    /** Leaves the members as they are; those that are missing are created with the new settings. */
    async stop(user: User, group: GroupRecord): Promise<GroupRecord> {
      const now = clock.now()
      return changed(
        await repo.change(group.id, now, (current) => {
          if (current.facts.rollOut === null) throw new Problem(409, rollOutTexts.noneRuns)
          const size = current.facts.desired
          return {
            set: { ...underWay(current, now), roll_out: null },
            events: [
              {
                kind: 'roll_out_stopped',
                message: `By ${user.name}: the roll-out was stopped`,
                from_size: size,
                to_size: size,
              },
            ],
            entries: [
              groupWish(
                current,
                user.id,
                'stopRollOut',
                `Stop the roll-out to ${titleOf(current)} requested`,
                now,
              ),
            ],
          }
        }),
      )
    },
  }
}

/** How a group is stored that is to try again now, its failures forgotten. */
const underWay = ({ status, facts }: GroupRecord, now: number) => ({
  roll_out: 'running' as const,
  roll_out_why: null,
  failures: 0,
  failed_at: null,
  failed_why: null,
  ...((status === 'error' || facts.rollOut === null) && {
    status: 'coming' as const,
    status_since: isoTime(now),
    status_message: null,
  }),
})

/** What is other than before, each in a few words. */
function differences(before: MemberSettings, after: MemberSettings): string[] {
  const said: string[] = []
  if (before.templateId !== after.templateId)
    said.push(`template ${before.templateName} to ${after.templateName}`)
  if (before.cpu !== after.cpu) said.push(`${formatCpu(before.cpu)} to ${formatCpu(after.cpu)}`)
  if (before.memoryMb !== after.memoryMb)
    said.push(`${formatMemory(before.memoryMb)} to ${formatMemory(after.memoryMb)}`)
  if (before.rootBytes !== after.rootBytes)
    said.push(`root disk ${rootText(before.rootBytes)} to ${rootText(after.rootBytes)}`)
  if (before.sshPublicKey !== after.sshPublicKey || before.sshKeyId !== after.sshKeyId)
    said.push(`SSH key ${before.sshKeyName} to ${after.sshKeyName}`)
  return said
}

const rootText = (rootBytes: number | null): string =>
  rootBytes === null ? 'of the template' : `${wholeGi(rootBytes)}Gi`

/** The part of a pool or set on the wire that tells of its settings and its roll-out. */
export const rolledOut = (
  { cpu, memoryMb, rootBytes }: Pick<GroupRecord, 'cpu' | 'memoryMb' | 'rootBytes'>,
  { revision, rollOut, rollOutWhy }: GroupRecord['facts'],
  { total, renewed }: MemberCounts,
) => ({
  cpu,
  memory_mb: memoryMb,
  root_disk_gb: rootBytes === null ? null : wholeGi(rootBytes),
  roll_out: {
    revision,
    state: rollOut ?? ('none' as const),
    message: rollOutWhy,
    renewed_vms: renewed,
    total_vms: total,
  },
})
