import type { GroupSample } from '@slipway/contract'
import { useMemo } from 'react'
import { formatClock } from '../../time.ts'
import { Chart } from '../../ui/Chart.tsx'
import { chartTicks } from '../../ui/chart-ticks.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { cpuSummary, sizeSummary } from './group-samples.ts'

type Limits = readonly { label: string; value: number }[]

interface GroupChartsProps {
  /** Oldest first; undefined while they load. */
  samples: readonly GroupSample[] | undefined
  sizeLimits?: Limits
  cpuLimits?: Limits
  className?: string
}

const none: Limits = []
const cpuTicks = [0, 50, 100]
const asPercent = (value: number) => `${Math.round(value)}%`

/** Size and load of a pool or set over the last hour. */
export function GroupCharts({ samples, sizeLimits = none, cpuLimits = none, className }: GroupChartsProps) {
  const { times, size, cpu, ticks } = useMemo(() => {
    const of = <T,>(read: (sample: GroupSample) => T) => (samples ?? []).map(read)
    const current = of((sample) => sample.current_size)
    const desired = of((sample) => sample.desired_size)
    return {
      times: of(({ at }) => Date.parse(at) / 1000),
      ticks: chartTicks(Math.max(1, ...current, ...desired, ...sizeLimits.map(({ value }) => value))),
      size: [
        { label: 'Desired', values: desired, look: 'wanted', stepped: true },
        { label: 'Current', values: current, look: 'live', stepped: true },
      ] as const,
      cpu: [{ label: 'CPU load', values: of((sample) => sample.cpu), look: 'live' }] as const,
    }
  }, [samples, sizeLimits])
  const tooFew = times.length < 2
  return (
    <Sheet
      aria-label="The last hour"
      className={`${className ?? ''} grid grid-cols-[minmax(0,1fr)] max-lg:divide-y max-lg:divide-line lg:grid-cols-2 lg:divide-x lg:divide-line`}
    >
      {tooFew ? (
        <p className="px-4 py-3 text-ink-2 lg:col-span-2">
          {samples
            ? 'Size and load of the last hour are drawn here. The server has just begun to measure them.'
            : 'Loading history...'}
        </p>
      ) : (
        <>
          <Chart
            title="Size"
            times={times}
            lines={size}
            limits={sizeLimits}
            ticks={ticks}
            format={String}
            formatTime={formatClock}
            summary={sizeSummary(samples ?? [])}
            syncKey="group"
          />
          <Chart
            title="CPU load"
            times={times}
            lines={cpu}
            limits={cpuLimits}
            ticks={cpuTicks}
            format={asPercent}
            formatTime={formatClock}
            summary={cpuSummary(samples ?? [])}
            syncKey="group"
          />
        </>
      )}
    </Sheet>
  )
}
