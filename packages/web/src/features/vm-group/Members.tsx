import type { Vm } from '@slipway/contract'
import { memo } from 'react'
import { useVmUsagePoll } from '../../api/usage.ts'
import { CardGrid } from '../../ui/CardGrid.tsx'
import { VmCard, VmCardOutline } from '../vm/VmCard.tsx'
import { VmDialogs } from '../vm/VmDialogs.tsx'

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
      {vms.length > 0 ? <Grid vms={vms} /> : <p className="text-ink-2">{none}</p>}
      <VmDialogs vms={vms} />
    </section>
  )
}

const likelyCardHeight = () => 336

const Grid = memo(function Grid({ vms }: { vms: readonly Vm[] }) {
  return (
    <CardGrid
      label="Virtual machines"
      items={vms}
      likelyHeight={likelyCardHeight}
      card={(vm) => <VmCard vm={vm} />}
      outline={(vm, height) => <VmCardOutline vm={vm} height={height} />}
    />
  )
})
