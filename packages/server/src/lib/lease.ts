/**
 * Who drives: of all servers of an installation one makes wishes true, and the others answer requests. What it holds has
 * a number, which is higher with every change of hands.
 */
export interface Lease {
  /** The number under which this server drives; null while another does, or nobody knows. */
  number(): number | null
  /** Who drives as far as it was seen last, for people; null when nobody does or nothing was read yet. */
  holder(): string | null
  /** Waits until it is this server's. Rejects when the signal is aborted, or when it can never be. */
  take(signal: AbortSignal): Promise<number>
  /** Gives it up, so that another may have it at once. Idempotent; never rejects. */
  release(): Promise<void>
}
