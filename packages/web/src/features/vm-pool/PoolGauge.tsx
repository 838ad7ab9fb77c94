import { type PoolSizes, poolUtilization } from '@slipway/contract'
import { cx } from '../../ui/cx.ts'

type Sizes = PoolSizes & { current_size: number }

interface PoolGaugeProps {
  pool: Sizes
  /** With the numbers at their places; else the lines alone. */
  labelled?: boolean
  className?: string
}

/**
 * A pool from 0 to its maximum: what is there as a thick line, what is wanted beyond it as a phantom line, minimum
 * and maximum as a dimension line. Lines stand at shares of the width, labels are counted in letters, so that neither
 * is scaled.
 */
export function PoolGauge({ pool, labelled = false, className }: PoolGaugeProps) {
  const { current_size, desired_size, min_size, max_size } = pool
  const { text, bar } = poolUtilization(pool)
  const share = (size: number) => Math.min(100, max_size > 0 ? (size / max_size) * 100 : 0)
  const [current, desired, min] = [share(current_size), share(desired_size), share(min_size)]
  const y = labelled ? 38 : 5
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native meter draws itself
    <div
      role="meter"
      aria-label="Utilization"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(bar * 10) / 10}
      aria-valuetext={`${text}: ${current_size} of ${max_size} VMs, desired ${desired_size}, minimum ${min_size}`}
      className={cx('relative px-1.5', className)}
    >
      <svg
        aria-hidden="true"
        width="100%"
        height={labelled ? 76 : 20}
        className="block overflow-visible forced-color-adjust-none"
      >
        <g className="stroke-line-control">
          <line x1="0" x2="100%" y1={y} y2={y} />
          {ticksUpTo(max_size).map((size) => (
            <line key={size} x1={`${share(size)}%`} x2={`${share(size)}%`} y1={y - 4} y2={y + 4} />
          ))}
        </g>
        {/* What will go is fainter. */}
        <line
          x2={`${Math.min(current, desired)}%`}
          y1={y}
          y2={y}
          strokeWidth={labelled ? 6 : 5}
          className="stroke-accent"
        />
        {current > desired && (
          <line
            x1={`${desired}%`}
            x2={`${current}%`}
            y1={y}
            y2={y}
            strokeWidth={labelled ? 6 : 5}
            className="stroke-accent opacity-40"
          />
        )}
        {desired > current && (
          <line
            x1={`${current}%`}
            x2={`${desired}%`}
            y1={y}
            y2={y}
            strokeWidth="2"
            strokeDasharray="12 3 2 3"
            className="stroke-busy"
          />
        )}
        {labelled && (
          <>
            <line x1={`${current}%`} x2={`${current}%`} y1={20} y2={y - 5} className="stroke-accent" />
            {desired !== current && (
              <line x1={`${desired}%`} x2={`${desired}%`} y1={20} y2={y - 5} className="stroke-busy" />
            )}
          </>
        )}
        <g className="stroke-ink-3">
          <line x1={`${min}%`} x2="100%" y1={y + 14} y2={y + 14} />
          <DimensionEnd at={min} y={y + 14} />
          <DimensionEnd at={100} y={y + 14} />
        </g>
      </svg>
      {labelled && <Labels pool={pool} current={current} desired={desired} min={min} />}
    </div>
  )
}

function DimensionEnd({ at, y }: { at: number; y: number }) {
  return (
    <svg aria-hidden="true" x={`${at}%`} y={y} className="overflow-visible">
      <path d="M0-5V5" />
      <path d="m-4 4 8-8" strokeWidth="1.5" className="stroke-ink" />
    </svg>
  )
}

interface LabelsProps {
  pool: Sizes
  /** In percent of the width. */
  current: number
  desired: number
  min: number
}

function Labels({ pool, current, desired, min }: LabelsProps) {
  const { current_size, desired_size, min_size, max_size } = pool
  const same = current_size === desired_size
  const live = {
    at: current,
    text: same ? `current ${current_size}, desired ${desired_size}` : `current ${current_size}`,
    tone: 'text-accent',
  }
  const wanted = { at: desired, text: `desired ${desired_size}`, tone: 'text-busy' }
  const [low, high] = current <= desired ? [live, wanted] : [wanted, live]
  const minText = `min ${min_size}`
  const maxText = `max ${max_size}`
  return (
    // One `ch` is one letter here. The lower of two ends where its line stands, the higher begins there; both stay
    // inside and off each other.
    <div aria-hidden="true" className="font-mono text-label text-ink-2">
      <div className="absolute inset-x-1.5 top-0 h-4">
        {same ? (
          <Label {...live} left={between('0ch', `${live.at}% - ${live.text.length}ch`, room(live.text))} />
        ) : (
          <>
            <Label
              {...low}
              left={between('0ch', `${low.at}% - ${low.text.length}ch + 4px`, room(low.text, high.text))}
            />
            <Label
              {...high}
              left={between(`${low.text.length + 2}ch`, `${high.at}% - 4px`, room(high.text))}
            />
          </>
        )}
      </div>
      <div className="absolute inset-x-1.5 bottom-0 h-4">
        {min_size < max_size && (
          <Label
            text={minText}
            left={between('0ch', `${min}% - ${minText.length / 2}ch`, room(minText, maxText))}
          />
        )}
        <span className="absolute right-0 whitespace-nowrap">
          {min_size < max_size ? maxText : `${minText}, ${maxText}`}
        </span>
      </div>
    </div>
  )
}

function Label({ text, left, tone }: { text: string; left: string; tone?: string }) {
  return (
    <span className={cx('absolute whitespace-nowrap', tone)} style={{ left }}>
      {text}
    </span>
  )
}

/** The furthest to the right that some labels side by side can begin. */
const room = (...texts: string[]) => `100% - ${texts.join('--').length}ch`

const between = (least: string, wished: string, most: string) => `max(${least}, min(${wished}, ${most}))`

/** The sizes that are marked: each one where there are few, else rounder ones. */
function ticksUpTo(max: number): number[] {
  const step = [1, 5, 10, 50, 100].find((step) => max / step <= 20) ?? max
  const ticks = Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step)
  return ticks.at(-1) === max ? ticks : [...ticks, max]
}
