import { type ConsoleAsking, type ConsoleSaying, consoleCloses, consoleTailBytes } from '@slipway/contract'
import { ConsoleStream, type Piece } from './console-stream.ts'
import { pauseMs } from './pause.ts'
import { splitBytes } from './split-bytes.ts'

export type LinkState =
  | 'connecting'
  | 'connected'
  | 'reconnecting'
  /** The VM is off, or not there yet; it connects by itself when that changes. */
  | 'off'
  /** No such VM any more. */
  | 'gone'
  /** The session ended. */
  | 'refused'
  /** Too many look on already. */
  | 'full'

export interface LinkView {
  state: LinkState
  viewers: readonly Viewer[]
  /** Whether the guest has a screen; null until the server said so. */
  screen: boolean | null
}

export type Viewer = Extract<ConsoleSaying, { type: 'viewers' }>['viewers'][number]

/** What a browser cannot read of a refused socket, asked for in another way; `unknown` when nobody answers. */
export type Reason = 'open' | 'off' | 'gone' | 'refused' | 'unknown'

export interface LinkOptions {
  /** Opens a socket, `from` an offset or from the last bytes. */
  open: (from: number | undefined) => WebSocket
  /** Why a socket did not open. */
  look: () => Promise<Reason>
  /** So many bytes of what was typed or pasted did not arrive because the line broke. */
  onLost?: (bytes: number) => void
}

/** One message to the guest; a serial line takes no more at once anyway. */
const pieceBytes = 4096
/** What may wait in the browser; the rest waits here. */
const waitingBytes = 64 * 1024
const waitMs = 20
/** More than this is not kept for a terminal that is slower than its guest: the line is cut, and taken up again below the other. */
const undrawnBytes = { most: 8 * 1024 * 1024, few: 512 * 1024 }
/** A connection that lasted so long was a good one. */
const goodMs = 1_000

/**
 * The line to a console. It comes back by itself after every break and goes on where it was, so that what is drawn
 * has neither a hole nor a double. Nothing is lost either while nobody draws yet.
 */
export class ConsoleLink {
  readonly #options: LinkOptions
  readonly #stream: ConsoleStream
  readonly #listeners = new Set<() => void>()
  #view: LinkView = { state: 'connecting', viewers: [], screen: null }
  #socket: WebSocket | null = null
  #openedAt: number | null = null
  #attempts = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #vmIsOpen = true
  #size: ConsoleAsking | null = null
  #outbox: Uint8Array[] = []
  #sending: ReturnType<typeof setTimeout> | undefined
  #sink: ((piece: Piece) => void) | null = null
  #undrawn: Piece[] = []
  #undrawnBytes = 0
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

  readonly view = (): LinkView => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Hands everything to be drawn to a terminal, what came before it included. */
  draw(sink: (piece: Piece) => void): void {
    this.#sink = sink
    for (const piece of this.#undrawn.splice(0)) sink(piece)
  }

  /** A terminal has drawn so many bytes. */
  drawn(bytes: number): void {
    this.#undrawnBytes -= bytes
    const resting = !this.#socket && this.#view.state === 'connected'
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

  /** Sends what was typed; false when nobody takes it now. */
  type(bytes: Uint8Array): boolean {
    if (this.#view.state !== 'connected') return false
    this.#outbox.push(...splitBytes(bytes, pieceBytes))
    this.#send()
    return true
  }

  resize(cols: number, rows: number): void {
    this.#size = { type: 'resize', cols, rows }
    this.#tellSize()
  }

  /** Does not wait any longer, if it waits. */
  readonly hurry = (): void => {
    if (this.#socket || this.#view.state === 'gone') return
    if (this.#view.state === 'off' && !this.#vmIsOpen) return
    this.#attempts = 0
    this.#connect()
  }

  /** The network is another one: an old connection may be dead without knowing. */
  readonly renew = (): void => {
    if (!this.#socket) {
      this.hurry()
      return
    }
    this.#drop()
    this.#attempts = 0
    this.#show({ state: this.#view.state === 'off' ? 'off' : this.#waitingState() })
    this.#connect()
  }

  /** Whether the status of the VM allows to look into it. */
  vmIs(open: boolean): void {
    const turned = open && !this.#vmIsOpen
    this.#vmIsOpen = open
    if (turned) this.hurry()
    if (!open && this.#view.state === 'off') clearTimeout(this.#timer)
  }

  close(): void {
    this.#closed = true
    this.#drop()
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  #connect(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    if (['refused', 'full'].includes(this.#view.state)) this.#show({ state: this.#waitingState() })
    const socket = this.#options.open(this.#stream.from)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.#openedAt = Date.now()
      this.#stream.begin()
      this.#tellSize()
    }
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') {
        this.#stream.take(new Uint8Array(data))
        // What was not sent yet stays on the server. Nobody needs to know.
        if (this.#undrawnBytes > undrawnBytes.most) this.#drop()
        return
      }
      // The server made it by the contract's shape.
      this.#hear(JSON.parse(data) as ConsoleSaying)
    }
    socket.onclose = ({ code }) => void this.#lose(code)
  }

  #hear(saying: ConsoleSaying): void {
    this.#stream.say(saying)
    if (saying.type === 'at') this.#show({ state: 'connected' })
    if (saying.type === 'viewers') this.#show({ viewers: saying.viewers })
    if (saying.type === 'screen') this.#show({ screen: saying.available })
  }

  async #lose(code: number): Promise<void> {
    const opened = this.#openedAt
    this.#drop()
    if (opened !== null && Date.now() - opened >= goodMs) this.#attempts = 0
    if (code === consoleCloses.ended) return this.#wait('off')
    if (code === consoleCloses.full) return this.#show({ state: 'full', viewers: [] })
    if (opened !== null && code !== consoleCloses.refused) return this.#wait(this.#waitingState())
    const began = this.#view.state
    if (began !== 'off') this.#show({ state: this.#waitingState(), viewers: [] })
    const reason = await this.#options.look()
    if (this.#socket || this.#closed) return
    if (reason === 'gone' || reason === 'refused') return this.#show({ state: reason })
    this.#wait(reason === 'off' || (began === 'off' && reason === 'unknown') ? 'off' : this.#waitingState())
  }

  /** Tries again after a pause; of a VM that is off only if its status has not said so yet. */
  #wait(state: LinkState): void {
    this.#show({ state, viewers: [] })
    if (state === 'off' && !this.#vmIsOpen) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), pauseMs(this.#attempts++))
  }

  #waitingState(): LinkState {
    return this.hasText ? 'reconnecting' : 'connecting'
  }

  /** Forgets the socket; what it still says is not heard. */
  #drop(): void {
    const socket = this.#socket
    this.#socket = null
    this.#openedAt = null
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null
      socket.close()
    }
    clearTimeout(this.#sending)
    const lost = this.#outbox.reduce((sum, { length }) => sum + length, 0)
    this.#outbox = []
    if (lost > 0) this.#options.onLost?.(lost)
  }

  #send(): void {
    clearTimeout(this.#sending)
    const socket = this.#socket
    if (!socket) return
    while (this.#outbox[0] && socket.bufferedAmount < waitingBytes) {
      socket.send(this.#outbox[0].slice())
      this.#outbox.shift()
    }
    if (this.#outbox.length > 0) this.#sending = setTimeout(() => this.#send(), waitMs)
  }

  #tellSize(): void {
    if (this.#size && this.#openedAt !== null) this.#socket?.send(JSON.stringify(this.#size))
  }

  #show(change: Partial<LinkView>): void {
    const next = { ...this.#view, ...change }
    if (
      next.state === this.#view.state &&
      next.viewers === this.#view.viewers &&
      next.screen === this.#view.screen
    )
      return
    this.#view = next
    for (const listener of this.#listeners) listener()
  }
}
