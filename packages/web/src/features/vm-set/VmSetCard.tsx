import type { VmSet } from '@slipway/contract'
import { memo } from 'react'
import { GroupCard } from '../vm-group/GroupCard.tsx'
import { ReplicaMarks } from './ReplicaMarks.tsx'
import { setKind } from './set-kind.ts'

/** Drawn again only when its own set changed. */
export const VmSetCard = memo(function VmSetCard({ set }: { set: VmSet }) {
  return (
    <GroupCard
      kind={setKind}
      group={set}
      size={
        <div className="border-t border-line px-4 py-3">
          <ReplicaMarks set={set} className="block" />
        </div>
      }
      facts={[
        { label: 'Replicas', value: set.replicas },
        { label: 'VMs', value: set.vm_stats.total_vms },
        { label: 'Running', value: set.vm_stats.running_vms },
      ]}
    />
  )
})
