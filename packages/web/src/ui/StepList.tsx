import { cx } from './cx.ts'
import { Elapsed } from './Elapsed.tsx'
import { StatusGlyph } from './Status.tsx'

export interface Step {
  label: string
  state: 'done' | 'now' | 'todo' | 'failed'
  /** ISO moments. */
  startedAt?: string | undefined
  endedAt?: string | undefined
}

const words = { done: 'done', now: 'in progress', todo: 'to come', failed: 'failed' }

/** Steps in order, each with its real time. The time of the running step counts up. */
export function StepList({ steps, className }: { steps: readonly Step[]; className?: string }) {
  return (
    <ol className={cx('text-dense', className)}>
      {steps.map(({ label, state, startedAt, endedAt }) => (
        <li
          key={label}
          aria-current={state === 'now' ? 'step' : undefined}
          className={cx(
            'flex min-h-[26px] items-center gap-2.5',
            state === 'todo' && 'text-ink-3',
            state === 'failed' && 'text-bad',
            state === 'done' && 'text-ink-2',
          )}
        >
          <StepGlyph state={state} />
          <span className="min-w-0 flex-1 wrap-anywhere">
            {label}
            <span className="sr-only">, {words[state]}</span>
          </span>
          {state === 'now' && startedAt && <Elapsed since={startedAt} />}
          {startedAt && endedAt && (
            <span className="font-mono text-[0.75rem]/4 text-ink-3">{durationText(startedAt, endedAt)}</span>
          )}
        </li>
      ))}
    </ol>
  )
}

function StepGlyph({ state }: { state: Step['state'] }) {
  if (state === 'now') return <StatusGlyph word="pending" />
  if (state === 'failed') return <StatusGlyph word="failed" />
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" aria-hidden="true">
      {state === 'done' ? (
        <path d="m1.5 6.4 2.8 2.8 6.2-6.4" strokeWidth="1.5" className="text-ok-mark" />
      ) : (
        <path d="M1 6h10" strokeDasharray="4 1.5 1 1.5" className="text-line-control" />
      )}
    </svg>
  )
}

/** `1.8 s` below a minute, `2:05` above. */
function durationText(from: string, to: string): string {
  const seconds = Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}
