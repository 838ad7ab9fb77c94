import { isTransitional, type Vm } from '@slipway/contract'
import { Sheet } from '../../ui/Sheet.tsx'
import { StepList } from '../../ui/StepList.tsx'
import { stepsOf } from './vm-steps.ts'

/** The steps of the last way up with the times the server saw. */
export function VmStart({ vm }: { vm: Vm }) {
  const coming = isTransitional(vm) && vm.status !== 'stopping' && vm.status !== 'suspending'
  const steps = coming || vm.steps.length > 0 ? stepsOf(vm) : []
  return (
    <Sheet title={coming ? 'Starting up' : 'Last start'}>
      {steps.length > 0 ? (
        <StepList steps={steps} className="px-4 py-2.5" />
      ) : (
        <p className="px-4 py-3 text-ink-2">The server keeps no times of the last start.</p>
      )}
    </Sheet>
  )
}
