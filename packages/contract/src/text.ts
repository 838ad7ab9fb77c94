import { z } from 'zod'
import { hasHiddenCharacters } from './text.rules.ts'

/** Server times: ISO 8601 in UTC with milliseconds. */
export const Time = z.iso.datetime()

/** Opaque id. Longer ones cannot exist, so they are not looked up. */
export const Id = z.string().min(1).max(64)

/** A name people type: trimmed, 1 to 100 characters, one line (catalogue G-052). */
export function name(required: string) {
  return z
    .string({ error: required })
    .trim()
    .min(1, required)
    .max(100, 'Use at most 100 characters for the name')
    .refine((text) => !hasHiddenCharacters(text), 'Use a name without control characters')
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
