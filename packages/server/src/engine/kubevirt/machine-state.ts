/** How a machine is, from what the cluster says of its objects. */
import type { Address, Held, MachineExit, MachineState } from '../engine.ts'
import { isOfQuota, oneLine, quotaUsedUp } from './failure.ts'
import type { Condition } from './kinds.ts'
import type { MirroredDataVolume, MirroredInstance, MirroredMachine } from './mirror.ts'
import { mark } from './names.ts'
import { lossOf, makingOf } from './volume-state.ts'

/** Of a machine that was started and has no instance yet: only an instance has a name of its own. */
export const pendingRun = 'pending'
/** Noted instead of the root disk's uid in the first start after a restore, which makes another object of it. */
export const restoredRoot = 'restored'

type Notes = Readonly<Record<string, string>>

export interface MachineSight {
  machine: Pick<MirroredMachine, 'status' | 'isGoing'>
  /** The annotations of the machine, with what is on its way there. */
  notes: Notes
  instance: Pick<MirroredInstance, 'uid' | 'status' | 'isGoing'> | null
  root: Pick<MirroredDataVolume, 'uid' | 'status'> | null
  /** What the cluster says of a root disk that does not get on. */
  rootWarning: string | null
}

const sshPort = 22
const removedByHand = 'The VM was stopped in the cluster, not by Slipway.'
const deletedByHand = 'The VM was deleted in the cluster, not by Slipway, and its root disk with it.'
const nodeAway =
  'The node on which the VM runs does not answer. An operator can bring it back, or remove it from the cluster so that the VM starts on another one.'

/** Pure: the same objects are always the same state. */
export function stateOf(sight: MachineSight): MachineState {
  const { machine, notes, instance, root } = sight
  if (notes[mark.whole] === undefined) return { power: 'absent' }
  if (instance && !isOver(instance)) return livingState(sight, instance)
  if (machine.isGoing) return { power: 'broken', reason: deletedByHand }
  if (isStarting(machine))
    return { power: 'booting', run: pendingRun, address: null, held: heldBefore(sight) }
  const lost = rootLoss(machine, notes, root)
  if (lost !== null) return { power: 'broken', reason: lost }
  if (instance) return { power: 'off', run: instance.uid, exit: exitOf(instance, notes) }
  const run = notes[mark.run] ?? null
  return { power: 'off', run, exit: run === null ? null : (notedExit(notes, run) ?? vanished(notes, run)) }
}

/** Whether the guest of an instance has ended for good. */
export const isOver = ({ status }: Pick<MirroredInstance, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** Whether KubeVirt was told to start it and has not done so yet. */
export const isStarting = ({ status }: Pick<MirroredMachine, 'status'>): boolean =>
  status?.stateChangeRequests?.some(({ action }) => action === 'Start') ?? false

function livingState(sight: MachineSight, instance: NonNullable<MachineSight['instance']>): MachineState {
  const { notes } = sight
  const run = instance.uid
  const address = guestAddress(instance)
  if (instance.status?.phase !== 'Running')
    return { power: 'booting', run, address, held: heldInstance(instance) ?? heldBefore(sight) }
  const ready = conditionOf(instance.status.conditions, 'Ready')
  if (ready?.status === 'False' && ready.reason === 'NodeNotReady')
    return { power: 'unreadable', reason: nodeAway }
  if (notes[mark.ready] === run && address !== null) return { power: 'ready', run, address }
  return { power: 'booting', run, address, held: null }
}

/** The address answers inside of the cluster only. */
export function guestAddress({ status }: Pick<MirroredInstance, 'status'>): Address | null {
  const ip = status?.interfaces?.find(({ ipAddress }) => ipAddress)?.ipAddress
  return ip === undefined ? null : { ip, port: sshPort }
}

/** What keeps an instance from running. */
function heldInstance({ status }: Pick<MirroredInstance, 'status'>): Held | null {
  const scheduled = conditionOf(status?.conditions, 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return { by: 'room', reason: said('No node of the cluster has room for the VM.', scheduled.message) }
  const sync = conditionOf(status?.conditions, 'Synchronized')
  if (sync?.status !== 'False') return null
  return { by: 'parts', reason: whyNotMade(sync) }
}

/** What keeps a machine from having an instance, or an instance from its root disk. */
function heldBefore({ machine, root, rootWarning }: MachineSight): Held | null {
  const failure = conditionOf(machine.status?.conditions, 'Failure')
  // A claim that goes while the VM starts is no start that takes long.
  const lost = lossOf(root?.status ?? null)
  if (failure?.status === 'True') return { by: 'parts', reason: lost ?? whyNotMade(failure) }
  const making = root === null ? null : makingOf(root.status)
  if (making?.is === 'whole' || root?.status?.phase === 'PendingPopulation') return null
  if (making?.is === 'failed') {
    if (making.because === 'too-small')
      return { by: 'parts', reason: 'The root disk could not be created. The image is larger than the disk.' }
    if (making.because === 'quota')
      return { by: 'parts', reason: `The root disk could not be created. ${making.why}` }
    const { why } = making
    return { by: 'parts', reason: said('The root disk could not be created.', why) }
  }
  const trouble = making?.trouble ?? rootWarning ?? ''
  if (isOfQuota(trouble)) return { by: 'parts', reason: `The root disk could not be created. ${quotaUsedUp}` }
  const percent = making?.progress == null ? '' : ` (${Math.floor(making.progress * 100)}%)`
  return {
    by: 'parts',
    reason: said(`The root disk is being created${percent}.`, trouble),
  }
}

function whyNotMade({ reason = '', message = '' }: Condition): string {
  if (isOfQuota(message)) return quotaUsedUp
  if (/insufficient permissions in clone source namespace/i.test(message))
    return 'The cluster does not allow the project to copy boot images. An operator can check the rights with npm run doctor.'
  if (/PodSecurity|privileged namespace/i.test(message))
    return 'The namespace of the project does not allow VMs. An operator has to set its pod security level to privileged.'
  if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff')
    return said('The cluster cannot download the container image that VMs run in.', message)
  if (reason === 'FailedPvcNotFound' || reason === 'ErrorPvcNotFound')
    return 'A disk of the VM is not there yet.'
  return said('The cluster cannot start the VM yet.', message)
}

/** Why the root disk is lost, while no guest lives; null where it is not. */
function rootLoss(
  { status }: MachineSight['machine'],
  notes: Notes,
  root: MachineSight['root'],
): string | null {
  const isChanging = status?.restoreInProgress !== undefined || notes[mark.restored] !== undefined
  if (root === null || isChanging) return null
  const lost = lossOf(root.status)
  if (lost !== null) return lost
  const used = notes[mark.usedRoot]
  if (notes[mark.forgetful] || used === undefined || used === restoredRoot || used === root.uid) return null
  return 'The root disk was deleted in the cluster, and what it held is lost.'
}

/** Why KubeVirt ends an instance whose node is no more, or has no room for it any more. */
const nodeReasons = ['NodeUnresponsive', 'NodeLost', 'Evicted', 'Preempting', 'Terminated', 'NodeShutdown']

/** How the run of an instance that is over, or is gone now, ended. */
export function exitOf(
  { uid, status, isGoing }: NonNullable<MachineSight['instance']>,
  notes: Notes,
): MachineExit {
  if (notes[mark.asked] === uid) return { how: 'asked' }
  const noted = notedExit(notes, uid)
  if (noted) return noted
  if (status?.phase === 'Failed') return failureOf(uid, status, notes)
  if (isGoing || status?.phase !== 'Succeeded') return { how: 'crashed', reason: removedByHand }
  return { how: 'clean' }
}

function failureOf(uid: string, status: NonNullable<MirroredInstance['status']>, notes: Notes): MachineExit {
  if (nodeReasons.includes(status.reason ?? '')) return { how: 'host-restart' }
  const sync = conditionOf(status.conditions, 'Synchronized')
  const ran = status.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') ?? true
  if (sync?.status === 'False')
    return {
      how: 'crashed',
      reason: said(ran ? 'The guest crashed.' : 'The guest could not be started.', sync.message),
    }
  if (!ran) return { how: 'crashed', reason: said('The guest could not be started.', status.reason) }
  // KubeVirt ends such an instance when its guest reboots, and tells it from a crash in no way.
  if (notes[mark.forgetful] && shortRuns({ uid, status }, notes) < mostShortRuns) return { how: 'reboot' }
  if (notes[mark.forgetful])
    return { how: 'crashed', reason: 'The guest ended five times in a row within two minutes of its start.' }
  return { how: 'crashed', reason: said('The guest crashed.', status.reason) }
}

const shortRunMs = 2 * 60_000
/** Nobody reboots a guest so often in a row as soon as it is up: it crashes. */
const mostShortRuns = 5

/** How many runs in a row have ended soon after they began, with the one of this instance. */
function shortRuns({ uid, status }: Pick<MirroredInstance, 'uid' | 'status'>, notes: Notes): number {
  const before = readNote(notes)
  if (before?.run === uid) return before.short ?? 0
  const at = (wanted: string) =>
    Date.parse(
      status?.phaseTransitionTimestamps?.find(({ phase }) => phase === wanted)?.phaseTransitionTimestamp ??
        '',
    )
  return at('Failed') - at('Running') < shortRunMs ? (before?.short ?? 0) + 1 : 0
}

function vanished(notes: Notes, run: string): MachineExit {
  return notes[mark.asked] === run ? { how: 'asked' } : { how: 'crashed', reason: removedByHand }
}

/** As it was noted when it was seen. */
function notedExit(notes: Notes, run: string): MachineExit | null {
  const noted = readNote(notes)
  return noted?.run === run ? noted.exit : null
}

interface EndNote {
  run: string
  exit: MachineExit
  /** How many runs in a row have ended soon after they began; none after another end. */
  short?: number
}

/** What is torn was never noted. */
function readNote(notes: Notes): EndNote | null {
  try {
    return JSON.parse(notes[mark.ended] ?? 'null')
  } catch {
    return null
  }
}

/** The note that {@link exitOf} is read from again when the instance is gone. */
export function noteOfExit(
  instance: Pick<MirroredInstance, 'uid' | 'status' | 'isGoing'>,
  notes: Notes,
): string {
  const exit = exitOf(instance, notes)
  const short = exit.how === 'reboot' ? shortRuns(instance, notes) : 0
  const note: EndNote = { run: instance.uid, exit, ...(short > 0 && { short }) }
  return JSON.stringify(note)
}

function said(sentence: string, message: string | undefined): string {
  const line = oneLine(message ?? '').replace(/\.$/, '')
  return line === '' ? sentence : `${sentence} The cluster says: ${line}.`
}

const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type)
