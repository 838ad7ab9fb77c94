import { CircleAlert } from 'lucide-react'
import { formatDateTime } from '../time.ts'

export interface WhyProps {
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

/** Why an object is as it is, in short, in its row or card. */
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

export const noReason = 'The server gave no reason.'

export const untilText = (until: string | null | undefined) =>
  until ? `, until ${formatDateTime(until)} at the latest` : ''

/** Some sentences, each with its full stop. */
export function sentences(...texts: (string | null | undefined)[]): string {
  return texts
    .filter((text) => text)
    .map((text) => (/[.!?]$/.test(text ?? '') ? text : `${text}.`))
    .join(' ')
}
