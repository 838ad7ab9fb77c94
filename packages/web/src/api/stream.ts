/**
 * Keeps one event stream open. A stream that is silent for too long counts as dead, even if its connection looks open,
 * and is opened again from its last revision. It runs in the shared worker as well as in a page, so it uses neither.
 */

/** The parts of a browser's EventSource that are used. */
export interface Source {
  readonly readyState: number
  addEventListener: (name: string, listener: (event: MessageEvent<string>) => void) => void
  close: () => void
}

export interface StreamOptions {
  open: (url: string) => Source
  /** The URL without the parameter `after`. */
  url: string
  /** Names of the events to forward. */
  names: readonly string[]
  /** The revision that is known already. */
  after: string | null
  onEvent: (event: { name: string; revision: string | null; data: string }) => void
  /** When the stream was lost, in milliseconds; null while there is one. */
  onState: (lostSince: number | null) => void
  /** The server responded, but not with a stream: the session may have ended. */
  onRefused: () => void
}

/** The server sends a beat every 15 s. */
export const silenceMs = 40_000
/** A reachable server sends `hello` at once. */
const greetingMs = 10_000
const firstPauseMs = 1_000
const longestPauseMs = 15_000
/** EventSource.CLOSED; the name is not there in every place this runs. */
const closed = 2

export function makeStream({ open, url, names, after, onEvent, onState, onRefused }: StreamOptions) {
  let source: Source | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = after
  let lastHeard = Date.now()
  let tries = 0
  let lostSince: number | null = null

  function connect(): void {
    source?.close()
    const fresh = open(`${url}${url.includes('?') ? '&' : '?'}${last === null ? '' : `after=${last}`}`)
    source = fresh
    waitFor(greetingMs)
    const hear = (name: string, handOn: boolean) =>
      fresh.addEventListener(name, ({ data, lastEventId }) => {
        // A closed source may still deliver events.
        if (source !== fresh) return
        lastHeard = Date.now()
        if (lastEventId) last = lastEventId
        if (name === 'hello') setLost(null)
        waitFor(silenceMs)
        if (handOn) onEvent({ name, revision: lastEventId || null, data })
      })
    for (const name of ['hello', ...names]) hear(name, true)
    hear('beat', false)
    fresh.addEventListener('error', () => {
      if (source !== fresh) return
      const isRefused = fresh.readyState === closed
      lose()
      if (isRefused) onRefused()
    })
  }

  function waitFor(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(lose, ms)
  }

  function lose(): void {
    source?.close()
    source = null
    setLost(lostSince ?? Date.now())
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** tries++)
    clearTimeout(timer)
    // Spreads the attempts of many browsers when the server is back.
    timer = setTimeout(connect, pause * (0.5 + Math.random() / 2))
  }

  function setLost(since: number | null): void {
    if (since === null) tries = 0
    if (since === lostSince) return
    lostSince = since
    onState(since)
  }

  connect()

  return {
    lostSince: () => lostSince,
    /** Tries now, because it may work: the network is back, or the page became visible. */
    hurry(): void {
      // A computer that slept did not run timers either.
      if (source && Date.now() - lastHeard < silenceMs) return
      tries = 0
      connect()
    },
    stop(): void {
      clearTimeout(timer)
      source?.close()
      source = null
    },
  }
}
