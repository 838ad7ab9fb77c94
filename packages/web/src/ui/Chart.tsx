import { lazy, Suspense, useState } from 'react'
import { cx } from './cx.ts'
import type { PlotProps } from './Plot.tsx'

// The drawing loads after the page, whose numbers and text do not need it; without it they still stand.
const Plot = lazy(async () => {
  try {
    return { default: (await import('./Plot.tsx')).Plot }
  } catch {
    return { default: NoPlot }
  }
})

function NoPlot(_: PlotProps) {
  return <p className="text-hint text-ink-2">The chart could not be loaded. Reload the page to try again.</p>
}

interface ChartProps extends Omit<PlotProps, 'limits' | 'onPoint'> {
  title: string
  /** Of the title; a chart in a sheet with a title of its own is one below it. */
  heading?: 'h2' | 'h3'
  /** Limits, drawn as dashed lines. */
  limits?: PlotProps['limits']
  formatTime: (ms: number) => string
  /** What the drawing shows, in a sentence. */
  summary: string
  /** Shown in place of a missing value. */
  absent?: string
  className?: string
}

/** Lines over time, with the present values, and those under the pointer, as text beside the title. */
export function Chart({
  title,
  heading: Heading = 'h2',
  className,
  summary,
  formatTime,
  absent = 'unknown',
  limits = [],
  ...drawing
}: ChartProps) {
  const { times, lines, format } = drawing
  const [pointed, setPointed] = useState<number | null>(null)
  const index = pointed !== null && pointed < times.length ? pointed : times.length - 1
  const time = times[index]
  const several = lines.length > 1
  // Drawn last, named first.
  const named = lines.toReversed()
  return (
    <figure className={cx('min-w-0 px-4 pt-3 pb-2.5', className)}>
      <figcaption className="mb-1.5 flex min-h-5 flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <Heading className="text-section">{title}</Heading>
        {limits.length > 0 && (
          <span className="flex items-center gap-1.5 text-label text-ink-2">
            <KeyLine line="limit" />
            Limits
          </span>
        )}
        <span className="ml-auto flex flex-wrap justify-end gap-x-3 font-mono text-chart text-ink-2">
          {pointed !== null && time !== undefined && <span>{formatTime(time * 1000)}</span>}
          {named.map(({ label, values, look }) => {
            const value = values[index]
            return (
              <span key={label} className={cx('flex items-center gap-1.5', keyLines[look].text)}>
                {several && (
                  <>
                    <KeyLine line={look} />
                    {label.toLowerCase()}{' '}
                  </>
                )}
                {typeof value === 'number' ? format(value) : absent}
              </span>
            )
          })}
        </span>
      </figcaption>
      <div role="img" aria-label={summary} className="h-39">
        <Suspense fallback={<p className="text-hint text-ink-3">Loading chart...</p>}>
          <Plot {...drawing} limits={limits} onPoint={setPointed} />
        </Suspense>
      </div>
    </figure>
  )
}

const keyLines = {
  live: { className: 'text-accent', text: 'text-accent', width: 2, dash: undefined },
  second: { className: 'text-ink-3', text: 'text-ink-2', width: 2, dash: undefined },
  wanted: { className: 'text-busy', text: 'text-busy', width: 1.5, dash: '5 2 1.5 2' },
  limit: { className: 'text-ink-3', text: 'text-ink-2', width: 1, dash: '4 2.5' },
} as const

/** How a line is drawn. */
function KeyLine({ line }: { line: keyof typeof keyLines }) {
  const { className, width, dash } = keyLines[line]
  return (
    <svg width="16" height="6" aria-hidden="true" className={cx('flex-none', className)}>
      <path d="M0 3h16" stroke="currentColor" strokeWidth={width} strokeDasharray={dash} />
    </svg>
  )
}
