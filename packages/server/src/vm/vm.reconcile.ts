/** Makes VMs what their users want: looks at one, asks the plan, does the one step, stores what was seen. */
import { hostnameOf, type VmStepName } from '@slipway/contract'
import { entry } from '../activity/entry.ts'
import {
  type Engine,
  EngineError,
  type MachineLikeness,
  type MachineSpec,
  type MachineState,
} from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Jobs } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import { type Again, sooner } from '../lib/reconciler.ts'
import { startedAgain, vmSubject } from './vm.activity.ts'
import { makeAdmission } from './vm.admission.ts'
import { sizeArrived } from './vm.change.ts'
import { makeVmCopy } from './vm.copy.ts'
import { makeVmJobs } from './vm.jobs.ts'
import { makeVmKeys } from './vm.keys.ts'
import { lookAtParts, type Parts } from './vm.parts.ts'
import type { Patience } from './vm.patience.ts'
import {
  canGrowRoot,
  isAlive,
  isDoomed,
  isHeld,
  plan,
  type Seen,
  type Step,
  type Surroundings,
} from './vm.plan.ts'
import type { VmRepo } from './vm.repo.ts'
import { makeVmRestore } from './vm.restore.ts'
import { makeVmRoot } from './vm.root.ts'
import { addressOf, heldReason, howStarted, messageOfState, toSeen } from './vm.sight.ts'
import { makeVmSize } from './vm.size.ts'
import {
  bootsInstead,
  deadlineOf,
  endSteps,
  enterStep,
  msToDeadline,
  type PlannedVm,
  startedAs,
  type VmChange,
  type VmRecord,
} from './vm.state.ts'
import { type Beside, makeVmStore } from './vm.store.ts'
import { makeVmSuspend } from './vm.suspend.ts'
import { detachingMessage, faultMessage, retryMessage, silentMessage, withAdvice } from './vm.words.ts'

export interface VmReconcileOptions {
  repo: VmRepo
  engine: Engine
  jobs: Jobs
  announce: (vm: VmRecord) => Promise<void>
  clock: Clock
  /** Shared with the service, which tells people the deadlines that are kept here. */
  patience: Patience
  log: Log
  /** How many guests may be on their way up at once. */
  startsAtOnce: number
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  /** Looks at a snapshot soon. */
  wakeSnapshot: (snapshotId: string) => void
  /** Tells whoever watches that a restore left a snapshot behind. */
  announceSnapshot: (snapshotId: string) => Promise<void>
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  /** What a VM runs at its first boot. */
  startScriptOf: (vmId: string) => Promise<string | null>
  /** OpenSSH public keys by which Slipway itself gets into every guest. */
  ownKeys: readonly string[]
}

/** Events wake the reconciler; these are for the event that got lost. */
const pollMs = { parts: 1_000, guest: 5_000, 'power-off': 2_000 } as const
/** A step that waits before it is looked at again. */
const powerDownPollMs = 2_000
/** A guest, or a whole machine, that has been asked to go. */
const goingPollMs = 1_000
/** What cannot be read is tried again so often. */
const unreadablePollMs = 10_000
/** With the reconciler's back-off this is about half a minute. */
const triesToLaunch = 6

/** The step a VM waits in, what it says meanwhile, and when it is looked at again. */
function waitOf(
  what: 'parts' | 'room' | 'guest' | 'power-off',
  state: MachineState,
  vm: VmRecord,
): [VmStepName, string | null, number] {
  if (what === 'room') return ['room', heldReason(state), pollMs.guest]
  // Why it boots instead stays to be read until it is up.
  const message = heldReason(state) ?? (bootsInstead(vm.steps) ? vm.statusMessage : null)
  return ['ready', message, pollMs[what]]
}

/** Only a VM that has not been made yet needs what it is made from. */
const needsParts = (vm: VmRecord, state: MachineState) =>
  state.power === 'absent' &&
  vm.wanted.power === 'on' &&
  !vm.wanted.deleted &&
  !vm.known.provisioned &&
  !vm.known.fault

export function makeVmReconcile(options: VmReconcileOptions) {
  const { repo, engine, announce, clock, log, wake, ownKeys, patience } = options
  const jobs = makeVmJobs(options.jobs, repo)
  const { outcome: store, observed } = makeVmStore({ repo, announce, clock })
  const admission = makeAdmission({ repo, engine, clock, startsAtOnce: options.startsAtOnce, wake })
  const restore = makeVmRestore({
    repo,
    engine,
    jobs,
    store,
    observed,
    announceSnapshot: options.announceSnapshot,
    suspectSnapshot: options.suspectSnapshot,
    giveUp: (vm, error, kept) => fault(vm, null, withAdvice(vm, error, kept?.name), 'error', kept?.beside),
    wake,
    clock,
    log,
  })
  const keys = makeVmKeys({ engine, jobs, store, ownKeys, wake, clock, log })
  const root = makeVmRoot({ engine, jobs, store, observed, wake, clock, log })
  const size = makeVmSize({ engine, admission, jobs, store, observed, wake, clock, log })
  const suspend = makeVmSuspend({ engine, jobs, store, observed, wake, clock, log })
  const copy = makeVmCopy({ repo, engine, jobs, specOf, wake, log })
  const orphans = new Set<string>()
  /** What the looks under way, and those that failed last, found the VM to be. */
  const looksAt = new Map<string, VmRecord>()

  async function look(id: string): Promise<Again> {
    const again = await lookOnce(id)
    looksAt.delete(id)
    return again
  }

  async function lookOnce(id: string): Promise<Again> {
    const state = await engine.inspect(id)
    const found = await repo.find(id)
    if (!found) return noteOrphan(id, state)
    const vm = await storeSeen(found, state)
    if (!vm) return 'now'
    looksAt.set(id, vm)
    const doomed = isDoomed(vm.wanted)
    if (state.power === 'unreadable' && !doomed) return { afterMs: unreadablePollMs }
    if (mayChangeSize(vm, state) && sizeArrived(vm)) {
      await store(vm, (current) => sizeArrived(current) ?? {})
      return 'now'
    }
    // Copies for a restore that nobody wants any more end before anything else is done.
    if ((doomed || !vm.wanted.restore) && !(await restore.end(id))) return 'when-kicked'
    // So does the saving of memory that nobody wants any more; a guest that is ended by force ends it at once.
    const isForced = vm.wanted.force || doomed
    if ((doomed || vm.wanted.power !== 'suspended') && !suspend.end(id) && !isForced) return 'when-kicked'
    if (doomed && !copy.end(id)) return 'when-kicked'
    const parts = needsParts(vm, state) ? await partsOf(vm) : null
    const around: Surroundings = {
      parts: parts?.state ?? 'ready',
      room: false,
      deadline: deadlineOf(vm, patience.nowFor(vm)),
    }
    const seen = toSeen(state)
    // Room is asked last and with nobody else asking.
    if (plan(vm.wanted, vm.known, seen, { ...around, room: true }).do === 'admit')
      return admit(vm, seen, around)
    return act(vm, state, parts, plan(vm.wanted, vm.known, seen, around))
  }

  /** Not once it was promised memory; and a memory that its first start goes on from, as that of a copy, fits no other size. */
  const mayChangeSize = ({ copyOf, restore, known }: VmRecord, { power }: MachineState): boolean =>
    (power === 'off' || power === 'absent') &&
    !known.admitted &&
    restore === null &&
    (copyOf === null || known.provisioned)

  /** Whether a guest that lives does not have the SSH key of its VM yet. */
  const lacksKey = ({ sshKeyDue, wanted }: PlannedVm, seen: Seen): boolean =>
    sshKeyDue !== null && isAlive(seen) && !wanted.deleted

  /** Whether its guest may be given more processors and memory now, where it lacks any. */
  const isToGrow = ({ wanted }: PlannedVm, seen: Seen): boolean => seen.power === 'ready' && !wanted.deleted

  const partsOf = (vm: VmRecord): Promise<Parts> =>
    vm.copyOf === null ? lookAtParts(vm, { engine, repo }) : copy.look(vm)

  /** What its first start goes on from, where it is a copy of one that ran. */
  const isResumed = async (vm: VmRecord, seen: Seen): Promise<boolean> =>
    seen.power === 'suspended' ||
    (vm.copyOf !== null && seen.run === null && (await repo.sourceOf(vm))?.has_memory === 1)

  /** An operator decides about a machine without a VM; nobody deletes what may be somebody's data. */
  function noteOrphan(id: string, { power }: MachineState): Again {
    if (power !== 'absent' && !orphans.has(id)) {
      orphans.add(id)
      log.warn({ machine: id }, 'the engine has a machine that no VM owns')
    }
    return 'when-kicked'
  }

  async function storeSeen(vm: VmRecord, state: MachineState): Promise<VmRecord | null> {
    const address = addressOf(state)
    const seen = toSeen(state)
    const message = messageOfState(vm, state)
    const how = howStarted(state)
    const same =
      vm.seenPower === seen.power &&
      vm.address?.ip === address?.ip &&
      vm.address?.port === address?.port &&
      (message === null || vm.statusMessage === message) &&
      (how === null || startedAs(vm.steps, how) === vm.steps)
    if (same) return vm
    const up = state.power === 'ready'
    const wasTold = (current: VmRecord) =>
      current.seenPower === 'unreadable' || isHeld({ power: current.seenPower })
    const stepsNow = (steps: VmRecord['steps']) => {
      const told = how === null ? steps : startedAs(steps, how)
      return up ? endSteps(told, clock.now()) : told
    }
    const stored = await observed(vm, (current) => ({
      seenPower: seen.power,
      address,
      // What does not run cannot be silent.
      ...(isHeld(seen) && { known: { silent: false } }),
      steps: stepsNow(current.steps),
      ...((up || wasTold(current)) && !current.known.fault && { statusMessage: null }),
      ...(message !== null && { statusMessage: message }),
    }))
    if (up) admission.wakeWaiting()
    return stored
  }

  function admit(vm: VmRecord, seen: Seen, around: Surroundings): Promise<Again> {
    return admission.admit(vm, async function actOnRoom({ room, step: waitsAt, why, askAgainMs }) {
      const step = plan(vm.wanted, vm.known, seen, { ...around, room })
      if (step.do === 'wait') return waitAt(vm, waitsAt, why, askAgainMs)
      return act(vm, { power: 'absent' }, null, step)
    })
  }

  async function waitAt(
    vm: VmRecord,
    step: VmStepName,
    message: string | null,
    waitMs: number,
  ): Promise<Again> {
    const steps = enterStep(vm.steps, step, clock.now())
    const next =
      steps === vm.steps && message === vm.statusMessage
        ? vm
        : await store(vm, (current) => ({
            statusMessage: message,
            steps: enterStep(current.steps, step, clock.now()),
          }))
    return next ? { afterMs: Math.min(waitMs, msToDeadline(next, patience.nowFor(next)) ?? waitMs) } : 'now'
  }

  async function act(vm: VmRecord, state: MachineState, parts: Parts | null, step: Step): Promise<Again> {
    const seen = toSeen(state)
    const judgedRun = seen.run
    async function settle(change: (current: VmRecord) => VmChange, beside?: Beside): Promise<Again> {
      await store(vm, change, beside)
      return 'now'
    }
    switch (step.do) {
      case 'rest':
        if (canGrowRoot(vm.wanted, vm.known, seen) && root.isDue(vm)) return root.grow(vm)
        return sooner(
          lacksKey(vm, seen) ? await keys.give(vm, seen.run) : 'when-kicked',
          isToGrow(vm, seen) && size.isDue(vm) ? await size.give(vm, seen.run) : 'when-kicked',
        )
      case 'wait':
        if (parts?.state === 'coming') return waitAt(vm, parts.step, parts.message, pollMs.parts)
        return waitAt(vm, ...waitOf(step.for, state, vm))
      case 'admit':
        return settle(() => ({ known: { admitted: true }, statusMessage: null }))
      case 'create': {
        const { projectId } = vm
        // Without a project there is only the wish to delete it.
        if (projectId === null) return 'now'
        return launch(vm, 'root_disk', async () => engine.createMachine(await specOf(vm, projectId)))
      }
      case 'start':
        // Whether it starts with a disk is known once that is off the VM, or was not let go.
        if ((await repo.underWay(vm.id)).has('detach'))
          return waitAt(vm, 'disks', detachingMessage, pollMs.parts)
        return launch(vm, (await isResumed(vm, seen)) ? 'resume' : 'boot', async () => {
          const options = {
            freshRoot: !vm.persistent,
            volumeIds: await repo.diskIds(vm.id),
            like: await likenessOf(vm),
          }
          const why = await engine.startMachine(vm.id, options)
          if (why) await suspend.booted(vm, why)
        })
      case 'suspend':
        return suspend.begin(vm)
      case 'power-down':
        await engine.powerDown(vm.id)
        return {
          afterMs: Math.min(powerDownPollMs, msToDeadline(vm, patience.nowFor(vm)) ?? powerDownPollMs),
        }
      case 'power-off':
        await engine.powerOff(vm.id)
        return onceGone(vm.id, (state) => !isAlive(toSeen(state)))
      case 'discard-memory':
        await engine.powerOff(vm.id)
        return 'now'
      case 'not-suspended':
        return suspend.giveUp(vm, isAlive(seen) ? 'Its memory could not be saved in time.' : null)
      case 'memory-lost':
        return settle(() => ({ wanted: { power: 'off' }, statusMessage: null }), {
          because: 'Its saved memory is missing.',
        })
      case 'delete':
        await engine.deleteMachine(vm.id)
        return onceGone(vm.id, ({ power }) => power === 'absent')
      case 'prepare-restore':
        return restore.prepare(vm)
      case 'switch-disks':
        return restore.switchDisks(vm, judgedRun)
      case 'drop-restore':
        return restore.drop(vm, 'The disks of the VM no longer exist on the host.')
      case 'clear-restore':
        await engine.dropRestore(vm.id)
        return settle(() => ({ known: { restorePrepared: false } }))
      case 'forget':
        // A machine that was begun and never finished is absent, too; without a VM nobody would ever clear it up.
        await engine.deleteMachine(vm.id)
        // What its disks were before an exchange, which deleting the machine has finished: it was never handed to anybody.
        if (vm.restore && vm.known.restorePrepared) await engine.deleteMachineSnapshot(vm.restore.safetyId)
        await repo.remove(vm.id, clock.now())
        admission.leave(vm.id)
        patience.forget(vm.id)
        keys.forget(vm.id)
        root.forget(vm.id)
        size.forget(vm.id)
        admission.wakeWaiting()
        return 'when-kicked'
      case 'up':
        await settle((current) => ({
          known: { admitted: true, provisioned: true, silent: false },
          ...(current.known.silent && { statusMessage: null }),
        }))
        letSourceGo(vm)
        return 'now'
      case 'silent':
        admission.wakeWaiting()
        return settle((current) => ({
          known: { silent: true },
          statusMessage: silentMessage,
          steps: endSteps(current.steps, clock.now()),
        }))
      case 'found':
        return settle(() => ({ known: { fault: null }, statusMessage: null }))
      case 'down':
        admission.leave(vm.id)
        admission.wakeWaiting()
        return settle((current) => ({
          wanted: { force: false },
          known: {
            admitted: false,
            silent: false,
            judgedRun,
            restarts: current.wanted.restarts,
            ...(!current.known.fault && state.power === 'off' && { provisioned: true }),
          },
          ...(!current.known.fault && { statusMessage: null }),
        }))
      case 'off-by-guest':
        return settle(
          () => ({ wanted: { power: 'off' }, known: { judgedRun, silent: false }, statusMessage: null }),
          { because: 'The guest shut itself down.' },
        )
      case 'restarted':
        return settle((current) => ({
          wanted: { force: false },
          known: { admitted: false, silent: false, judgedRun, restarts: current.wanted.restarts },
          statusMessage: null,
          steps: [],
        }))
      case 'again': {
        const again = startedAgain(vm, seen.exit)
        return settle(() => ({ known: { admitted: false, silent: false, judgedRun }, steps: [] }), {
          tell: (current) => (again ? [entry(clock.now(), vmSubject(current), again)] : []),
        })
      }
      case 'fault':
        return fault(
          vm,
          judgedRun,
          faultMessage(vm, step.reason, state, parts),
          step.reason === 'root-disk-lost' ? 'lost' : 'error',
        )
    }
  }

  /** What was asked to go may take its time: events tell when it has gone, unless they are lost. */
  async function onceGone(id: string, isGone: (state: MachineState) => boolean): Promise<Again> {
    return isGone(await engine.inspect(id)) ? 'now' : { afterMs: goingPollMs }
  }

  /** A step of the way up; what cannot succeed by trying again is the VM's fault to show. */
  async function launch(vm: VmRecord, step: VmStepName, work: () => Promise<void>): Promise<Again> {
    const next = await store(vm, (current) => ({ steps: enterStep(current.steps, step, clock.now()) }))
    // The wish may have changed while this was stored: look again before touching the engine.
    if (!next || next.wanted.deleted || next.wanted.power !== 'on') return 'now'
    try {
      await work()
    } catch (error) {
      // What is not there any more is judged by the next look.
      if (!(error instanceof EngineError) || error.retryable || error.code === 'machine-missing') throw error
      // Ended by its own user while it came up: that is no fault of it.
      const now = await repo.find(vm.id)
      if (!now || now.wanted.deleted || now.wanted.power !== 'on') return 'now'
      log.warn({ vm: vm.id, err: error }, 'a VM could not be brought up')
      return fault(vm, null, withAdvice(vm, error))
    }
    return 'now'
  }

  async function fault(
    vm: VmRecord,
    judgedRun: string | null,
    message: string,
    broken: 'error' | 'lost' = 'error',
    beside?: Beside,
  ): Promise<Again> {
    const faulty = (current: VmRecord): VmChange => ({
      restore: null,
      known: {
        silent: false,
        restorePrepared: current.known.restorePrepared || vm.restore !== null,
        fault: current.known.provisioned ? broken : 'failed',
        ...(judgedRun !== null && { judgedRun }),
      },
      statusMessage: message,
      steps: endSteps(current.steps, clock.now()),
    })
    await store(vm, faulty, beside)
    letSourceGo(vm)
    return 'now'
  }

  /** The snapshot of a fork ends when no copy needs it any more. */
  function letSourceGo({ copyOf, known }: VmRecord): void {
    if (copyOf !== null && !known.provisioned) options.wakeSnapshot(copyOf)
  }

  async function likenessOf(vm: VmRecord): Promise<MachineLikeness> {
    const startScript = await options.startScriptOf(vm.id)
    const rootBytes = Math.max(vm.rootBytes ?? 0, vm.nextRootBytes ?? 0)
    return {
      hostname: hostnameOf(vm.name),
      cpu: vm.cpu,
      memoryMb: vm.memoryMb,
      ...(rootBytes > 0 && { rootBytes }),
      persistent: vm.persistent,
      ...keys.keysOf(vm),
      ...(startScript !== null && { startScript }),
    }
  }

  async function specOf(vm: VmRecord, projectId: string): Promise<MachineSpec> {
    return {
      id: vm.id,
      projectId,
      ...(await likenessOf(vm)),
      imageId: vm.imageId,
      volumeIds: await repo.diskIds(vm.id),
    }
  }

  /** What needs a look: everything whose plan is not to rest, and machines without a VM. */
  async function scan(): Promise<string[]> {
    const [vms, machines] = await Promise.all([repo.allPlanned(), engine.list()])
    const ids: string[] = []
    for (const vm of vms) {
      const state = machines.get(vm.id) ?? { power: 'absent' as const }
      machines.delete(vm.id)
      const around: Surroundings = {
        parts: 'ready',
        room: true,
        deadline: deadlineOf(vm, patience.nowFor(vm)),
      }
      const seen = toSeen(state)
      const rests = plan(vm.wanted, vm.known, seen, around).do === 'rest'
      const growsRoot = vm.nextRootBytes !== null && canGrowRoot(vm.wanted, vm.known, seen)
      const getsSize = vm.sizeDue === 'soon' && isToGrow(vm, seen)
      const getsKey = vm.sshKeyDue === 'soon' && lacksKey(vm, seen)
      if (vm.seenPower !== seen.power || !rests || growsRoot || getsKey || getsSize) ids.push(vm.id)
    }
    return [...ids, ...machines.keys()]
  }

  /** Shows on the VM why a step keeps failing and when it is tried again; gives up after enough tries. */
  async function showFailure(id: string, error: unknown, failures: number, retryInMs: number): Promise<void> {
    if (!(error instanceof EngineError)) return
    const vm = looksAt.get(id) ?? (await repo.find(id))
    looksAt.delete(id)
    if (!vm || vm.wanted.deleted) return
    // What does not answer says nothing of the VM; the deadline of its status ends that.
    const isSpent = failures >= triesToLaunch && error.code !== 'away'
    if (isSpent && vm.wanted.power === 'on' && !isAlive({ power: vm.seenPower })) {
      await fault(vm, null, withAdvice(vm, error))
      return
    }
    await store(vm, () => ({ statusMessage: retryMessage(error, retryInMs) }))
  }

  return { look, scan, showFailure }
}
