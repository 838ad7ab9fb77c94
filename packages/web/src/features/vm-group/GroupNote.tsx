import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'

interface GroupNoteProps {
  group: { status: string; status_message: string | null; status_since: string }
  underWay: boolean
  /** `Scaling` */
  underWayWord: string
  /** What is under way, in a sentence, where the server does not say. */
  underWayText: string
  /** `The pool` */
  subject: string
}

/** Why a pool or set is in its state, since when, and what comes. Nothing for one that is well. */
export function GroupNote({ group, underWay, underWayWord, underWayText, subject }: GroupNoteProps) {
  const { status, status_message: message, status_since } = group
  const since = formatDateTime(status_since)
  if (status.toLowerCase() === 'error') {
    return (
      <Banner tone="error" title={`Error since ${since}`} className="mb-4">
        {asSentence(message ?? 'The server gave no reason.')} {subject} recovers by itself once that is
        mended.
      </Banner>
    )
  }
  if (underWay) {
    return (
      <Banner tone="info" className="mb-4">
        {asSentence(message ?? underWayText)}{' '}
        <span className="text-ink-3">
          {underWayWord} since {since}.
        </span>
      </Banner>
    )
  }
  if (!message) return null
  return (
    <Banner tone="warn" className="mb-4">
      {message}
    </Banner>
  )
}

const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
