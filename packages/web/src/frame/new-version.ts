import { isServerThere } from '../api/host.ts'
import { hasUnsaved } from '../shell/unsaved.ts'

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
 * Called when a file of the console could not be loaded. After an update the files of the old version no longer exist,
 * and the page reloads with the new version, but not twice within ten seconds: then something else is wrong, and the
 * error page says so. While the server is unreachable the page stays, because a reload would lose it. A page with a
 * half-filled form does not reload either. It shows that there is a new version.
 */
export async function startOver(): Promise<void> {
  if (!(await isServerThere())) return
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
