/** What the engine shows of a machine, in the words of the plan and of the VM. */
import type { MachineState } from '../engine/engine.ts'
import type { Seen } from './vm.plan.ts'
import type { VmRecord } from './vm.state.ts'
import { unreadableMessage } from './vm.words.ts'

/** What the plan needs of it. */
export function toSeen(state: MachineState): Seen {
  switch (state.power) {
    case 'absent':
    case 'broken':
    case 'unreadable':
      return { power: state.power, exit: null, run: null }
    case 'off':
      return { power: 'off', exit: state.exit?.how ?? null, run: state.run }
    case 'suspended':
      return { power: 'suspended', exit: 'asked', run: state.run }
    case 'booting':
      return { power: state.held ? `held-by-${state.held.by}` : 'booting', exit: null, run: state.run }
    case 'ready':
      return { power: 'ready', exit: null, run: state.run }
  }
}

/** What keeps a launched guest from running, as a sentence. */
export const heldReason = (state: MachineState): string | null =>
  state.power === 'booting' && state.held ? state.held.reason : null

/** Where SSH answers, or will answer. */
export const addressOf = (state: MachineState) =>
  state.power === 'booting' || state.power === 'ready' ? state.address : null

/** Whether a living guest booted or started warm. */
export const howStarted = (state: MachineState): 'warm' | 'boot' | null =>
  state.power === 'booting' || state.power === 'ready' ? (state.warm ? 'warm' : 'boot') : null

/** What the sight of a machine says by itself, if it says anything. */
export function messageOfState(vm: VmRecord, state: MachineState): string | null {
  // The reason of a fault stays: nobody would know it again when the files can be read.
  if (vm.known.fault) return null
  if (state.power === 'unreadable') return unreadableMessage(state.reason)
  return vm.restore ? null : heldReason(state)
}
