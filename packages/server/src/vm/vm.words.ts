/** The sentences a VM says about what it waits for and what went wrong, with the way out. */
import { formatMemory } from '@slipway/contract'
import type { EngineError, MachineState } from '../engine/engine.ts'
import type { Parts } from './vm.parts.ts'
import type { FaultReason } from './vm.plan.ts'
import type { VmRecord } from './vm.state.ts'

export const silentMessage =
  'The VM is running, but SSH does not respond on port 22. Check the console to see what the guest is doing.'

export const detachingMessage = 'Waiting for a disk that is being detached.'

export const unreadableMessage = (reason: string): string =>
  `The state of this VM cannot be read at the moment. The VM is left unchanged until it can be read again. ${reason}`

const tryAgain = (vm: VmRecord) =>
  vm.known.provisioned ? 'start it again' : 'delete this VM and create it again'

/** A sentence about the way out, if there is one: the group of a member tries again by itself. */
function wayOut(vm: VmRecord, first?: string): string {
  if (vm.member) return first ? `${first}.` : ''
  const again = tryAgain(vm)
  return first ? `${first}, then ${again}.` : `${again.charAt(0).toUpperCase()}${again.slice(1)}.`
}

const join = (...sentences: (string | null)[]) => sentences.filter(Boolean).join(' ')

/** Why a step failed that is tried again. */
export const retryMessage = (error: EngineError, retryInMs: number): string =>
  `${error.message} Trying again in ${Math.max(1, Math.round(retryInMs / 1000))} s.`

/** What happened, and the way out; `kept` is the name of a snapshot of what the VM was. */
export function withAdvice(vm: VmRecord, error: EngineError, kept?: string): string {
  return join(
    advice(vm, error),
    kept === undefined ? null : `What its disks were is in the snapshot ${kept}.`,
  )
}

function advice(vm: VmRecord, { code, message }: EngineError): string {
  if (code === 'no-space') return join(message, wayOut(vm, 'Free some space'))
  if (code === 'no-memory') return join(message, wayOut(vm, 'Stop another VM'))
  const doctor = code === 'launch-failed' || code === 'internal' || code === 'away'
  if (vm.member)
    return join(message, doctor ? 'If this continues, the operator can run npm run doctor.' : null)
  return doctor
    ? `${message} If this continues after you ${tryAgain(vm)}, the operator can run npm run doctor.`
    : `${message} To try again, ${tryAgain(vm)}.`
}

export function faultMessage(
  vm: VmRecord,
  reason: FaultReason,
  state: MachineState,
  parts: Parts | null,
): string {
  switch (reason) {
    case 'parts-unavailable':
      return parts?.state === 'unavailable'
        ? parts.why
        : 'The boot image or a disk of the VM is not available.'
    case 'parts-late':
      if (parts?.state === 'coming' && parts.step === 'disks')
        return join('The disks of the VM could not be created in time.', parts.message, wayOut(vm))
      return join(`The boot image of ${vm.templateName} was not ready in time.`, wayOut(vm))
    case 'room-late':
      if (state.power === 'booting' && state.held)
        return join('No place was found for the VM in time.', state.held.reason, wayOut(vm))
      return join(
        `The host had no ${formatMemory(vm.memoryMb)} of memory free in time.`,
        wayOut(vm, 'Stop another VM'),
      )
    case 'guest-late':
      return join(
        'The guest did not respond on port 22 in time, so the VM was stopped.',
        wayOut(vm),
        'If this happens again, the template may be damaged.',
      )
    case 'launch-late':
      return join('The VM did not start within 10 minutes.', vm.statusMessage, wayOut(vm))
    case 'guest-will-not-end':
      return 'The guest could not be stopped. The server keeps trying; the operator should check the host.'
    case 'guest-left-early':
      return join('The guest shut down before it was ready.', wayOut(vm))
    case 'crashed': {
      const reported = state.power === 'off' && state.exit?.how === 'crashed' ? state.exit.reason : null
      return join(reported ?? 'The guest stopped unexpectedly.', wayOut(vm))
    }
    case 'root-disk-lost':
      return state.power === 'broken'
        ? `${state.reason} Restore a snapshot of the VM, or delete the VM; its data disks are kept.`
        : 'The root disk of this VM no longer exists. Delete the VM; its data disks are kept.'
  }
}
