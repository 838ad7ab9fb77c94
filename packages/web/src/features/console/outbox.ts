import { splitBytes } from './split-bytes.ts'

/** One message to the guest; a serial line accepts no more at once. */
const pieceBytes = 4096
/** How much may wait in the browser's socket; the rest waits here. */
const bufferedBytes = 64 * 1024
const retryMs = 20

/** Input that did not get through: `unsent` certainly did not arrive, `unconfirmed` may or may not have. */
export interface LostInput {
  unsent: number
  unconfirmed: number
}

/**
 * Sends what is typed over a socket, no faster than the socket takes it, and counts what the guest has confirmed. Input
 * is never sent a second time: the guest may have run it already.
 */
export class Outbox {
  readonly #socket: Pick<WebSocket, 'send' | 'bufferedAmount'>
  #waiting: Uint8Array[] = []
  #sent = 0
  #confirmed = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(socket: Pick<WebSocket, 'send' | 'bufferedAmount'>) {
    this.#socket = socket
  }

  add(bytes: Uint8Array): void {
    this.#waiting.push(...splitBytes(bytes, pieceBytes))
    this.#flush()
  }

  /** The guest has accepted this many bytes since the socket opened. */
  confirm(total: number): void {
    this.#confirmed = total
  }

  /** Ends it and returns what did not get through. */
  end(): LostInput {
    clearTimeout(this.#timer)
    const unsent = this.#waiting.reduce((sum, { length }) => sum + length, 0)
    this.#waiting = []
    return { unsent, unconfirmed: Math.max(0, this.#sent - this.#confirmed) }
  }

  #flush(): void {
    clearTimeout(this.#timer)
    while (this.#waiting[0] && this.#socket.bufferedAmount < bufferedBytes) {
      const piece = this.#waiting[0].slice()
      this.#socket.send(piece)
      this.#sent += piece.length
      this.#waiting.shift()
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#flush(), retryMs)
  }
}
