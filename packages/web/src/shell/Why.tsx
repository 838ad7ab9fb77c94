import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDateTime } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'
import { Elapsed } from '../ui/Elapsed.tsx'

interface WhyProps {
  /** Whether the object failed, is waiting, or is fine with something to know. */
  tone: 'failed' | 'waiting' | 'known'
  /** The server's reason, if it gives one. */
  reason: string | null
  /** What happens next, or what to do, in a sentence. */
  next?: string | undefined
  /** ISO moment since when. */
  since?: string | undefined
  /** ISO moment at which the state ends automatically at the latest. */
  until?: string | null | undefined
}

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

/** The same in short, in the row or card of an object. */
export function WhyText({ tone, reason, next, since, until }: WhyProps) {
  return (
    <span className="min-w-0 text-hint wrap-anywhere">
      {sentences(tone === 'failed' ? (reason ?? noReason) : reason, next)}
      {since && (
        <span className="text-ink-3">
          {' '}
          Since {formatDateTime(since)}
          {untilText(until)}.
        </span>
      )}
    </span>
  )
}

/** A line in a row: an icon, and why the object failed or what to know about it. */
export function WhyLine(props: WhyProps) {
  return (
    <p className="flex gap-2 text-hint text-ink-2">
      {props.tone === 'failed' && (
        <CircleAlert size={16} strokeWidth={1.6} aria-hidden className="mt-px flex-none text-bad-mark" />
      )}
      <WhyText {...props} />
    </p>
  )
}

const noReason = 'The server gave no reason.'

const untilText = (until: string | null | undefined) =>
  until ? `, until ${formatDateTime(until)} at the latest` : ''

/** Some sentences, each with its full stop. */
function sentences(...texts: (string | null | undefined)[]): string {
  return texts
    .filter((text) => text)
    .map((text) => (/[.!?]$/.test(text ?? '') ? text : `${text}.`))
    .join(' ')
}
