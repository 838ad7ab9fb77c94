/** Makes VMs what their users want: looks at one, asks the plan, does the one step, stores what was seen. */
import { formatMemory, hostnameOf, type VmStepName } from '@slipway/contract'
import { change as becomes, entry, failure, type Told } from '../activity/entry.ts'
import { type Engine, EngineError, type ImageState, type MachineState } from '../engine/engine.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { startedAgain, vmSubject } from './vm.activity.ts'
import { type FaultReason, isAlive, plan, type Seen, type Step, type Surroundings } from './vm.plan.ts'
import type { VmRepo } from './vm.repo.ts'
import {
  changed,
  deadlineOf,
  endSteps,
  enterStep,
  msToDeadline,
  type VmChange,
  type VmRecord,
} from './vm.state.ts'

export interface VmReconcileOptions {
  repo: VmRepo
  engine: Engine
  announce: (vm: VmRecord) => Promise<void>
  clock: Clock
  log: Log
  /** How many guests may be on their way up at once. */
  startsAtOnce: number
  /** A snapshot could not be read: somebody should look at it. */
  suspectSnapshot: (snapshotId: string) => void
  /** Tells whoever watches that a restore left a snapshot behind. */
  announceSnapshot: (snapshotId: string) => Promise<void>
  /** Aborted when the server closes; what was begun is begun again by the next one. */
  signal: AbortSignal
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  /** OpenSSH public keys by which Slipway itself gets into every guest. */
  ownKeys: readonly string[]
}

/** Events wake the reconciler; these are for the event that got lost. */
const pollMs = { parts: 1_000, room: 2_000, guest: 5_000, 'power-off': 2_000 } as const

/** With the reconciler's back-off this is about half a minute. */
const triesToLaunch = 6

/** With many waiting, each asks so much more rarely: about 200 a second in all. */
const msPerWaiting = 5

const progressEveryMs = 1_000
const dayMs = 24 * 60 * 60_000

/** A step that waits before it is looked at again. */
const powerDownPollMs = 2_000

type ReadableState = Exclude<MachineState, { power: 'unreadable' }>

function toSeen(state: ReadableState): Seen {
  switch (state.power) {
    case 'absent':
    case 'broken':
      return { power: state.power, exit: null, run: null }
    case 'off':
      return { power: 'off', exit: state.exit?.how ?? null, run: state.run }
    default:
      return { power: state.power, exit: null, run: state.run }
  }
}

const addressOf = (state: ReadableState) =>
  state.power === 'booting' || state.power === 'ready' ? state.address : null

export function makeVmReconcile(options: VmReconcileOptions) {
  const { repo, engine, announce, clock, log, startsAtOnce } = options
  const { announceSnapshot, suspectSnapshot, signal, wake, ownKeys } = options

  const orphans = new Set<string>()

  /** Stores a change and tells whoever watches. Null when the VM is gone meanwhile. */
  async function store(
    vm: VmRecord,
    change: (current: VmRecord) => VmChange,
    beside?: Parameters<typeof repo.change>[2],
  ): Promise<VmRecord | null> {
    const next = await repo.change(vm.id, (current) => changed(current, change(current), clock.now()), beside)
    if (next) await announce(next)
    return next
  }

  async function look(id: string): Promise<Again> {
    const state = await engine.inspect(id)
    // Nothing can be said about it now: the next try may be able to read it.
    if (state.power === 'unreadable') throw new EngineError('internal', state.reason, { retryable: true })
    const found = await repo.find(id)
    if (!found) {
      // Told once: an operator decides about it, nobody deletes what may be somebody's data.
      if (state.power !== 'absent' && !orphans.has(id)) {
        orphans.add(id)
        log.warn({ machine: id }, 'the engine has a machine that no VM owns')
      }
      return 'when-kicked'
    }
    const vm = await storeSeen(found, state)
    if (!vm) return 'now'
    const parts = needsParts(vm, state) ? await partsOf(vm) : null
    const around: Surroundings = {
      parts: parts?.state ?? 'ready',
      room: false,
      deadline: deadlineOf(vm, clock.now()),
    }
    const seen = toSeen(state)
    // Room is asked last and with nobody else asking: two VMs must not be promised the same memory.
    if (plan(vm.wanted, vm.known, seen, { ...around, room: true }).do === 'admit')
      return admit(vm, seen, around)
    return act(vm, state, parts, plan(vm.wanted, vm.known, seen, around))
  }

  const tell = (told: Told | null) => ({
    tell: (vm: VmRecord) => (told ? [entry(clock.now(), vmSubject(vm), told)] : []),
  })

  const needsParts = (vm: VmRecord, state: ReadableState) =>
    state.power === 'absent' &&
    vm.wanted.power === 'on' &&
    !vm.wanted.deleted &&
    !vm.known.provisioned &&
    !vm.known.fault

  /** What a VM is made from: its boot image, and the disks that are made for it. */
  async function partsOf(vm: VmRecord): Promise<Parts> {
    const image = await engine.image(vm.imageId)
    if (image.state === 'unavailable') {
      return {
        state: 'unavailable',
        why: `The boot image of ${vm.templateName} is not available. ${image.reason}`.trim(),
      }
    }
    if (image.state === 'coming') return { state: 'coming', step: 'image', message: imageMessage(image) }
    const own = vm.member ? await repo.ownDisks(vm.id) : []
    const failed = own.find(({ status }) => status === 'failed')
    if (failed) {
      return {
        state: 'unavailable',
        why: `Its disk "${failed.name}" could not be made. ${failed.status_message ?? ''}`.trim(),
      }
    }
    const coming = own.find(({ status }) => status === 'creating')
    if (!coming) return { state: 'ready' }
    return { state: 'coming', step: 'disks', message: coming.status_message }
  }

  async function storeSeen(vm: VmRecord, state: ReadableState): Promise<VmRecord | null> {
    const address = addressOf(state)
    const same =
      vm.seenPower === state.power && vm.address?.ip === address?.ip && vm.address?.port === address?.port
    if (same) return vm
    const up = state.power === 'ready'
    const stored = await store(vm, (current) => ({
      seenPower: state.power,
      address,
      ...(up && { steps: endSteps(current.steps, clock.now()) }),
      ...(up && !current.known.fault && { statusMessage: null }),
    }))
    if (up) wakeWaiting()
    return stored
  }

  let admission: Promise<unknown> = Promise.resolve()
  /** VMs that wait for room or for their turn, in the order they came. */
  const waiting = new Set<string>()

  /** One is up or gone: the next ones may have their turn. */
  function wakeWaiting(): void {
    for (const id of [...waiting].slice(0, startsAtOnce)) {
      waiting.delete(id)
      wake(id)
    }
  }

  function admit(vm: VmRecord, seen: Seen, around: Surroundings): Promise<Again> {
    const mine = admission.then(async (): Promise<Again> => {
      const { room, step: waitsAt, why } = await roomFor(vm)
      const step = plan(vm.wanted, vm.known, seen, { ...around, room })
      if (step.do !== 'wait') {
        waiting.delete(vm.id)
        return act(vm, { power: 'absent' }, null, step)
      }
      waiting.add(vm.id)
      // Many that wait must not keep the server busy with asking.
      return waitAt(vm, waitsAt, why, Math.max(pollMs.room, waiting.size * msPerWaiting))
    })
    admission = mine.catch(() => undefined)
    return mine
  }

  async function roomFor(vm: VmRecord): Promise<{ room: boolean; step: 'turn' | 'room'; why: string }> {
    const { promisedMb, starting } = await repo.admittedBeside(vm.id)
    if (starting >= startsAtOnce) {
      const why = `Waiting for its turn: ${starting} VMs are starting on this host.`
      return { room: false, step: 'turn', why }
    }
    const free = Math.max(0, (await engine.freeMemoryMb()) - promisedMb)
    return {
      room: free >= vm.memoryMb,
      step: 'room',
      why: `Needs ${formatMemory(vm.memoryMb)} of memory, the host has ${formatMemory(Math.floor(free))} free. It starts when another VM stops.`,
    }
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
    return next ? { afterMs: Math.min(waitMs, msToDeadline(next, clock.now()) ?? waitMs) } : 'now'
  }

  async function act(vm: VmRecord, state: ReadableState, parts: Parts | null, step: Step): Promise<Again> {
    const judgedRun = toSeen(state).run
    const settle = async (
      change: (current: VmRecord) => VmChange,
      beside?: Parameters<typeof repo.change>[2],
    ): Promise<Again> => {
      await store(vm, change, beside)
      return 'now'
    }
    switch (step.do) {
      case 'rest':
        return 'when-kicked'
      case 'wait':
        if (parts?.state === 'coming') return waitAt(vm, parts.step, parts.message, pollMs.parts)
        return waitAt(vm, 'ready', null, pollMs[step.for])
      case 'admit':
        return settle(() => ({ known: { admitted: true }, statusMessage: null }))
      case 'create':
        return launch(vm, 'root_disk', async () => engine.createMachine(await specOf(vm)))
      case 'start':
        return launch(vm, 'boot', async () =>
          engine.startMachine(vm.id, { freshRoot: !vm.persistent, volumeIds: await repo.diskIds(vm.id) }),
        )
      case 'power-down':
        await engine.powerDown(vm.id)
        return { afterMs: Math.min(powerDownPollMs, msToDeadline(vm, clock.now()) ?? powerDownPollMs) }
      case 'power-off':
        await engine.powerOff(vm.id)
        return 'now'
      case 'delete':
        await engine.deleteMachine(vm.id)
        return 'now'
      case 'prepare-restore':
        return prepareRestore(vm)
      case 'switch-disks':
        return switchDisks(vm, judgedRun)
      case 'drop-restore':
        return dropRestore(vm, 'Its disks are gone from the host.')
      case 'forget':
        await repo.remove(vm.id, clock.now())
        waiting.delete(vm.id)
        wakeWaiting()
        return 'when-kicked'
      case 'up':
        return settle(() => ({ known: { admitted: true, provisioned: true } }))
      case 'down':
        wakeWaiting()
        return settle((current) => ({
          wanted: { force: false },
          known: {
            admitted: false,
            judgedRun,
            restarts: current.wanted.restarts,
            ...(!current.known.fault && state.power === 'off' && { provisioned: true }),
          },
          ...(!current.known.fault && { statusMessage: null }),
        }))
      case 'off-by-guest':
        return settle(() => ({ wanted: { power: 'off' }, known: { judgedRun }, statusMessage: null }), {
          because: 'The guest shut itself down.',
        })
      case 'restarted':
        return settle((current) => ({
          wanted: { force: false },
          known: { judgedRun, restarts: current.wanted.restarts },
          statusMessage: null,
          steps: [],
        }))
      case 'again':
        return settle(() => ({ known: { judgedRun }, steps: [] }), tell(startedAgain(vm, toSeen(state).exit)))
      case 'fault':
        return fault(vm, judgedRun, faultMessage(vm, step.reason, state, parts))
    }
  }

  /** A step of the way up; what cannot succeed by trying again is the VM's fault to show. */
  async function launch(vm: VmRecord, step: VmStepName, work: () => Promise<void>): Promise<Again> {
    const next = await store(vm, (current) => ({ steps: enterStep(current.steps, step, clock.now()) }))
    // The wish may have changed while this was stored: look again before touching the engine.
    if (!next || next.wanted.deleted || next.wanted.power === 'off') return 'now'
    try {
      await work()
    } catch (error) {
      if (!(error instanceof EngineError) || error.retryable) throw error
      log.warn({ vm: vm.id, err: error }, 'a VM could not be brought up')
      return fault(vm, null, withAdvice(vm, error))
    }
    return 'now'
  }

  async function fault(vm: VmRecord, judgedRun: string | null, message: string): Promise<Again> {
    if (vm.restore) await engine.dropRestore(vm.id)
    await store(vm, (current) => ({
      restore: null,
      known: {
        restorePrepared: false,
        fault: current.known.provisioned ? 'error' : 'failed',
        ...(judgedRun !== null && { judgedRun }),
      },
      statusMessage: message,
      steps: endSteps(current.steps, clock.now()),
    }))
    return 'now'
  }

  /** Copies what the snapshot holds; whatever goes wrong here, the VM is as it was. */
  async function prepareRestore(vm: VmRecord): Promise<Again> {
    const snapshot = await repo.snapshotOf(vm)
    if (!snapshot || !vm.restore) return dropRestore(vm, 'The snapshot is gone.')
    const attached = await repo.diskIds(vm.id)
    const volumeIds = attached.filter((id) => snapshot.disks.some(({ disk_id }) => disk_id === id))
    const tell = (text: string) => store(vm, () => ({ statusMessage: text }))
    const what = `Restoring from snapshot "${snapshot.name}"`
    let told = clock.now()
    await tell(`${what}.`)
    try {
      await engine.prepareRestore(
        vm.id,
        { snapshotId: vm.restore.snapshotId, volumeIds },
        {
          signal,
          onProgress(fraction) {
            if (fraction === null || clock.now() - told < progressEveryMs) return
            told = clock.now()
            void tell(`${what}: ${Math.floor(fraction * 100)} %.`)
          },
        },
      )
    } catch (error) {
      if (signal.aborted || !(error instanceof EngineError)) throw error
      log.warn({ vm: vm.id, err: error }, 'a restore could not be prepared')
      if (error.code === 'snapshot-missing') suspectSnapshot(vm.restore.snapshotId)
      return dropRestore(vm, error.message)
    }
    await store(vm, () => ({ known: { restorePrepared: true }, statusMessage: `${what}.` }))
    return 'now'
  }

  async function dropRestore(vm: VmRecord, why: string): Promise<Again> {
    await engine.dropRestore(vm.id)
    await store(
      vm,
      () => ({
        restore: null,
        known: { restorePrepared: false },
        statusMessage: `The VM could not be restored and is as it was. ${why}`,
      }),
      tell(failure('vm.notRestored', `VM ${vm.name} was not put back to a snapshot and is as it was`, why)),
    )
    return 'now'
  }

  /** Puts the copies in place; what they replace becomes a snapshot that is kept for a day. */
  async function switchDisks(vm: VmRecord, judgedRun: string | null): Promise<Again> {
    const { restore } = vm
    if (!restore) return 'now'
    const snapshot = await repo.snapshotOf(vm)
    const attached = await repo.diskIds(vm.id)
    const made = await engine.switchDisks(vm.id, restore.safetyId)
    const wasOff = !vm.known.admitted && vm.known.fault === null
    const now = clock.now()
    const safety = {
      id: restore.safetyId,
      project_id: vm.projectId,
      vm_id: vm.id,
      vm_name: vm.name,
      name: `Before restoring "${snapshot?.name ?? ''}"`.slice(0, 100),
      description: 'Made automatically. Restoring it undoes the restore.',
      status: 'ready',
      status_message: null,
      status_since: isoTime(now),
      snapshot_type: 'disk' as const,
      has_memory: 0 as const,
      // What ran, or crashed, was cut off.
      consistency: wasOff ? made.consistency : 'crash',
      disks: JSON.stringify(snapshot?.disks.filter(({ disk_id }) => attached.includes(disk_id)) ?? []),
      automatic: 1 as const,
      stored_bytes: made.storedBytes,
      retention_days: 1,
      expires_at: isoTime(now + dayMs),
      metadata: null,
      created_at: isoTime(now),
    }
    const restored = becomes('vm.restored', `VM ${vm.name} was put back to snapshot ${snapshot?.name ?? ''}`)
    const keptWhat = `Snapshot ${safety.name} of VM ${vm.name} is ready`
    const kept = becomes('vmSnapshot.ready', keptWhat, 'It holds what the restore replaced.')
    const ofSafety = {
      type: 'vm_snapshot',
      id: safety.id,
      name: safety.name,
      projectId: vm.projectId,
    } as const
    const next = await repo.change(
      vm.id,
      (current) =>
        changed(
          current,
          {
            restore: null,
            wanted: made.memory ? { power: 'on', force: false } : { force: false },
            known: {
              restorePrepared: false,
              fault: null,
              provisioned: true,
              restarts: current.wanted.restarts,
              ...(judgedRun !== null && { judgedRun }),
            },
            statusMessage: null,
            steps: [],
          },
          now,
        ),
      {
        ...tell(restored),
        alongside: vm.projectId === null ? undefined : repo.addSnapshot(safety, entry(now, ofSafety, kept)),
      },
    )
    if (next) await announce(next)
    await announceSnapshot(restore.safetyId)
    return 'now'
  }

  async function specOf(vm: VmRecord) {
    return {
      id: vm.id,
      hostname: hostnameOf(vm.name),
      cpu: vm.cpu,
      memoryMb: vm.memoryMb,
      imageId: vm.imageId,
      sshPublicKeys: [vm.sshPublicKey, ...ownKeys],
      volumeIds: await repo.diskIds(vm.id),
      persistent: vm.persistent,
    }
  }

  /** What needs a look: everything whose plan is not to rest, and machines without a VM. */
  async function scan(): Promise<string[]> {
    const [vms, machines] = await Promise.all([repo.all(), engine.list()])
    const ids: string[] = []
    for (const vm of vms) {
      const state = machines.get(vm.id) ?? { power: 'absent' as const }
      machines.delete(vm.id)
      const around: Surroundings = { parts: 'ready', room: true, deadline: deadlineOf(vm, clock.now()) }
      const seenBefore = vm.seenPower === state.power
      if (!seenBefore || plan(vm.wanted, vm.known, toSeen(state), around).do !== 'rest') ids.push(vm.id)
    }
    return [...ids, ...machines.keys()]
  }

  /** Shows on the VM why a step keeps failing and when it is tried again; gives up after enough tries. */
  async function showFailure(id: string, error: unknown, failures: number, retryInMs: number): Promise<void> {
    if (!(error instanceof EngineError)) return
    const vm = await repo.find(id)
    if (!vm || vm.wanted.deleted) return
    if (failures >= triesToLaunch && vm.wanted.power === 'on' && !isAlive({ power: vm.seenPower })) {
      await fault(vm, null, withAdvice(vm, error))
      return
    }
    const seconds = Math.max(1, Math.round(retryInMs / 1000))
    await store(vm, () => ({ statusMessage: `${error.message} Trying again in ${seconds} s.` }))
  }

  return { look, scan, showFailure }
}

type Parts =
  | { state: 'ready' }
  | { state: 'coming'; step: 'image' | 'disks'; message: string | null }
  | { state: 'unavailable'; why: string }

function imageMessage(image: Extract<ImageState, { state: 'coming' }>): string {
  return image.progress === null ? `${image.what}.` : `${image.what}: ${Math.floor(image.progress * 100)} %.`
}

const tryAgain = (vm: VmRecord) =>
  vm.known.provisioned ? 'start it again' : 'delete this VM and create it again'

/** A sentence about the way out, if there is one: the group of a member tries again by itself. */
function wayOut(vm: VmRecord, first?: string): string {
  if (vm.member) return first ? `${first}.` : ''
  const again = tryAgain(vm)
  return first ? `${first}, then ${again}.` : `${again.charAt(0).toUpperCase()}${again.slice(1)}.`
}

const join = (...sentences: (string | null)[]) => sentences.filter(Boolean).join(' ')

/** What happened, and the way out. */
function withAdvice(vm: VmRecord, { code, message }: EngineError): string {
  if (code === 'no-space') return join(message, wayOut(vm, 'Free some space'))
  if (code === 'no-memory') return join(message, wayOut(vm, 'Stop another VM'))
  const doctor = code === 'launch-failed' || code === 'internal'
  if (vm.member) return join(message, doctor ? 'If it stays so, the operator can ask npm run doctor.' : null)
  return doctor
    ? `${message} If it stays so when you ${tryAgain(vm)}, the operator can ask npm run doctor.`
    : `${message} To try once more, ${tryAgain(vm)}.`
}

function faultMessage(vm: VmRecord, reason: FaultReason, state: MachineState, parts: Parts | null): string {
  switch (reason) {
    case 'parts-unavailable':
      return parts?.state === 'unavailable' ? parts.why : 'What it is made from is not available.'
    case 'parts-late':
      if (parts?.state === 'coming' && parts.step === 'disks')
        return join('Its disks could not be made in time.', parts.message, wayOut(vm))
      return join(`The boot image of ${vm.templateName} was not ready in time.`, wayOut(vm))
    case 'room-late':
      return join(
        `The host had no ${formatMemory(vm.memoryMb)} of memory free in time.`,
        wayOut(vm, 'Stop another VM'),
      )
    case 'guest-late':
      return join(
        'The guest did not answer on port 22 in time and was ended.',
        wayOut(vm),
        'If it happens again, its template may be damaged.',
      )
    case 'launch-late':
      return join('The guest could not be launched in time.', vm.statusMessage, wayOut(vm))
    case 'guest-will-not-end':
      return 'The guest could not be ended. The server keeps trying; the operator should look at the host.'
    case 'guest-left-early':
      return join('The guest powered itself off before it was ready.', wayOut(vm))
    case 'crashed': {
      const told = state.power === 'off' && state.exit?.how === 'crashed' ? state.exit.reason : null
      return join(told ?? 'The guest ended unexpectedly.', wayOut(vm))
    }
    case 'root-disk-lost':
      return state.power === 'broken'
        ? state.reason
        : 'The root disk of this VM is gone. Delete the VM; its data disks are kept.'
  }
}
