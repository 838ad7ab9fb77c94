import type { VmPool } from '@slipway/contract'
import { useMemo } from 'react'
import { GroupCharts } from '../vm-group/GroupCharts.tsx'
import type { PoolHistory } from './pool-kind.ts'

interface PoolChartsProps {
  pool: VmPool
  history: PoolHistory | undefined
}

/** Size and load of a pool over the last hour, with the sizes it may have and what its autoscaler goes by. */
export function PoolCharts({ pool, history }: PoolChartsProps) {
  return (
    <GroupCharts
      samples={history?.samples}
      sizeLimits={useSizeLimits(pool)}
      cpuLimits={useThresholds(pool, history)}
      className="mb-4"
    />
  )
}

function useSizeLimits({ min_size, max_size }: VmPool) {
  return useMemo(
    () => [
      { label: `max ${max_size}`, value: max_size },
      // Zero is the floor of the drawing.
      ...(min_size > 0 ? [{ label: `min ${min_size}`, value: min_size }] : []),
    ],
    [max_size, min_size],
  )
}

/** Where the autoscaler begins to act; none while it is off. */
function useThresholds({ auto_scaling }: VmPool, history: PoolHistory | undefined) {
  const { up_above, down_below } = history?.policy ?? {}
  return useMemo(
    () =>
      auto_scaling && up_above !== undefined && down_below !== undefined
        ? [
            { label: `add above ${up_above}%`, value: up_above },
            { label: `remove below ${down_below}%`, value: down_below },
          ]
        : [],
    [auto_scaling, up_above, down_below],
  )
}
