import { z } from 'zod'
import { hasHiddenCharacters, nameLimit } from './text.rules.ts'

/** Server times: ISO 8601 in UTC with milliseconds. */
export const Time = z.iso.datetime()

/** Opaque id. Longer ones cannot exist, so they are not looked up. */
export const Id = z.string().min(1).max(64)

/** What holds for every name people type: trimmed, one line, not too long. A form may have it blank so far. */
export function nameOrBlank(
  missing: string,
  longest = nameLimit,
  tooLong = `Use at most ${longest} characters for the name`,
) {
  return z
    .string({ error: missing })
    .trim()
    .max(longest, tooLong)
    .refine((text) => !hasHiddenCharacters(text), 'Use a name without control characters')
}

/** A name people type: trimmed, 1 to 100 characters, one line (catalogue G-052). */
export const name = (missing: string) => nameOrBlank(missing).min(1, missing)

/** Free text below a name. */
export const description = z
  .string()
  .trim()
  .max(1000, 'Use at most 1000 characters for the description')
  .default('')

/** Days until something is deleted by itself; the middle of the road when none are given. */
export function retention(days: { min: number; max: number; default: number }, sentence: string) {
  return z.int({ error: sentence }).min(days.min, sentence).max(days.max, sentence).default(days.default)
}
