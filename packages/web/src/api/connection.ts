import { useEffect, useState, useSyncExternalStore } from 'react'

let lostSince: number | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Since when the page hears nothing of the server, in milliseconds; null while it does. */
export function setLostSince(since: number | null): void {
  lostSince = since
  for (const listener of listeners) listener()
}

/** A connection that is back within this time was never missed. */
const quietMs = 4_000

/** Since when the server cannot be reached, once that has lasted; null while there is nothing to say. */
export function useLostSince(): number | null {
  const since = useSyncExternalStore(subscribe, () => lostSince)
  const [shown, setShown] = useState<number | null>(null)
  useEffect(() => {
    if (since === null) return setShown(null)
    const timer = setTimeout(() => setShown(since), since + quietMs - Date.now())
    return () => clearTimeout(timer)
  }, [since])
  return shown
}
