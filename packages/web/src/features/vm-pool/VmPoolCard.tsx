import { poolUtilization, type VmPool } from '@slipway/contract'
import { memo } from 'react'
import { GroupCard } from '../vm-group/GroupCard.tsx'
import { PoolGauge } from './PoolGauge.tsx'
import { poolKind } from './pool-kind.ts'

/** Drawn again only when its own pool changed. */
export const VmPoolCard = memo(function VmPoolCard({ pool }: { pool: VmPool }) {
  return (
    <GroupCard
      kind={poolKind}
      group={pool}
      size={
        <div className="border-t border-line px-4 pt-2 pb-2.5">
          <PoolUsage pool={pool} />
          <PoolGauge pool={pool} className="mt-2" />
        </div>
      }
      facts={[
        { label: 'Min', value: pool.min_size },
        { label: 'Desired', value: pool.desired_size },
        { label: 'Max', value: pool.max_size },
      ]}
      rows={[{ label: 'Auto scaling', value: pool.auto_scaling ? 'On' : 'Off' }]}
    />
  )
})

/** How many VMs there are, what is still to come, and how much of the maximum that is. */
function PoolUsage({ pool }: { pool: VmPool }) {
  const difference = pool.desired_size - pool.current_size
  return (
    <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-dense">
      <span>
        {pool.current_size} {pool.current_size === 1 ? 'VM' : 'VMs'}
        {difference !== 0 && (
          <span className="text-busy">
            , {Math.abs(difference)} to {difference > 0 ? 'come' : 'go'}
          </span>
        )}
      </span>
      <span className="text-hint text-ink-2">
        <b className="text-dense font-[550] text-ink">{poolUtilization(pool).text}</b> utilization
      </span>
    </p>
  )
}
