import type { Vm } from '@slipway/contract'
import { useVmUsagePoll } from '../../api/usage-now.ts'
import { VmDialogs } from '../vm/VmDialogs.tsx'
import { VmGrid } from '../vm/VmGrid.tsx'

interface MembersProps {
  vms: readonly Vm[]
  wanted: number
  /** What to say where there is none. */
  none: string
}

/** The VMs of a pool or set, to be used like any other VM. */
export function Members({ vms, wanted, none }: MembersProps) {
  useVmUsagePoll(vms.find(({ status }) => status === 'running')?.project_id)
  return (
    <section aria-labelledby="members" className="mb-6">
      <div className="mb-3 flex items-baseline justify-between gap-3">
        <h2 id="members" className="text-section">
          Virtual Machines
        </h2>
        <span className="text-ink-3">
          {vms.length} of {wanted}
        </span>
      </div>
      {vms.length > 0 ? (
        <VmGrid vms={vms} likelyHeight={likelyCardHeight} />
      ) : (
        <p className="text-ink-2">{none}</p>
      )}
      <VmDialogs vms={vms} />
    </section>
  )
}

const likelyCardHeight = () => 336
