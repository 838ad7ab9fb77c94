/** The lease: which one of the servers on a database drives what all of them show. */
export interface Lease {
  /** The number under which this server drives; null while another does, or nobody knows. */
  number(): number | null
  /** Who holds it as far as it was seen last, for people; null when nobody does or nothing was read yet. */
  holder(): string | null
  /**
   * Waits until it is this server's, and resolves to its number. Rejects when the signal is aborted, or when it can
   * never be this server's. One wait at a time.
   */
  take(signal: AbortSignal): Promise<number>
  /** Gives it up, so that another may have it at once. Idempotent; never rejects. */
  release(): Promise<void>
}

/** The lease of a server that has its database to itself: nobody else can want it. */
export function heldLease(name: string): Lease {
  let isMine = false
  return {
    number: () => (isMine ? 1 : null),
    holder: () => (isMine ? name : null),
    async take(signal) {
      signal.throwIfAborted()
      isMine = true
      return 1
    },
    async release() {
      isMine = false
    },
  }
}
