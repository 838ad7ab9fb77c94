/** Reads server-sent events, and sees to the order of their revisions. */
import type { Readable } from 'node:stream'

export interface Block {
  event: string
  /** The revision that a listener has with it. */
  id: string | null
  data: unknown
}

export function parseBlock(text: string): Block | null {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? null
  const data = field('data')
  return data === null ? null : { event: field('event') ?? '', id: field('id'), data: JSON.parse(data) }
}

/** Hands on every whole event of a stream. */
export function readBlocks(stream: Readable, hear: (block: Block) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (part: string) => {
    const texts = (rest + part).split('\n\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      const block = parseBlock(text)
      if (block) hear(block)
    }
  })
}

/** A revision is `<process>-<number>`; what is heard later has a higher number, beats at least the same. */
export function followRevisions() {
  let last: string | null = null
  const parted = (revision: string) => {
    const at = revision.lastIndexOf('-')
    return { epoch: revision.slice(0, at), number: Number(revision.slice(at + 1)) }
  }
  return {
    last: () => last,
    forget(): void {
      last = null
    },
    restart(revision: string): void {
      last = revision
    },
    /** What is wrong with hearing this one now, or null. */
    hear(revision: string, event: string): string | null {
      const before = last
      last = revision
      if (before === null) return null
      const [old, now] = [parted(before), parted(revision)]
      if (old.epoch !== now.epoch) return `went on with ${revision} after ${before} without a hello`
      if (now.number > old.number || (event === 'beat' && now.number === old.number)) return null
      return `sent ${revision} after ${before}`
    },
  }
}
