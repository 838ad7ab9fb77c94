/** How long a port is shared from now on, in milliseconds; null for ever. */
export const spans = {
  never: { label: 'No end', ms: null },
  hour: { label: '1 hour', ms: 3_600_000 },
  day: { label: '1 day', ms: 86_400_000 },
  week: { label: '7 days', ms: 7 * 86_400_000 },
} as const
export type Span = keyof typeof spans

/** What a form holds of the end of a share. */
export interface End {
  /** `same`: the end that it has already; `own`: a time that somebody enters. */
  choice: Span | 'same' | 'own'
  /** The time that was entered, as a `datetime-local` control has it: in the time zone of the browser. */
  own: string
}

/** The time to send, null for no end; undefined while no time in the future is entered. */
export function endOf({ choice, own }: End, same: string | null, now: number): string | null | undefined {
  if (choice === 'same') return same
  if (choice === 'own') {
    const at = Date.parse(own)
    return at > now ? new Date(at).toISOString() : undefined
  }
  const { ms } = spans[choice]
  return ms === null ? null : new Date(now + ms).toISOString()
}

/** A time as a `datetime-local` control has it, to the minute. */
export function localTime(time: string): string {
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
