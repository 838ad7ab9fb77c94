import { useEffect, useState, useSyncExternalStore } from 'react'

let lostSince: number | null = null
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** When the connection to the server was lost, in milliseconds; null while there is one. */
export function setLostSince(since: number | null): void {
  lostSince = since
  for (const listener of listeners) listener()
}

/** Shorter interruptions are not shown. */
const quietMs = 4_000

/** When the connection was lost, once that has lasted long enough to be shown; null otherwise. */
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
