/**
 * What comes over a line, looked at with care: the other end may be a guest that means harm, or a QEMU that a
 * guest makes talk.
 */

/** The object a line holds as JSON; null when it holds none. */
export function parseMessage(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** No answer that is asked for nests deeper; what does is refused before it is parsed. */
const DEEPEST = 32

/** Whether brackets nest deeper than any honest answer: parsing such a text is expensive. */
export function nestsTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (quoted) {
      if (char === BACKSLASH) at += 1
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      depth += 1
      if (depth > DEEPEST) return true
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth -= 1
  }
  return false
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A count that can be calculated with: whole, not negative, and exact as a number. Null for anything else. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** The sum of counters; null when one of them, or the sum, is none. */
export function sumOf(values: readonly unknown[]): number | null {
  let sum = 0
  for (const value of values) {
    const count = countOf(value)
    if (count === null) return null
    sum += count
  }
  return countOf(sum)
}
