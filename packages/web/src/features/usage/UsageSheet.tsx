import { RefreshCw } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { type UsageOf, type UsageRange, useUsage } from '../../api/usage.ts'
import { formatClock, formatMinute } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { Chart } from '../../ui/Chart.tsx'
import { cx } from '../../ui/cx.ts'
import { Segments } from '../../ui/Segments.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import {
  isEarly,
  isKnown,
  type Measure,
  measureKinds,
  summaryOf,
  type Timeline,
  ticksOf,
  timelineOf,
  valuesOf,
} from './usage-series.ts'

const ranges = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
] as const

/** The least that is drawn, in seconds: a VM that has just begun is not stretched over the whole width. */
const shortest = { hour: 600, day: 2 * 3600 } as const

interface UsageSheetProps {
  of: UsageOf
  measures: readonly Measure[]
  /** Whether it is running, or one of them is. */
  running: boolean
  /** What to say when there is nothing to draw: because nothing was running, or because the guest does not report it. */
  texts: { off: string; untold: string }
  /** Memory of what is asked about; that of those that run, when not known. */
  memoryMb?: number
  className?: string
}

/** Usage over the last hour or day, with a chart for each measure. */
export function UsageSheet({ of, measures, running, texts, memoryMb, className }: UsageSheetProps) {
  const titleId = useId()
  const [range, setRange] = useState<UsageRange>('hour')
  const { data, error, refetch, isFetching, dataUpdatedAt } = useUsage(of, range)
  // What is running is drawn up to now, even if the last sample is late.
  const until = running ? 0 : dataUpdatedAt
  const timeline = useMemo(() => data && timelineOf(data, until), [data, until])
  return (
    <Sheet
      title={<span id={titleId}>Usage</span>}
      aria-labelledby={titleId}
      className={className ?? ''}
      actions={
        <>
          {data && error && (
            <span className="text-hint text-ink-3">
              Not updated since <time className="mono">{formatClock(dataUpdatedAt)}</time>
            </span>
          )}
          <Segments label="Time range" value={range} onValueChange={setRange} options={ranges} />
        </>
      }
    >
      {!timeline || timeline.times.length === 0 ? (
        <div className="px-4 py-3 text-ink-2">
          {data && (running ? beginning : `${texts.off} ${offTexts[range]}`)}
          {!data && !error && 'Loading usage...'}
          {!data && error && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              Usage could not be loaded.
              <Button
                size="sm"
                icon={<RefreshCw size={14} strokeWidth={1.6} aria-hidden />}
                busy={isFetching}
                busyText="Trying..."
                onClick={() => void refetch()}
              >
                Try Again
              </Button>
            </div>
          )}
        </div>
      ) : (
        <div
          className={cx(
            'grid grid-cols-[minmax(0,1fr)] gap-px overflow-hidden rounded-b-sheet bg-line *:bg-sheet',
            measures.length % 2 === 0 ? 'sm:grid-cols-2' : 'lg:grid-cols-3',
          )}
        >
          {measures.map((measure) => (
            <MeasureChart
              key={measure}
              measure={measure}
              timeline={timeline}
              range={range}
              givenMb={memoryMb ?? data?.memory_mb ?? 0}
              untold={isEarly(timeline) ? notYet : texts.untold}
            />
          ))}
        </div>
      )}
    </Sheet>
  )
}

const beginning = 'No measurements yet. The first ones appear about ten seconds after the start.'
const notYet = 'Not measured yet.'
const offTexts = {
  hour: 'The charts show the last hour.',
  day: 'The charts show the last day.',
}

interface MeasureChartProps {
  measure: Measure
  timeline: Timeline
  range: UsageRange
  givenMb: number
  untold: string
}

function MeasureChart({ measure, timeline, range, givenMb, untold }: MeasureChartProps) {
  const { title, format } = measureKinds[measure]
  const { lines, ticks } = useMemo(
    () => ({
      lines: measureKinds[measure].lines.map(({ key, label }, index, { length }) => ({
        label,
        values: valuesOf(timeline, key),
        // Drawn last, over the others.
        look: index === length - 1 ? ('live' as const) : ('second' as const),
      })),
      ticks: ticksOf(timeline, measure, givenMb),
    }),
    [timeline, measure, givenMb],
  )
  if (!isKnown(timeline, measure)) {
    return (
      <div className="min-h-20 px-4 pt-3 pb-4">
        <h3 className="text-section">{title}</h3>
        <p className="mt-1.5 text-ink-2">{untold}</p>
      </div>
    )
  }
  return (
    <Chart
      title={title}
      heading="h3"
      times={timeline.times}
      lines={lines}
      ticks={ticks}
      format={format}
      formatTime={range === 'hour' ? formatClock : formatMinute}
      shortest={shortest[range]}
      summary={summaryOf(timeline, measure)}
      absent="none"
      syncKey="usage"
    />
  )
}
