/**
 * The life of a VM as a pure function: from what the user wants, what we know and what the engine shows, the one
 * next step. No clock, no I/O; `vm.reconcile.ts` looks, asks here, does the step and looks again. State machine
 * SM-3 of the catalogue; the convergence test walks every combination there is.
 */
import type { VmStatus } from '@slipway/contract'

/** What the user asked for. Only the service writes it, except that a clean power-off in the guest is a wish too. */
export interface Wanted {
  /** `suspended`: its guest stands still, in a file, until it is wanted on again. */
  power: 'on' | 'off' | 'suspended'
  /** Stop without asking the guest. */
  force: boolean
  /** Counts restarts; one is due while it is ahead of `Known.restarts`. */
  restarts: number
  /** Gone for its users. */
  deleted: boolean
  /**
   * It is in the bin: deleted, and kept whole on the engine, where it does not run. Only with `deleted`. A member that is
   * there with its group is wanted on until it is put to rest.
   */
  kept: boolean
  /** Put back to a snapshot. */
  restore: boolean
}

/** What has been settled so far. Only the reconciler writes it. */
export interface Known {
  /** Host memory is set aside for it, and it had a start slot. Given back whenever its guest has ended. */
  admitted: boolean
  /** Its creation is over: it has been up once, or the user cut its first start short. */
  provisioned: boolean
  restarts: number
  /** Last run whose end has been judged, so that each end counts once. */
  judgedRun: string | null
  /**
   * `failed`: creation never finished. `error`: it was good and broke. `lost`: its root disk is missing or damaged,
   * which ends by itself when the disk can be read again.
   */
  fault: 'failed' | 'error' | 'lost' | null
  /** The living guest has had all the time of a start and SSH does not answer in it: it counts as running. */
  silent: boolean
  /**
   * Complete copies of what is to be restored lie beside the disks they will replace. Without a restore: there may be some
   * that nobody needs any more.
   */
  restorePrepared: boolean
}

/** A guest that was launched: `held-by-room` and `held-by-parts` are booting ones that something keeps from running. */
export const alivePowers = ['held-by-room', 'held-by-parts', 'booting', 'ready'] as const

export const seenPowers = ['absent', 'broken', 'unreadable', 'off', 'suspended', ...alivePowers] as const

export interface Seen {
  /**
   * `unreadable`: it is there, and nothing else is known of it now. `suspended`: no guest lives, and the next start goes
   * on from the memory of the last one.
   */
  power: (typeof seenPowers)[number]
  /** How the last run ended; null when there was none or one is alive. */
  exit: 'asked' | 'clean' | 'reboot' | 'host-restart' | 'crashed' | null
  run: string | null
}

/** What the world around the VM allows now. */
export interface Surroundings {
  /** What it is made from: the boot image and disks of its own. */
  parts: 'ready' | 'coming' | 'unavailable'
  /** Whether the host can carry it and has a free place for one more start. */
  room: boolean
  /** Whether the deadline of the present status has passed, once or by a second span of the same length. */
  deadline: 'ahead' | 'passed' | 'long-passed'
}

export type FaultReason =
  | 'parts-unavailable'
  | 'parts-late'
  | 'room-late'
  | 'guest-late'
  | 'launch-late'
  | 'guest-will-not-end'
  | 'guest-left-early'
  | 'crashed'
  | 'root-disk-lost'

export type Step =
  | { do: 'create' | 'start' | 'power-down' | 'power-off' | 'delete' | 'prepare-restore' | 'switch-disks' }
  | { do: 'suspend' | 'discard-memory' }
  /** Only the database changes. */
  | { do: 'admit' | 'up' | 'silent' | 'down' | 'off-by-guest' | 'restarted' | 'again' | 'found' }
  /** It is to run on, or to be judged as what ran; it is off, as its memory is missing. */
  | { do: 'not-suspended' | 'memory-lost' }
  | { do: 'forget' | 'drop-restore' | 'clear-restore' }
  | { do: 'fault'; reason: FaultReason }
  | { do: 'wait'; for: 'parts' | 'room' | 'guest' | 'power-off' }
  | { do: 'rest' }

/** Whether a guest process lives. */
export const isAlive = (seen: Pick<Seen, 'power'>): boolean =>
  (alivePowers as readonly string[]).includes(seen.power)

/** Whether a guest was launched that something keeps from running. */
export const isHeld = (seen: Pick<Seen, 'power'>): boolean =>
  seen.power === 'held-by-room' || seen.power === 'held-by-parts'

/**
 * Whether the root disk of a VM whose plan is to rest can be made larger: it has one, with or without a guest. One whose
 * memory is kept waits until it runs, as that knows the disk as it is.
 */
export const canGrowRoot = (
  wanted: Pick<Wanted, 'deleted' | 'restore'>,
  { fault, provisioned }: Pick<Known, 'fault' | 'provisioned'>,
  seen: Pick<Seen, 'power'>,
): boolean =>
  !wanted.deleted &&
  !wanted.restore &&
  !fault &&
  provisioned &&
  (seen.power === 'off' || seen.power === 'booting' || seen.power === 'ready')

/** Whether nothing of it is to be left. */
export const isDoomed = ({ deleted, kept }: Pick<Wanted, 'deleted' | 'kept'>): boolean => deleted && !kept

export function plan(wanted: Wanted, known: Known, seen: Seen, around: Surroundings): Step {
  const step = planWithoutCopies(wanted, known, seen, around)
  // Copies that a restore left are in nobody's way, so they go last: removing them may fail again and again.
  const isAtRest = step.do === 'rest' && seen.power !== 'unreadable'
  return isAtRest && known.restorePrepared && !wanted.restore ? { do: 'clear-restore' } : step
}

function planWithoutCopies(wanted: Wanted, known: Known, seen: Seen, around: Surroundings): Step {
  const alive = isAlive(seen)
  const unjudged = !alive && seen.run !== null && seen.run !== known.judgedRun
  const restartDue = wanted.restarts > known.restarts

  if (isDoomed(wanted)) return seen.power === 'absent' ? { do: 'forget' } : { do: 'delete' }

  // Whatever is done to it now may be done to a guest that is well.
  if (seen.power === 'unreadable') return { do: 'rest' }

  // The old disks stay in use until complete copies of the others are there, and then change in one step.
  if (wanted.restore) {
    if (seen.power === 'absent') return { do: 'drop-restore' }
    if (!known.restorePrepared) return { do: 'prepare-restore' }
    return alive ? goDown(true, around) : { do: 'switch-disks' }
  }

  if (known.fault === 'lost' && (alive || seen.power === 'off' || seen.power === 'suspended'))
    return { do: 'found' }

  if (known.fault) {
    if (alive) return { do: 'power-off' }
    return unjudged || known.admitted || restartDue ? { do: 'down' } : { do: 'rest' }
  }

  // In the bin with its group, and not put to rest yet: what lives arrives somewhere, and nothing starts.
  if (wanted.kept && wanted.power === 'on' && !alive) return { do: 'rest' }

  if (wanted.power === 'off') {
    if (seen.power === 'suspended') return { do: 'discard-memory' }
    if (!alive) return unjudged || known.admitted || restartDue ? { do: 'down' } : { do: 'rest' }
    return goDown(wanted.force, around)
  }

  if (seen.power === 'broken') return { do: 'fault', reason: 'root-disk-lost' }

  if (wanted.power === 'suspended') {
    if (seen.power === 'suspended')
      return unjudged || known.admitted || restartDue ? { do: 'down' } : { do: 'rest' }
    if (alive) return { do: around.deadline === 'ahead' ? 'suspend' : 'not-suspended' }
    // Its guest ended before its memory was saved: what ended it is judged as if it had been left running.
    return { do: unjudged ? 'not-suspended' : 'memory-lost' }
  }

  if (restartDue && known.provisioned) return alive ? goDown(wanted.force, around) : { do: 'restarted' }

  if (seen.power === 'ready') {
    return known.provisioned && known.admitted && !known.silent ? { do: 'rest' } : { do: 'up' }
  }

  if (isHeld(seen)) {
    const byRoom = seen.power === 'held-by-room'
    if (around.deadline === 'ahead') return { do: 'wait', for: byRoom ? 'room' : 'guest' }
    return { do: 'fault', reason: byRoom ? 'room-late' : 'launch-late' }
  }

  if (seen.power === 'booting') {
    // A guest that was good once is not ended for being silent: somebody may have moved its SSH server.
    if (known.provisioned && known.admitted) {
      if (known.silent) return { do: 'rest' }
      return around.deadline === 'ahead' ? { do: 'wait', for: 'guest' } : { do: 'silent' }
    }
    // It lives, so it has its memory.
    if (known.provisioned) return { do: 'admit' }
    return around.deadline === 'ahead' ? { do: 'wait', for: 'guest' } : { do: 'fault', reason: 'guest-late' }
  }

  // A run that goes on later has not ended.
  if (unjudged && seen.power !== 'suspended') {
    if (seen.exit === 'crashed') return { do: 'fault', reason: 'crashed' }
    if (seen.exit !== 'clean') return { do: 'again' }
    return known.provisioned ? { do: 'off-by-guest' } : { do: 'fault', reason: 'guest-left-early' }
  }

  if (seen.power === 'absent') {
    if (known.provisioned) return { do: 'fault', reason: 'root-disk-lost' }
    if (around.parts === 'unavailable') return { do: 'fault', reason: 'parts-unavailable' }
    if (around.parts === 'coming') {
      return around.deadline === 'ahead'
        ? { do: 'wait', for: 'parts' }
        : { do: 'fault', reason: 'parts-late' }
    }
  }

  if (!known.admitted) {
    if (around.room) return { do: 'admit' }
    return around.deadline === 'ahead' ? { do: 'wait', for: 'room' } : { do: 'fault', reason: 'room-late' }
  }

  // Tries that keep failing end with the deadline, too.
  if (around.deadline !== 'ahead') return { do: 'fault', reason: 'launch-late' }
  return { do: seen.power === 'absent' ? 'create' : 'start' }
}

function goDown(force: boolean, around: Surroundings): Step {
  if (around.deadline === 'long-passed') return { do: 'fault', reason: 'guest-will-not-end' }
  return { do: force || around.deadline !== 'ahead' ? 'power-off' : 'power-down' }
}

/** The word on the wire: first match wins. */
export function statusOf(wanted: Wanted, known: Known, seen: Pick<Seen, 'power'>): VmStatus {
  const alive = isAlive(seen)
  if (seen.power === 'unreadable') return 'error'
  if (wanted.restore) return alive ? 'stopping' : wanted.power === 'on' ? 'starting' : 'pending'
  if (known.fault) return known.fault === 'failed' ? 'failed' : 'error'
  if (wanted.power === 'off') return alive || seen.power === 'suspended' ? 'stopping' : 'stopped'
  if (wanted.power === 'suspended') return seen.power === 'suspended' ? 'suspended' : 'suspending'
  if (alive && known.provisioned && wanted.restarts > known.restarts) return 'stopping'
  if (seen.power === 'held-by-room') return 'pending'
  if (known.provisioned)
    return seen.power === 'ready' || (seen.power === 'booting' && known.silent) ? 'running' : 'starting'
  if (!known.admitted) return 'pending'
  return seen.power === 'absent' ? 'creating' : 'provisioning'
}

/**
 * How long a transitional status may last, in milliseconds; null for settled ones. A guest that ignores the power
 * button for 30 s is cut off; one that survives even that is an error after 30 s more.
 */
export const deadlineMs: Record<VmStatus, number | null> = {
  pending: 60 * 60_000,
  creating: 10 * 60_000,
  provisioning: 10 * 60_000,
  starting: 10 * 60_000,
  // As long as a large memory takes on a slow disk; the guest runs meanwhile, and goes on after it.
  suspending: 15 * 60_000,
  stopping: 30_000,
  running: null,
  suspended: null,
  stopped: null,
  failed: null,
  error: null,
}
