import type { ConsoleNote, ConsoleSaying } from '@slipway/contract'

/** What a terminal gets, in the order in which it is drawn. */
export type Piece =
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'note'; note: ConsoleNote; at: string }
  /** So many bytes were forgotten before they could be sent. */
  | { kind: 'gap'; bytes: number }
  /** What is there was kept from before; it comes again. */
  | { kind: 'clear' }
  /** The offsets begin anew: what follows has nothing to do with what is there. */
  | { kind: 'anew' }
  /** What follows was printed before anybody looked here; questions in it have been answered. */
  | { kind: 'replay' }
  | { kind: 'live' }

/** A line that is longer than this is not waited for. */
const longestLine = 4096

const newline = 0x0a

/**
 * Counts what a console sent over any number of connections, and turns it into what is to be drawn. The last bytes of
 * a long history may begin within a character or an escape sequence, so they are drawn from their first line break on.
 */
export class ConsoleStream {
  readonly #draw: (piece: Piece) => void
  #next: number | undefined
  /** What may be the end of a line whose beginning is not known; null while lines are whole. */
  #broken: Uint8Array[] | null = null
  #live = false
  #kept = false
  readonly #notes = new Set<string>()

  constructor(draw: (piece: Piece) => void) {
    this.#draw = draw
  }

  /** The offset to go on from; undefined before anything came. */
  get from(): number | undefined {
    return this.#next
  }

  /** A connection was made: what was kept comes first. */
  begin(): void {
    this.#live = false
    this.#draw({ kind: 'replay' })
  }

  /** Draws what is known of a console that does not open, for as long as it does not. */
  keep(bytes: Uint8Array): void {
    if (this.#next !== undefined || this.#kept) return
    this.#kept = true
    this.#draw({ kind: 'bytes', bytes })
  }

  say(saying: ConsoleSaying): void {
    if (saying.type === 'at') this.#goTo(saying.offset)
    if (saying.type === 'note') this.#note(saying)
    if (saying.type === 'live') {
      this.#mend()
      this.#live = true
      this.#draw({ kind: 'live' })
    }
  }

  take(bytes: Uint8Array): void {
    if (this.#next === undefined || bytes.length === 0) return
    this.#next += bytes.length
    if (!this.#broken) {
      this.#draw({ kind: 'bytes', bytes })
      return
    }
    const end = bytes.indexOf(newline)
    if (end === -1) {
      this.#broken.push(bytes)
      if (this.#broken.reduce((sum, { length }) => sum + length, 0) > longestLine) this.#mend()
      return
    }
    this.#broken = null
    if (end + 1 < bytes.length) this.#draw({ kind: 'bytes', bytes: bytes.subarray(end + 1) })
  }

  #goTo(offset: number): void {
    const next = this.#next
    if (offset === next) return
    this.#mend()
    this.#next = offset
    if (this.#kept) this.#draw({ kind: 'clear' })
    this.#kept = false
    if (next !== undefined) {
      this.#draw(offset > next ? { kind: 'gap', bytes: offset - next } : { kind: 'anew' })
    }
    // Somebody who looks on must not wait for the end of a line that may be a prompt.
    if (offset > 0 && !this.#live) this.#broken = []
  }

  #note({ note, offset, at }: Extract<ConsoleSaying, { type: 'note' }>): void {
    // After a break those at the offset from which it goes on come once more.
    const key = `${offset} ${at} ${note}`
    if (this.#notes.has(key)) return
    this.#notes.add(key)
    this.#mend()
    this.#draw({ kind: 'note', note, at })
  }

  /** Draws what was held back: it will not become whole. */
  #mend(): void {
    const held = this.#broken
    this.#broken = null
    for (const bytes of held ?? []) this.#draw({ kind: 'bytes', bytes })
  }
}
