import { hasUnsaved } from './unsaved.ts'

const listeners = new Set<() => void>()
let ready = false

/** Whether the server has another version than this page, and the page waits with it. */
export const newVersion = {
  isReady: () => ready,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/**
 * After an update the files of the old version are gone. A page that asks for one starts over with the new version,
 * but not twice within ten seconds: then something else is wrong, and the error page says so. A page with a
 * half-filled form never starts over by itself; it says that there is a new version. While the server is away nothing
 * is missing but the server: the page stays, or it would be lost.
 */
export async function startOver(): Promise<void> {
  const isThere = await fetch('/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!isThere) return
  if (hasUnsaved()) {
    ready = true
    for (const listener of listeners) listener()
    return
  }
  const key = 'slipway.started-over'
  if (Date.now() - Number(sessionStorage.getItem(key)) < 10_000) return
  sessionStorage.setItem(key, String(Date.now()))
  window.location.reload()
}
