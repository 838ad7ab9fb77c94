import type { GroupHistory, VmSet } from '@slipway/contract'
import { useParams } from 'react-router'
import { StatusGlyph } from '../../ui/Status.tsx'
import { GroupCharts } from '../vm-group/GroupCharts.tsx'
import { type GroupParts, GroupView } from '../vm-group/GroupView.tsx'
import { ReplicaMarks } from './ReplicaMarks.tsx'
import { setKind } from './set-kind.ts'

export function Component() {
  const { vmsetId = '' } = useParams()
  return <GroupView kind={setKind} groupId={vmsetId} parts={parts} />
}

const parts: GroupParts<VmSet, GroupHistory> = {
  wantedOf: ({ replicas }) => replicas,
  underWayText: ({ replicas, vm_stats: { total_vms, running_vms } }) =>
    `${total_vms} of ${replicas} VMs exist, ${running_vms} run`,
  headline: ({ replicas }) => ({ value: replicas, noun: replicas === 1 ? 'replica' : 'replicas' }),
  drawing: (set) => <ReplicaMarks set={set} className="mx-4 my-auto mb-4" />,
  factColumns: 3,
  stats: ({ replicas, vm_stats: { total_vms, running_vms } }) => [
    { label: 'Total VMs', value: total_vms, note: `of ${replicas}` },
    { label: 'Running VMs', value: running_vms, glyph: <StatusGlyph word="running" /> },
  ],
  charts: (_, history) => <GroupCharts samples={history?.samples} className="mb-4" />,
}
