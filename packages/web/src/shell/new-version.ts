import { hasUnsaved } from './unsaved.ts'

const listeners = new Set<() => void>()
let ready = false

/** Whether the server has a newer version and the page is waiting to load it. */
export const newVersion = {
  isReady: () => ready,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/**
 * After an update the files of the old version no longer exist. A page that requests one reloads with the new version,
 * but not twice within ten seconds: then something else is wrong, and the error page says so. A page with a
 * half-filled form does not reload. It shows that there is a new version.
 */
export function startOver(): void {
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
