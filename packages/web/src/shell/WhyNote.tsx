import type { ReactNode } from 'react'
import { formatDateTime } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'
import { Elapsed } from '../ui/Elapsed.tsx'
import { noReason, sentences, untilText, type WhyProps } from './Why.tsx'

interface WhyNoteProps extends WhyProps {
  /** The state in a word: `Failed`, `Scaling`. */
  word: string
  /** Buttons and links that help. */
  actions?: ReactNode
}

const banners = { failed: 'error', waiting: 'info', known: 'warn' } as const

/** On the page of an object: the reason for its state, since when, until when at most, and what to do. */
export function WhyNote({ tone, word, reason, next, since, until, actions }: WhyNoteProps) {
  const isFailed = tone === 'failed'
  return (
    <Banner
      tone={banners[tone]}
      {...(isFailed && since ? { title: `${word} since ${formatDateTime(since)}` } : {})}
      action={actions}
      className="mb-4"
    >
      {sentences(isFailed ? (reason ?? noReason) : reason, next)}
      {!isFailed && since && (
        <span className="text-ink-3">
          {' '}
          {word} since {formatDateTime(since)}
          {tone === 'waiting' && (
            <>
              {' '}
              <Elapsed since={since} />
            </>
          )}
          {untilText(until)}.
        </span>
      )}
    </Banner>
  )
}
