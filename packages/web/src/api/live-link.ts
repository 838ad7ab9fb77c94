/** Connects a tab to the event stream: through the worker that all tabs share, or with a stream of its own. */
import { makeHub, type ToHub, type ToTab } from './hub.ts'

export interface LinkOptions {
  /** Whose stream it is: tabs of different users share nothing. */
  userId: string
  url: string
  names: readonly string[]
  after: string | null
  hear: (message: ToTab) => void
}

/** Joins the stream; returns the way to leave. */
export function joinStream({ userId, url, names, after, hear }: LinkOptions): () => void {
  let last = after
  let post: (message: ToHub) => void = () => {}
  const join = () => post({ do: 'join', url, names, after: last })
  const leave = () => post({ do: 'leave' })

  function take(message: ToTab): void {
    if (message.say === 'event' && message.revision !== null) last = message.revision
    hear(message)
  }

  function joinAlone(): void {
    const hub = makeHub((address) => new EventSource(address, { withCredentials: true }))
    post = (message) => hub.take(take, message)
    join()
  }

  if (typeof SharedWorker === 'undefined') joinAlone()
  else {
    const worker = new SharedWorker(new URL('./live.worker.ts', import.meta.url), {
      type: 'module',
      name: `slipway-live-${userId}`,
    })
    post = (message) => worker.port.postMessage(message)
    // Such as after an update, when the file of this version no longer exists.
    worker.addEventListener('error', joinAlone, { once: true })
    worker.port.onmessage = ({ data }: MessageEvent<ToTab>) => take(data)
    join()
  }

  const hurry = () => {
    if (!document.hidden) post({ do: 'hurry' })
  }
  // A page in the back-forward cache gets no events, and has missed some when it is shown again.
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) join()
  }
  window.addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)
  window.addEventListener('pagehide', leave)
  window.addEventListener('pageshow', show)
  return () => {
    window.removeEventListener('online', hurry)
    document.removeEventListener('visibilitychange', hurry)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('pageshow', show)
    leave()
  }
}
