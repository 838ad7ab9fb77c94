/** Makes groups what their users want: looks at one and its members, asks the plan, wishes for one change, looks again. */
import { memberName } from '@slipway/contract'
import { change as becomes, type Entry, type Told } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Again } from '../lib/reconciler.ts'
import { memberFailed, memberHealed, memberReplaced, titleOf } from './vm-group.activity.ts'
import { type Member, wasUp } from './vm-group.facts.ts'
import {
  failuresToError,
  type GroupState,
  type GroupStep,
  isRepeated,
  planGroup,
  stateOf,
} from './vm-group.plan.ts'
import type { VmGroupRepo } from './vm-group.repo.ts'
import type { GroupRecord, NewEvent } from './vm-group.state.ts'

/** What a group wishes of its members; the VM service grants it. */
export interface MemberWishes {
  /** False when that number is taken or the group is gone. Throws a `Problem` when the project takes no more VMs. */
  createMember: (
    wish: Omit<GroupRecord, 'id' | 'facts' | 'status' | 'name'> & {
      groupId: string
      groupName: string
      number: number
      name: string
      persistent: boolean
      revision: number
      isRetry: boolean
    },
  ) => Promise<boolean>
  retireMember: (vmId: string, told: Told) => Promise<void>
  keepMember: (vmId: string, told: Told) => Promise<void>
  healMember: (vmId: string, heals: number, told: Told) => Promise<void>
  removeMember: (projectId: string, vmId: string, told: Told | null) => Promise<void>
}

export interface VmGroupReconcileOptions {
  repo: VmGroupRepo
  vms: MemberWishes
  announce: (group: GroupRecord) => Promise<void>
  clock: Clock
  log: Log
  /** How many members of one group may be on their way up at once. */
  membersAtOnce: number
}

export function makeVmGroupReconcile(options: VmGroupReconcileOptions) {
  const { repo, vms, announce, clock, log, membersAtOnce } = options
  /** How a group and its members were last told to whoever watches. */
  const told = new Map<string, string>()

  async function look(id: string): Promise<Again> {
    const group = await repo.find(id)
    if (!group) {
      told.delete(id)
      return 'when-kicked'
    }
    // Its members are stopped, and the scan comes back to it when its owner keeps the account.
    if (await repo.isFrozen(group)) return 'when-kicked'
    const members = await repo.members(id)
    const step = planGroup(group.facts, members, membersAtOnce, clock.now())
    await show(group, members)
    if (step.do === 'rest') {
      return step.until === null ? 'when-kicked' : { afterMs: Math.max(1, step.until - clock.now()) }
    }
    await act(group, members.length, step)
    return 'now'
  }

  /** Stores what state the group is in, and tells whoever watches when anything they see is new. */
  async function show(group: GroupRecord, members: readonly Member[]): Promise<void> {
    const now = clock.now()
    const state = stateOf(group.facts, members, now)
    const stored =
      state.status === group.status && state.message === group.statusMessage
        ? group
        : await repo.change(group.id, now, (current) => ({ set: stateChange(current, state, now) }))
    // With times: a member can change and change back between two looks, and lists read in between are then out of date.
    const since = members.map(({ status, statusSince }) => [status, statusSince])
    const seen = JSON.stringify([state, group.facts.desired, since])
    if (!stored || told.get(group.id) === seen) return
    told.set(group.id, seen)
    await announce(stored)
  }

  async function act(
    group: GroupRecord,
    size: number,
    step: Exclude<GroupStep, { do: 'rest' }>,
  ): Promise<void> {
    const say = (kind: NewEvent['kind'], message: string, to = size) =>
      repo.change(group.id, clock.now(), () => ({
        events: [{ kind, message, from_size: size, to_size: to }],
      }))
    switch (step.do) {
      case 'add': {
        const name = memberName(group.name, step.number)
        const made = await create(group, step.number, name)
        if (typeof made === 'string') return fail(group, made, size)
        if (made && group.facts.failures === 0)
          await say('member_added', `"${name}" was added: ${size} to ${size + 1}`, size + 1)
        return
      }
      case 'remove': {
        const { member, because } = step
        log.info({ group: group.id, vm: member.id, because }, 'a member is removed')
        const why = member.statusMessage ?? 'No reason was given.'
        const isNews = because === 'broke' || (because === 'failed' && !isRepeated(group.facts, why))
        // A failure is counted before the member is deleted: counting it twice does no harm, missing it would.
        if (because === 'failed') await fail(group, why, size, memberFailed(group, member, why, clock.now()))
        else if (because === 'broke' && !wasUp(member)) await fail(group, why, size)
        // The entry about a failed member was stored with its failure, that about a retired one when it was retired.
        const entry = because === 'broke' ? memberReplaced(group, member) : null
        await vms.removeMember(group.projectId, member.id, entry)
        if (because === 'retired') await say('member_removed', `"${member.name}" was deleted`, size - 1)
        else if (isNews) await say('member_replaced', `"${member.name}" is being replaced. ${why}`)
        return
      }
      case 'heal':
        await vms.healMember(step.member.id, step.heals, memberHealed(group, step.member))
        await say(
          'member_restarted',
          `"${step.member.name}" is restarting with its disks. ${step.member.statusMessage ?? ''}`.trim(),
        )
        return
      case 'retire':
        await vms.retireMember(
          step.member.id,
          becomes(
            'vm.retired',
            `VM ${step.member.name} of ${titleOf(group)} is shutting down and will be deleted`,
          ),
        )
        return
      case 'keep':
        await vms.keepMember(
          step.member.id,
          becomes('vm.kept', `VM ${step.member.name} of ${titleOf(group)} is kept`),
        )
        return
      case 'pause':
        await repo.change(group.id, clock.now(), (current) =>
          // Somebody decided otherwise meanwhile.
          isSameRollOut(current, group)
            ? {
                set: { roll_out: 'paused', roll_out_why: step.why },
                events: [
                  {
                    kind: 'roll_out_paused',
                    message: `The roll-out was paused. ${step.why}`,
                    from_size: size,
                    to_size: size,
                  },
                ],
              }
            : null,
        )
        return
      case 'finish':
        await repo.change(group.id, clock.now(), (current) =>
          isSameRollOut(current, group)
            ? {
                set: { roll_out: null, roll_out_why: null },
                events: [
                  {
                    kind: 'rolled_out',
                    message: 'All VMs have the new settings',
                    from_size: size,
                    to_size: size,
                  },
                ],
              }
            : null,
        )
        return
      case 'recover':
        await repo.change(group.id, clock.now(), ({ facts }) => ({
          set: { failures: 0, failed_at: null, failed_why: null },
          events:
            facts.failures >= failuresToError
              ? [{ kind: 'recovered', message: 'VMs can be created again', from_size: size, to_size: size }]
              : [],
        }))
    }
  }

  /** Whether a member was made, or why there can be none. */
  async function create(group: GroupRecord, number: number, name: string): Promise<boolean | string> {
    const { id: groupId, facts, status: _, ...rest } = group
    try {
      return await vms.createMember({
        ...rest,
        groupId,
        groupName: group.name,
        number,
        name,
        persistent: facts.persistent,
        revision: facts.revision,
        isRetry: facts.failures > 0,
      })
    } catch (error) {
      if (error instanceof Problem) return `${error.message}.`
      throw error
    }
  }

  /** Counts a failure. `entry` is stored with it, unless the one before had the same reason. */
  async function fail(group: GroupRecord, why: string, size: number, entry?: Entry): Promise<void> {
    const now = clock.now()
    await repo.change(group.id, now, ({ facts }) => ({
      set: { failures: facts.failures + 1, failed_at: isoTime(now), failed_why: why },
      events:
        facts.failures + 1 === failuresToError
          ? [{ kind: 'failed', message: why, from_size: size, to_size: size }]
          : [],
      entries: entry && !isRepeated(facts, why) ? [entry] : [],
    }))
  }

  /** What needs a look: every group whose plan is not to rest, or whose state is not what is stored. */
  async function scan(): Promise<string[]> {
    const [groups, members] = await Promise.all([repo.all(), repo.allMembers()])
    const now = clock.now()
    return groups
      .filter((group) => {
        const own = members.get(group.id) ?? []
        const step = planGroup(group.facts, own, membersAtOnce, now)
        const state = stateOf(group.facts, own, now)
        return step.do !== 'rest' || step.until !== null || state.status !== group.status
      })
      .map(({ id }) => id)
  }

  return { look, scan }
}

const isSameRollOut = ({ facts: now }: GroupRecord, { facts: then }: GroupRecord): boolean =>
  now.rollOut === 'running' && now.revision === then.revision && now.failures === then.failures

const stateChange = (current: GroupRecord, { status, message }: GroupState, now: number) => ({
  status,
  status_message: message,
  ...(status !== current.status && { status_since: isoTime(now) }),
})
