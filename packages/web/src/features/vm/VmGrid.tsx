import type { Vm } from '@slipway/contract'
import { memo } from 'react'
import { CardGrid } from '../../ui/CardGrid.tsx'
import { VmCard, VmCardOutline } from './VmCard.tsx'

interface VmGridProps {
  vms: readonly Vm[]
  likelyHeight: () => number
}

/** VMs as cards, however many. */
export const VmGrid = memo(function VmGrid({ vms, likelyHeight }: VmGridProps) {
  return (
    <CardGrid
      label="Virtual machines"
      items={vms}
      likelyHeight={likelyHeight}
      card={(vm) => <VmCard vm={vm} />}
      outline={(vm, height) => <VmCardOutline vm={vm} height={height} />}
    />
  )
})
