import { useEffect, useLayoutEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const height = 156
/** A chart of a few samples is not stretched over its whole width, unless it says from when on. */
const shortestSeconds = 600

interface ChartLine {
  label: string
  /** One for each time; null where it is not known. */
  values: readonly (number | null)[]
  /** The measured value, one beside it, or the desired one. */
  look: 'live' | 'second' | 'wanted'
  /** A value holds until the next one, as the size of something does. */
  stepped?: boolean
}

export interface PlotProps {
  /** Seconds since 1970, ascending. */
  times: readonly number[]
  /** Each over those before it. */
  lines: readonly ChartLine[]
  /** Limits, drawn as dashed lines. */
  limits: readonly { label: string; value: number }[]
  /** Where the scale has its lines, from 0 on. */
  ticks: readonly number[]
  format: (value: number) => string
  /** The least span of time that is drawn, in seconds. */
  shortest?: number | undefined
  /** Charts with the same key show the same moment under the pointer. */
  syncKey?: string
  /** The index of the time under the pointer, or null. */
  onPoint: (index: number | null) => void
}

const cssValue = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const colour = (name: string) => () => cssValue(name)

/** The drawing of a chart. It is created once; whatever changes, colours included, is read again with every redraw. */
export function Plot(props: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  const kinds = props.lines.map(({ look, stepped }) => `${look}${stepped}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew only for other kinds of lines
  useEffect(() => {
    const element = box.current
    if (!element) return
    const chart = new UPlot(optionsOf(latest, element.clientWidth), dataOf(latest.current), element)
    plot.current = chart
    const redraw = () => chart.redraw(false)
    const sized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    sized.observe(element)
    // The mode of colours is a class there.
    const themed = new MutationObserver(redraw)
    themed.observe(document.documentElement, { attributeFilter: ['class'] })
    void document.fonts.ready.then(redraw)
    return () => {
      sized.disconnect()
      themed.disconnect()
      chart.destroy()
    }
  }, [kinds])

  const { times, lines, limits, ticks } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: limits and ticks are read while it draws
  useEffect(() => plot.current?.setData(dataOf({ times, lines })), [times, lines, limits, ticks])

  return <div ref={box} className={plotClass} />
}

// Over the library's own style sheet, which lies in no layer.
const plotClass =
  'h-39 overflow-hidden [&_.u-cursor-x]:border-solid! [&_.u-cursor-x]:border-ink-3! [&_.uplot]:leading-none!'

function dataOf({ times, lines }: Pick<PlotProps, 'times' | 'lines'>): UPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

const strokes = { live: colour('--accent'), second: colour('--ink-3'), wanted: colour('--busy') }
/** Of the scale, in pixels: at least, beside its labels, and for one of their letters. */
const scaleWidth = { least: 40, rest: 13, letter: 6.7 }

function optionsOf(latest: { current: PlotProps }, width: number): UPlot.Options {
  const { lines, syncKey } = latest.current
  const font = `11px ${cssValue('--mono')}`
  const axis = {
    font,
    stroke: colour('--ink-3'),
    ticks: { show: false },
  }
  return {
    width,
    height,
    // The last time stands half beyond the drawing.
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 6, fill: colour('--accent'), stroke: colour('--sheet'), width: 1 },
      ...(syncKey ? { sync: { key: syncKey } } : {}),
    },
    scales: {
      x: {
        range: (_, from, to) => {
          const { shortest = shortestSeconds } = latest.current
          return [Math.min(from ?? 0, (to ?? 0) - shortest), to ?? 0]
        },
      },
      y: { range: () => [0, latest.current.ticks.at(-1) ?? 1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        gap: 9,
        space: 70,
        grid: { show: false },
        values: (_, seconds) => seconds.map(hourAndMinute),
      },
      {
        ...axis,
        size: (_, labels) => {
          const longest = Math.max(0, ...(labels ?? []).map(({ length }) => length))
          return Math.max(scaleWidth.least, Math.ceil(scaleWidth.rest + scaleWidth.letter * longest))
        },
        gap: 8,
        grid: { stroke: colour('--line'), width: 1 },
        splits: () => [...latest.current.ticks],
        values: (_, values) => values.map((value) => latest.current.format(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ look, stepped }): UPlot.Series => {
        const paths = stepped ? UPlot.paths.stepped?.({ align: 1 }) : undefined
        return {
          stroke: strokes[look],
          width: look === 'wanted' ? 1 : 1.5,
          points: { show: false },
          ...(look === 'wanted' ? { dash: [12, 3, 2, 3, 2, 3] } : {}),
          ...(paths ? { paths } : {}),
        }
      }),
    ],
    hooks: {
      drawAxes: [(chart) => drawLimits(chart, latest.current)],
      draw: [
        (chart) => {
          drawEnds(chart, latest.current)
          nameLimits(chart, latest.current, font)
        },
      ],
      setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? null)],
    },
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const hourAndMinute = (seconds: number) => clock.format(seconds * 1000)

const heightOf = ({ valToPos }: UPlot, value: number) => Math.round(valToPos(value, 'y', true)) + 0.5

/** Limits as dashed hairlines below the lines. */
function drawLimits(chart: UPlot, { limits }: PlotProps): void {
  const { ctx, bbox } = chart
  const ratio = UPlot.pxRatio
  ctx.save()
  ctx.strokeStyle = cssValue('--ink-3')
  ctx.lineWidth = ratio
  ctx.setLineDash([7 * ratio, 4 * ratio])
  for (const { value } of limits) {
    const y = heightOf(chart, value)
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
  }
  ctx.restore()
}

/** Their names at the right end, clear of the lines. */
function nameLimits(chart: UPlot, { limits, ticks }: PlotProps, font: string): void {
  const { ctx, bbox } = chart
  const ratio = UPlot.pxRatio
  const top = ticks.at(-1) ?? 0
  ctx.save()
  ctx.font = font.replace('11px', `${11 * ratio}px`)
  ctx.fillStyle = cssValue('--ink-2')
  ctx.strokeStyle = cssValue('--sheet')
  ctx.lineWidth = 4 * ratio
  ctx.lineJoin = 'round'
  ctx.textAlign = 'right'
  for (const { label, value } of limits) {
    // Where there is room for it: below the upper ones, above the lower ones.
    const isHigh = value > top / 2
    ctx.textBaseline = isHigh ? 'top' : 'bottom'
    const at = [
      bbox.left + bbox.width - 6 * ratio,
      heightOf(chart, value) + (isHigh ? 5 : -4) * ratio,
    ] as const
    ctx.strokeText(label, ...at)
    ctx.fillText(label, ...at)
  }
  ctx.restore()
}

/** The present end of what is. */
function drawEnds({ ctx, valToPos }: UPlot, { times, lines }: PlotProps): void {
  const ratio = UPlot.pxRatio
  for (const { values, look } of lines) {
    const last = values.findLastIndex((value) => value !== null)
    const [time, value] = [times[last], values[last]]
    if (look !== 'live' || time === undefined || value === undefined || value === null) continue
    ctx.save()
    ctx.fillStyle = cssValue('--accent')
    ctx.beginPath()
    ctx.arc(valToPos(time, 'x', true), valToPos(value, 'y', true), 3 * ratio, 0, 2 * Math.PI)
    ctx.fill()
    ctx.restore()
  }
}
