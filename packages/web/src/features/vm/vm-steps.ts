import { isTransitional, type Vm, type VmStepName, vmStepNames } from '@slipway/contract'
import type { Step } from '../../ui/StepList.tsx'

/** What each step is called while it is under way, and when it is done. */
const labels: Record<VmStepName, { now: string; done: string }> = {
  image: { now: 'Waiting for the boot image', done: 'Boot image ready' },
  disks: { now: 'Creating the data disks', done: 'Data disks created' },
  copy: { now: 'Copying the VM', done: 'VM copied' },
  turn: { now: 'Waiting for a start slot', done: 'Start slot available' },
  room: { now: 'Waiting for memory on the host', done: 'Memory available on the host' },
  root_disk: { now: 'Cloning root disk', done: 'Root disk cloned' },
  resume: { now: 'Resuming from the saved memory', done: 'Resumed from the saved memory' },
  warm: { now: 'Starting the guest warm', done: 'Guest started warm, without a boot' },
  boot: { now: 'Starting the guest', done: 'Guest started' },
  ready: { now: 'Waiting for SSH', done: 'SSH responded' },
}
const order = vmStepNames
/** Steps that most VMs do not have. */
const rare: readonly VmStepName[] = ['disks', 'copy', 'turn', 'resume', 'warm']

type Steps = Pick<Vm, 'status' | 'steps'>

const has = (vm: Steps, name: VmStepName) => vm.steps.some((step) => step.name === name)
const notResumed = 'Saved memory could not be used'

const isBroken = ({ status }: Steps) => status === 'failed' || status === 'error'

/** The steps of a start: those that happened, with their times, and those to come. */
export function stepsOf(vm: Steps): Step[] {
  const first = vm.steps[0]
  const last = vm.steps.at(-1)
  // A VM that starts again skips the first steps; one that was just requested has no step yet.
  const from = first ? order.indexOf(first.name) : vm.status === 'starting' ? order.indexOf('boot') : 0
  return order.slice(from).flatMap((name): Step[] => {
    const seen = vm.steps.find((step) => step.name === name)
    // What goes on from a memory boots only when it cannot.
    const isSpared = name === 'boot' && (has(vm, 'resume') || has(vm, 'warm'))
    const isPast = last !== undefined && order.indexOf(name) < order.indexOf(last.name)
    if (!seen)
      return isBroken(vm) || isSpared || isPast || rare.includes(name)
        ? []
        : [{ label: labels[name].now, state: 'todo' }]
    const failed = isBroken(vm) && seen === last && (seen.ended_at === null || vm.status === 'failed')
    const state = failed ? 'failed' : seen.ended_at ? 'done' : 'now'
    return [
      {
        label:
          name === 'resume' && has(vm, 'boot') ? notResumed : labels[name][state === 'done' ? 'done' : 'now'],
        state,
        startedAt: seen.started_at,
        endedAt: seen.ended_at ?? undefined,
      },
    ]
  })
}

/** What a transitional VM is doing, in a few words; null for a settled one. */
export function currentStep(vm: Steps & Pick<Vm, 'status_message'>): string | null {
  if (!isTransitional(vm)) return null
  if (vm.status === 'stopping') return vm.status_message ?? 'Waiting for the guest to power down'
  if (vm.status === 'suspending') return vm.status_message ?? 'Saving the memory'
  const now = vm.steps.findLast((step) => step.ended_at === null)
  return vm.status_message ?? (now ? labels[now.name].now : 'Queued')
}

/** The share of the start that is done, 0 to 1, counted in steps; undefined where that is unknown. */
export function progressOf(vm: Steps): number | undefined {
  if (vm.status === 'stopping' || vm.status === 'suspending' || vm.steps.length === 0) return undefined
  const steps = stepsOf(vm)
  const done = steps.filter(({ state }) => state === 'done').length
  const now = steps.some(({ state }) => state === 'now') ? 0.5 : 0
  return (done + now) / steps.length
}
