/** What the activity log says of VMs. */
import { type EndpointId, formatCpu, formatMemory, wholeGi } from '@slipway/contract'
import {
  change,
  type Entry,
  entry,
  failure,
  repair,
  type Subject,
  type Told,
  wish,
} from '../activity/entry.ts'
import type { Seen } from './vm.plan.ts'
import { bootsInstead, type VmRecord } from './vm.state.ts'

type Named = Pick<VmRecord, 'id' | 'name' | 'projectId'>

export const vmSubject = ({ id, name, projectId }: Named): Subject => ({ type: 'vm', id, name, projectId })

/** A user requested an action on a VM: `Start`. */
export const asked =
  (userId: string, action: EndpointId, verb: string, details = '') =>
  (vm: VmRecord) =>
    wish(userId, action, `${verb} VM ${vm.name}${details} requested`)

/**
 * What is new when a VM has changed; nothing when its status has not, or is only a way to another. `because` says why
 * where its message does not.
 */
export function vmNews(before: VmRecord, after: VmRecord, because: string | null): Entry[] {
  const told = before.status === after.status || after.wanted.deleted ? null : newsOf(after, because)
  return told ? [entry(after.statusSince, vmSubject(after), told)] : []
}

function newsOf(
  { name, status, statusMessage, member, steps }: VmRecord,
  because: string | null,
): Told | null {
  switch (status) {
    case 'running':
      return change('vm.running', `VM ${name} ${hasResumed(steps) ? 'resumed' : 'started'}`, because)
    case 'suspended':
      return change('vm.suspended', `VM ${name} was suspended`, because)
    case 'stopped':
      return change('vm.stopped', `VM ${name} stopped`, because)
    case 'failed':
      // The group of a member records it, and only once while it fails again and again.
      return member ? null : failure('vm.failed', `VM ${name} could not be created`, statusMessage)
    case 'error':
      return failure('vm.error', `VM ${name} has an error`, statusMessage)
    default:
      return null
  }
}

/** Whether the last start went on from a saved memory, and did not have to boot after all. */
const hasResumed = (steps: VmRecord['steps']): boolean =>
  steps.some(({ name }) => name === 'resume') && !bootsInstead(steps)

/** It was to be suspended and runs on. */
export const notSuspended = ({ name }: VmRecord, why: string): Told =>
  failure('vm.notSuspended', `VM ${name} could not be suspended and is still running`, why)

/** What a user asked for can be changed, as far as the log tells of it. */
type Changeable = Pick<
  VmRecord,
  | 'name'
  | 'sshKeyId'
  | 'sshKeyName'
  | 'cpu'
  | 'memoryMb'
  | 'nextCpu'
  | 'nextMemoryMb'
  | 'nextRootBytes'
  | 'persistent'
  | 'note'
  | 'tags'
  | 'deleteProtection'
  | 'suspendAfterMin'
>

/** A user changed something of it: an entry for each thing that is not as it was. */
export function toldOfChanges(userId: string, before: Changeable, after: Changeable): Told[] {
  const { name, tags, persistent, deleteProtection, suspendAfterMin } = after
  const size = (vm: Changeable) =>
    `${formatCpu(vm.nextCpu ?? vm.cpu)} and ${formatMemory(vm.nextMemoryMb ?? vm.memoryMb)} of memory`
  const messages = [
    name !== before.name && `VM ${before.name} renamed to ${name}`,
    after.sshKeyId !== before.sshKeyId && `SSH key of VM ${name} changed to ${after.sshKeyName}`,
    size(after) !== size(before) && `VM ${name} is to have ${size(after)}`,
    after.nextRootBytes !== before.nextRootBytes &&
      (after.nextRootBytes === null
        ? `The root disk of VM ${name} is to stay as large as it is`
        : `Enlarge the root disk of VM ${name} to ${wholeGi(after.nextRootBytes)}Gi requested`),
    persistent !== before.persistent &&
      `Persistent storage of VM ${name} turned ${persistent ? 'on' : 'off'}`,
    after.note !== before.note && `Note of VM ${name} changed`,
    tags.join() !== before.tags.join() &&
      (tags.length === 0 ? `Tags of VM ${name} removed` : `Tags of VM ${name} changed to ${tags.join(', ')}`),
    deleteProtection !== before.deleteProtection &&
      (deleteProtection
        ? `VM ${name} is protected against deletion`
        : `VM ${name} is not protected against deletion any more`),
    suspendAfterMin !== before.suspendAfterMin &&
      (suspendAfterMin === null
        ? `VM ${name} is not suspended by itself any more`
        : `VM ${name} is to be suspended after ${minutesText(suspendAfterMin)} without use`),
  ]
  return messages.filter((message) => message !== false).map((message) => wish(userId, 'vm.update', message))
}

/** Its guest has more processors or memory now, and ran on meanwhile. */
export const sizeGrown = ({ name, cpu, memoryMb }: VmRecord): Told =>
  change('vm.sizeGrown', `VM ${name} has ${formatCpu(cpu)} and ${formatMemory(memoryMb)} of memory`)

/** Its root disk is larger now. */
export const rootGrown = ({ name }: VmRecord, sizeBytes: number, isUsed: boolean): Told =>
  change(
    'vm.rootGrown',
    `The root disk of VM ${name} has a size of ${wholeGi(sizeBytes)}Gi`,
    isUsed ? null : 'Its file system grows at the next boot.',
  )

/** Its root disk cannot become larger, so that the wish came to nothing. */
export const rootNotGrown = ({ name }: VmRecord, why: string): Told =>
  failure('vm.rootNotGrown', `The root disk of VM ${name} could not be enlarged`, why)

/** It is suspended by itself. */
export const unused = ({ name, suspendAfterMin }: VmRecord): Told =>
  change(
    'vm.unused',
    `VM ${name} was not used for ${minutesText(suspendAfterMin ?? 0)}`,
    'It is being suspended.',
  )

const minutesText = (minutes: number): string =>
  minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute')
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Nothing runs in a project whose owner is deleting their account. */
export const frozen = ({ name }: VmRecord): Told =>
  change('vm.frozen', `VM ${name} is being stopped`, 'The owner of the project is deleting their account.')

/** A connection to it started it. */
export const woken = ({ name }: VmRecord): Told =>
  change('vm.woken', `VM ${name} was started by a connection to it`, null)

/** Its guest boots although its memory was saved. */
export const notResumed = ({ name }: VmRecord, why: string): Told =>
  failure('vm.notResumed', `VM ${name} could not resume and boots instead`, why)

/** Why a VM whose guest is gone is started once more; null when whoever asked for it knows. */
export function startedAgain({ name }: VmRecord, exit: Seen['exit']): Told | null {
  if (exit === 'host-restart') {
    return repair('vm.startedAgain', `VM ${name} was started again`, 'The host was restarted.')
  }
  if (exit === 'reboot') {
    return change('vm.rebooted', `VM ${name} restarted from its image`, 'The guest rebooted.')
  }
  return null
}
