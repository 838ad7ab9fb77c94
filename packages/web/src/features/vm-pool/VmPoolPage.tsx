import { poolUtilization, type VmPool } from '@slipway/contract'
import { useParams } from 'react-router'
import { StatusGlyph } from '../../ui/Status.tsx'
import { type GroupParts, GroupView } from '../vm-group/GroupView.tsx'
import { Autoscaler } from './Autoscaler.tsx'
import { PoolCharts } from './PoolCharts.tsx'
import { PoolGauge } from './PoolGauge.tsx'
import { type PoolHistory, poolKind } from './pool-kind.ts'
import { differenceText } from './pool-words.ts'

export function Component() {
  const { vmpoolId = '' } = useParams()
  return <GroupView kind={poolKind} groupId={vmpoolId} parts={parts} />
}

const parts: GroupParts<VmPool, PoolHistory> = {
  wantedOf: ({ desired_size }) => desired_size,
  underWayText: (pool) => differenceText(pool) ?? 'The pool is brought to its desired size',
  headline: (pool) => ({ value: poolUtilization(pool).text, noun: 'utilization' }),
  drawing: (pool) => <PoolGauge pool={pool} labelled className="mx-2.5 mt-auto mb-4" />,
  factColumns: 2,
  stats: ({ current_size, max_size, desired_size, vms }) => [
    { label: 'Current VMs', value: current_size, note: `of ${max_size}` },
    {
      label: 'Running VMs',
      value: vms.filter(({ status }) => status === 'running').length,
      glyph: <StatusGlyph word="running" />,
    },
    { label: 'Desired Size', value: desired_size },
  ],
  charts: (pool, history) => <PoolCharts pool={pool} history={history} />,
  beside: (pool, history) => <Autoscaler pool={pool} history={history} className="lg:order-last" />,
}
