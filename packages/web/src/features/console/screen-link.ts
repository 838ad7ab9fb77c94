import type { Reason } from './link-view.ts'
import { pauseMs } from './pause.ts'
import { ViewStore } from './view-store.ts'

export type ScreenState =
  | 'connecting'
  | 'connected'
  | 'reconnecting'
  /** The VM is off. */
  | 'off'
  /** The VM was deleted. */
  | 'gone'
  /** The session ended. */
  | 'refused'
  /** Gave up: the server does not answer. */
  | 'unreachable'
  /** Gave up: the VM runs, but its screen does not open. */
  | 'failed'

/** A screen that is shown or on its way; `onOpen` and `onClose` are called once each. */
export interface ScreenSocket {
  close: () => void
}

export interface ScreenLinkOptions {
  open: (events: { onOpen: () => void; onClose: () => void }) => ScreenSocket
  /** Why the screen was lost. */
  look: () => Promise<Reason>
}

/** About fifteen seconds, see `pauseMs`. */
const mostAttempts = 6
/** A connection that lasted so long counts as a success. */
const goodMs = 1_000

/** The connection to a screen: a few attempts after a break, then it says what happened. */
export class ScreenLink {
  readonly #options: ScreenLinkOptions
  readonly #store = new ViewStore<{ state: ScreenState }>({ state: 'connecting' })
  #socket: ScreenSocket | null = null
  #openedAt: number | null = null
  #attempts = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: ScreenLinkOptions) {
    this.#options = options
    this.#connect()
  }

  readonly state = (): ScreenState => this.#store.get().state
  readonly subscribe = this.#store.subscribe

  /** Tries again now, unless there is a connection. */
  readonly hurry = (): void => {
    if (this.#socket || this.#closed) return
    this.#attempts = 0
    this.#store.show({ state: 'reconnecting' })
    this.#connect()
  }

  /** Leaves the connection for a new one: it may be dead without the browser knowing. */
  readonly renew = (): void => {
    this.#drop()
    this.hurry()
  }

  close(): void {
    this.#closed = true
    this.#drop()
    this.#store.close()
  }

  #connect(): void {
    clearTimeout(this.#timer)
    let isCurrent = true
    const socket = this.#options.open({
      onOpen: () => {
        if (!isCurrent) return
        this.#openedAt = Date.now()
        this.#store.show({ state: 'connected' })
      },
      onClose: () => {
        if (isCurrent) void this.#lose()
      },
    })
    this.#socket = {
      close: () => {
        isCurrent = false
        socket.close()
      },
    }
  }

  async #lose(): Promise<void> {
    if (this.#openedAt !== null && Date.now() - this.#openedAt >= goodMs) this.#attempts = 0
    this.#drop()
    this.#store.show({ state: 'reconnecting' })
    const reason = await this.#options.look()
    if (this.#closed || this.#socket) return
    if (reason === 'off' || reason === 'gone' || reason === 'refused') {
      this.#store.show({ state: reason })
    } else if (this.#attempts >= mostAttempts) {
      this.#store.show({ state: reason === 'open' ? 'failed' : 'unreachable' })
    } else {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#connect(), pauseMs(this.#attempts++))
    }
  }

  #drop(): void {
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = null
    this.#openedAt = null
    socket?.close()
  }
}
