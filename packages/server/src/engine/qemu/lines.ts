/**
 * What comes over a line, cut and looked at with care: the other end may be a guest that means harm, or a QEMU that a
 * guest makes talk.
 */

/**
 * Cuts a byte stream into lines, however it was cut into chunks. Every byte is looked at once, and no more than
 * `maxBytes` of a line are ever kept: with the first one that is longer the stream is given up.
 *
 * @param onTooLong called once; nothing is passed on any more
 */
export function lineSplitter(
  onLine: (line: string) => void,
  { maxBytes, onTooLong }: { maxBytes: number; onTooLong: () => void },
): (chunk: Buffer) => void {
  let kept = Buffer.alloc(0)
  let length = 0
  let givenUp = false

  function keep(part: Buffer): void {
    const needed = length + part.length
    if (needed > kept.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, kept.length * 2, 1024)))
      kept.copy(larger, 0, 0, length)
      kept = larger
    }
    part.copy(kept, length)
    length = needed
  }

  function takeLine(part: Buffer): string {
    if (length === 0) return part.toString('utf8').trim()
    keep(part)
    const line = kept.toString('utf8', 0, length).trim()
    kept = Buffer.alloc(0)
    length = 0
    return line
  }

  return (chunk) => {
    for (let from = 0; from < chunk.length && !givenUp; ) {
      const end = chunk.indexOf(10, from)
      const part = chunk.subarray(from, end < 0 ? chunk.length : end)
      if (length + part.length > maxBytes) {
        givenUp = true
        kept = Buffer.alloc(0)
        onTooLong()
        return
      }
      from += part.length + 1
      if (end < 0) keep(part)
      else {
        const line = takeLine(part)
        if (line) onLine(line)
      }
    }
  }
}

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
