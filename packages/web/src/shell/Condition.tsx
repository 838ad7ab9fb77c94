import type { ReactNode } from 'react'
import { WorkTrack } from '../ui/Progress.tsx'
import { WhyLine } from './Why.tsx'
import { WhyNote } from './WhyNote.tsx'

/** The condition of an object, where its status alone does not say enough. */
export type Condition =
  | { tone: 'working'; step: string | undefined; progress: number | null; since: string }
  | { tone: 'failed'; reason: string | null; next?: string | undefined; since: string }
  | { tone: 'known'; reason: string }

const percentOf = (progress: number) => `${Math.floor(progress * 100)}%`

interface ConditionNoteProps {
  name: string
  /** The word of its status. */
  status: string
  description: string
  condition: Condition | null
}

/** Below the facts in a row: the description, and the progress or the reason of a failure. Null without any. */
export function conditionNote({ name, status, description, condition }: ConditionNoteProps): ReactNode {
  if (!description && !condition) return null
  return (
    <div className="grid gap-1.5 text-hint text-ink-2">
      {description && (
        <p className="line-clamp-2 max-w-[96ch] wrap-anywhere" dir="auto">
          {description}
        </p>
      )}
      {condition?.tone === 'working' && (
        <Work label={`${name}: ${status}`} step={condition.step} progress={condition.progress} />
      )}
      {condition?.tone === 'failed' && <WhyLine {...condition} />}
      {condition?.tone === 'known' && <WhyLine {...condition} />}
    </div>
  )
}

function Work({
  label,
  step,
  progress,
}: {
  label: string
  step: string | undefined
  progress: number | null
}) {
  return (
    <div className="mt-1.5 border-t border-line">
      <WorkTrack label={label} value={progress ?? undefined} />
      {(step || progress !== null) && (
        <p className="mt-2 flex gap-2">
          {progress !== null && <span className="font-medium text-ink">{percentOf(progress)}</span>}
          <span className="min-w-0 wrap-anywhere">{step}</span>
        </p>
      )}
    </div>
  )
}

interface ConditionBannerProps {
  /** The word of its status: `Creating`. */
  word: string
  condition: Condition | null
  /** What the user can do. */
  actions?: ReactNode
}

/** The same, above the facts on the page of an object. */
export function ConditionBanner({ word, condition, actions }: ConditionBannerProps) {
  if (!condition) return null
  if (condition.tone !== 'working') return <WhyNote word={word} actions={actions} {...condition} />
  const { step, progress, since } = condition
  const reason = [progress !== null && percentOf(progress), step].filter(Boolean).join(' ')
  return <WhyNote tone="waiting" word={word} reason={reason || null} since={since} actions={actions} />
}
