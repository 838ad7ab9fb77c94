import type { VmPool } from '@slipway/contract'
import { GroupList } from '../vm-group/GroupList.tsx'
import { poolKind } from './pool-kind.ts'
import { VmPoolCard } from './VmPoolCard.tsx'

export function Component() {
  return (
    <GroupList
      kind={poolKind}
      title="VM Pools"
      description="A VM pool is a group of equal VMs that grows and shrinks with its load, between two sizes you choose."
      texts={{
        loading: 'Loading VM Pools...',
        failed: 'Failed to load VM Pools. Please try again.',
        none: 'No VM Pools Yet',
        first:
          'Create one from a template. It keeps as many VMs as its load needs, and replaces those that break.',
      }}
      create={{ call: 'vmPool.create', label: 'Create Pool', firstLabel: 'Create VM Pool' }}
      stats={statsOf}
      card={cardOf}
      likelyCardHeight={likelyCardHeight}
    />
  )
}

const cardOf = (pool: VmPool) => <VmPoolCard pool={pool} />

const likelyCardHeight = () => 390

function statsOf(pools: readonly VmPool[]) {
  const sum = (size: (pool: VmPool) => number) => pools.reduce((total, pool) => total + size(pool), 0)
  return [
    { label: 'Total Pools', value: pools.length },
    {
      label: 'Active Pools',
      value: pools.filter(({ status }) => status.toLowerCase() === 'active').length,
      tone: 'active',
    },
    { label: 'Current VMs', value: sum(({ current_size }) => current_size) },
    { label: 'Max Capacity', value: sum(({ max_size }) => max_size) },
  ]
}
