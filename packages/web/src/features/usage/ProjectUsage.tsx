import { formatCpu } from '@slipway/contract'
import { useMemo } from 'react'
import { useUsage } from '../../api/usage.ts'
import { Sparkline } from './Sparkline.tsx'
import {
  evenValues,
  type Measure,
  measureKinds,
  memoryText,
  summaryOf,
  ticksOf,
  timelineOf,
} from './usage-series.ts'

/** What the VMs of a project use together now and did over the last hour, small. */
export function ProjectUsage({ projectId, running }: { projectId: string; running: number }) {
  const { data, error, dataUpdatedAt } = useUsage({ project: projectId }, 'hour')
  const until = running > 0 ? 0 : dataUpdatedAt
  const timeline = useMemo(() => data && timelineOf(data, until), [data, until])
  const absent =
    running === 0
      ? 'No running VMs'
      : data
        ? 'No measurements yet'
        : error
          ? 'Could not be loaded'
          : 'Loading usage...'
  const cellOf = (measure: Measure & ('cpu' | 'memory'), key: 'cpu' | 'memory_mb', given: string) => ({
    title: measureKinds[measure].title,
    format: measureKinds[measure].format,
    now: timeline?.samples.at(-1)?.[key] ?? null,
    given: data && data[key] > 0 ? `of ${given}` : '',
    values: data ? evenValues(data, key, until) : [],
    top: (timeline && ticksOf(timeline, measure, data?.memory_mb ?? 0).at(-1)) ?? 100,
    summary: timeline && timeline.times.length > 0 ? summaryOf(timeline, measure) : '',
    absent,
  })
  return (
    <section aria-label="Usage of the last hour" className="sheet mb-6 grid overflow-hidden sm:grid-cols-2">
      <Cell {...cellOf('cpu', 'cpu', formatCpu(data?.cpu ?? 0))} />
      <Cell {...cellOf('memory', 'memory_mb', memoryText(data?.memory_mb ?? 0))} />
    </section>
  )
}

interface CellProps {
  title: string
  now: number | null
  format: (value: number) => string
  given: string
  values: readonly (number | null)[]
  top: number
  summary: string
  absent: string
}

function Cell({ title, now, format, given, values, top, summary, absent }: CellProps) {
  return (
    <div className="-mt-px -ml-px flex min-w-0 items-end gap-5 border-t border-l border-line px-4 pt-3 pb-3.5">
      <div className="min-w-32 flex-none">
        <h2 className="text-hint text-ink-2">{title}</h2>
        <p className="mt-1 flex min-h-6 flex-wrap items-baseline gap-x-2">
          {now === null ? (
            <span className="text-ink-3">{absent}</span>
          ) : (
            <>
              <span className="text-[1.25rem]/6 font-medium tracking-[-.015em]">{format(now)}</span>
              <span className="text-hint text-ink-3">{given}</span>
            </>
          )}
        </p>
        {summary && <p className="sr-only">{summary}</p>}
      </div>
      <Sparkline values={values} top={top} className="mb-1 h-9 min-w-0 flex-1" />
    </div>
  )
}
