import {
  type ConsoleAsking,
  type ConsoleSaying,
  consoleBeatMs,
  consoleCloses,
  consoleTailBytes,
} from '@slipway/contract'
import { ConsoleStream, type Piece } from './console-stream.ts'
import type { LinkState, LinkView, Reason } from './link-view.ts'
import { type LostInput, Outbox } from './outbox.ts'
import { pauseMs } from './pause.ts'
import { ViewStore } from './view-store.ts'

export interface LinkOptions {
  /** Opens a socket, `from` an offset or from the last bytes. */
  open: (from: number | undefined) => WebSocket
  /** Why a socket did not open. */
  look: () => Promise<Reason>
  /** Input did not get through, or perhaps not, because the connection broke. */
  onLost?: (lost: LostInput) => void
  /** Input was not sent because the connection is interrupted; called once for each interruption. */
  onIgnored?: () => void
}

/** A socket from which nothing came for so long is dead, although the browser believes it open. */
const silentMs = 2.5 * consoleBeatMs
/** A terminal slower than its guest holds at most so much: above `most` the connection is closed, below `few` opened again. */
const undrawnBytes = { most: 8 * 1024 * 1024, few: 512 * 1024 }
/** A connection that lasted so long was a good one. */
const goodMs = 1_000

/**
 * The connection to a console. It reconnects after every break and continues at the offset it had reached, so that what
 * is drawn has neither gaps nor repeats. What arrives before there is a terminal is kept for it.
 */
export class ConsoleLink {
  readonly #options: LinkOptions
  readonly #stream: ConsoleStream
  readonly #store = new ViewStore<LinkView>({ state: 'connecting', viewers: [], screen: null })
  #socket: WebSocket | null = null
  #openedAt: number | null = null
  #attempts = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #vmIsOpen = true
  #size: ConsoleAsking | null = null
  #outbox: Outbox | null = null
  #heardAt = 0
  #watch: ReturnType<typeof setInterval> | undefined
  #sink: ((piece: Piece) => void) | null = null
  #undrawn: Piece[] = []
  #undrawnBytes = 0
  #ignores = false
  #closed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#stream = new ConsoleStream((piece) => {
      if (piece.kind === 'bytes') this.#undrawnBytes += piece.bytes.length
      if (this.#sink) this.#sink(piece)
      else this.#undrawn.push(piece)
    })
    this.#connect()
  }

  readonly view = this.#store.get
  readonly subscribe = this.#store.subscribe

  /** Hands everything to be drawn to a terminal, what came before it included. */
  draw(sink: (piece: Piece) => void): void {
    this.#sink = sink
    for (const piece of this.#undrawn.splice(0)) sink(piece)
  }

  /** A terminal has drawn so many bytes. */
  drawn(bytes: number): void {
    this.#undrawnBytes -= bytes
    const resting = !this.#socket && this.#store.get().state === 'connected'
    if (resting && this.#undrawnBytes < undrawnBytes.few) this.#connect()
  }

  /** Shows the log of a console that does not open, until it does. */
  keep(log: Uint8Array): void {
    const tail = log.subarray(-consoleTailBytes)
    const start = tail.length < log.length ? tail.indexOf(0x0a) + 1 : 0
    if (tail.length > start) this.#stream.keep(tail.subarray(start))
  }

  /** Whether anything of this console has been seen. */
  get hasText(): boolean {
    return this.#stream.from !== undefined
  }

  /** Sends what was typed, or says that it is not sent: input is not kept for a guest that may be another one then. */
  type(bytes: Uint8Array): void {
    const isConnected = this.#store.get().state === 'connected'
    if (isConnected && this.#outbox) {
      this.#outbox.add(bytes)
    } else if (!this.#ignores && (isConnected || this.#store.get().state === 'reconnecting')) {
      this.#ignores = true
      this.#options.onIgnored?.()
    }
  }

  resize(cols: number, rows: number): void {
    this.#size = { type: 'resize', cols, rows }
    this.#tellSize()
  }

  /** Reconnects now: instead of waiting any longer, or because the socket has been silent for too long. */
  readonly hurry = (): void => {
    const { state } = this.#store.get()
    if (this.#socket && this.#isSilent()) this.renew()
    if (this.#socket || state === 'gone' || (state === 'off' && !this.#vmIsOpen)) return
    this.#attempts = 0
    this.#connect()
  }

  /** Leaves the socket for a new one: it is silent, or the network changed and it may be dead. */
  readonly renew = (): void => {
    if (!this.#socket) {
      this.hurry()
      return
    }
    this.#drop()
    this.#attempts = 0
    this.#store.show({ state: this.#store.get().state === 'off' ? 'off' : this.#waitingState() })
    this.#connect()
  }

  /** Whether the status of the VM allows to look into it. */
  vmIs(open: boolean): void {
    const turned = open && !this.#vmIsOpen
    this.#vmIsOpen = open
    if (turned) this.hurry()
    if (!open && this.#store.get().state === 'off') clearTimeout(this.#timer)
  }

  close(): void {
    this.#closed = true
    // What was handed to the socket still leaves with its end.
    this.#drop('flushed')
    clearTimeout(this.#timer)
    this.#store.close()
  }

  #connect(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    if (['refused', 'full'].includes(this.#store.get().state))
      this.#store.show({ state: this.#waitingState() })
    const socket = this.#options.open(this.#stream.from)
    this.#socket = socket
    this.#outbox = new Outbox(socket)
    this.#heardAt = Date.now()
    clearInterval(this.#watch)
    this.#watch = setInterval(() => this.#isSilent() && this.renew(), consoleBeatMs / 5)
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.#openedAt = Date.now()
      this.#stream.begin()
      this.#tellSize()
    }
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#heardAt = Date.now()
      if (typeof data !== 'string') {
        this.#stream.take(new Uint8Array(data))
        // The server keeps what it has not sent, and the socket still delivers what was typed.
        if (this.#undrawnBytes > undrawnBytes.most) this.#drop('flushed')
        return
      }
      // The server made it by the contract's shape.
      this.#hear(JSON.parse(data) as ConsoleSaying)
    }
    socket.onclose = ({ code }) => void this.#lose(code)
  }

  #hear(saying: ConsoleSaying): void {
    this.#stream.say(saying)
    if (saying.type === 'at') {
      this.#ignores = false
      this.#store.show({ state: 'connected' })
    }
    if (saying.type === 'beat') this.#outbox?.confirm(saying.typed)
    if (saying.type === 'viewers') this.#store.show({ viewers: saying.viewers })
    if (saying.type === 'screen') this.#store.show({ screen: saying.available })
  }

  async #lose(code: number): Promise<void> {
    const opened = this.#openedAt
    this.#drop()
    if (opened !== null && Date.now() - opened >= goodMs) this.#attempts = 0
    if (code === consoleCloses.ended) return this.#wait('off')
    if (code === consoleCloses.full) return this.#store.show({ state: 'full', viewers: [] })
    if (opened !== null && code !== consoleCloses.refused) return this.#wait(this.#waitingState())
    const began = this.#store.get().state
    if (began !== 'off') this.#store.show({ state: this.#waitingState(), viewers: [] })
    const reason = await this.#options.look()
    if (this.#socket || this.#closed) return
    if (reason === 'gone' || reason === 'refused') return this.#store.show({ state: reason })
    this.#wait(reason === 'off' || (began === 'off' && reason === 'unknown') ? 'off' : this.#waitingState())
  }

  /** Tries again after a pause; of a VM that is off only if its status has not said so yet. */
  #wait(state: LinkState): void {
    this.#store.show({ state, viewers: [] })
    if (state === 'off' && !this.#vmIsOpen) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), pauseMs(this.#attempts++))
  }

  #waitingState(): LinkState {
    return this.hasText ? 'reconnecting' : 'connecting'
  }

  #isSilent(): boolean {
    return Date.now() - this.#heardAt > silentMs
  }

  /** Forgets the socket and ignores what it still says. `flushed`: the socket works, so what it holds will arrive. */
  #drop(how: 'broken' | 'flushed' = 'broken'): void {
    const socket = this.#socket
    this.#socket = null
    this.#openedAt = null
    clearInterval(this.#watch)
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null
      socket.close()
    }
    const lost = this.#outbox?.end() ?? { unsent: 0, unconfirmed: 0 }
    this.#outbox = null
    if (how === 'flushed') lost.unconfirmed = 0
    if (lost.unsent + lost.unconfirmed > 0) this.#options.onLost?.(lost)
  }

  #tellSize(): void {
    if (this.#size && this.#openedAt !== null) this.#socket?.send(JSON.stringify(this.#size))
  }
}
