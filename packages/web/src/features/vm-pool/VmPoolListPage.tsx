import { isPoolUnderWay, type VmPool } from '@slipway/contract'
import { memo } from 'react'
import { useParams } from 'react-router'
import { useVmPools } from '../../api/vm-pools.ts'
import { paths } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { CardGrid } from '../../ui/CardGrid.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { GroupCardOutline } from '../vm-group/GroupCard.tsx'
import { PoolDialogs } from './PoolDialogs.tsx'
import { VmPoolCard } from './VmPoolCard.tsx'

const poolKind = { plural: 'VM pools', isUnderWay: isPoolUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { pools, ...list } = useVmPools(projectId)
  useAnnouncedChanges(pools, poolKind)
  return (
    <>
      <ListPage
        title="VM Pools"
        description="A VM pool is a group of equal VMs that grows and shrinks with its load, between two sizes you choose."
        texts={{
          loading: 'Loading VM Pools...',
          failed: 'Failed to load VM Pools. Please try again.',
          none: 'No VM Pools Yet',
          first:
            'Create one from a template. It keeps as many VMs as its load needs, and replaces those that break.',
        }}
        list={{ ...list, total: pools.length, shown: pools.length }}
        create={{ label: 'Create Pool', firstLabel: 'Create VM Pool', to: paths.vmPoolCreate(projectId) }}
        outline="cards"
        head={<Totals pools={pools} />}
        items={<Grid pools={pools} />}
      />
      <PoolDialogs pools={pools} loading={list.loading || list.error !== null} />
    </>
  )
}

const Totals = memo(function Totals({ pools }: { pools: readonly VmPool[] }) {
  const sum = (size: (pool: VmPool) => number) => pools.reduce((total, pool) => total + size(pool), 0)
  return (
    <StatRow
      label="VM pools in numbers"
      stats={[
        { label: 'Total Pools', value: pools.length },
        {
          label: 'Active Pools',
          value: pools.filter(({ status }) => status.toLowerCase() === 'active').length,
          tone: 'active',
        },
        { label: 'Current VMs', value: sum(({ current_size }) => current_size) },
        { label: 'Max Capacity', value: sum(({ max_size }) => max_size) },
      ]}
    />
  )
})

const likelyCardHeight = () => 390

const Grid = memo(function Grid({ pools }: { pools: readonly VmPool[] }) {
  return (
    <CardGrid
      label="VM pools"
      items={pools}
      likelyHeight={likelyCardHeight}
      card={(pool) => <VmPoolCard pool={pool} />}
      outline={(pool, height) => <GroupCardOutline group={pool} height={height} />}
    />
  )
})
