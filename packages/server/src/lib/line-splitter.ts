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
