import { z } from 'zod'

/** Server times: ISO 8601 in UTC with milliseconds. */
export const Time = z.iso.datetime()

/** Opaque id. Longer ones cannot exist, so they are not looked up. */
export const Id = z.string().min(1).max(64)

// Control characters have no business in a name; they would reach logs, mails and guests.
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching them is the point
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** A name people type: trimmed, 1 to 100 characters, one line (catalogue G-052). */
export function name(required: string) {
  return z
    .string({ error: required })
    .trim()
    .min(1, required)
    .max(100, 'Use at most 100 characters for the name')
    .refine((text) => !control.test(text), 'Use a name without control characters')
}

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
