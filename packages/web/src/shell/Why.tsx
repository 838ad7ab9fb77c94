import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDateTime } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'
import { Elapsed } from '../ui/Elapsed.tsx'

interface WhyProps {
  /** It failed, it waits, or it is well and there is something to know. */
  tone: 'failed' | 'waiting' | 'known'
  /** Why, as the server says it; nothing where it does not. */
  reason: string | null
  /** What comes, or what to do, in a sentence. */
  next?: string | undefined
  /** ISO moment since when. */
  since?: string | undefined
  /** ISO moment at which it ends by itself at the latest. */
  until?: string | null | undefined
}

interface WhyNoteProps extends WhyProps {
  /** The state in a word: `Failed`, `Scaling`. */
  word: string
  /** Buttons and links that help. */
  actions?: ReactNode
}

const banners = { failed: 'error', waiting: 'info', known: 'warn' } as const

/** On the page of an object: why it is in its state, since when, until when at most, and what one can do. */
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

/** The same in the small: within the row or the card of an object. */
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

/** A line of a row: its sign, and why the object failed or what is to know of it. */
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
