/** Time as the server sees it; tests and the simulated engine bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment of this process. Nobody can set it, so it never jumps. */
  monotonic(): number
  /** Calls back once after `ms`; returns the way to call it off. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** ISO 8601 in UTC, as it goes over the wire. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
