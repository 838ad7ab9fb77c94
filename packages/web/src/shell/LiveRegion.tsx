import { useSyncExternalStore } from 'react'
import { announcements } from './announce.ts'

/** The one polite live region of the console; `announce` speaks through it. */
export function LiveRegion() {
  const message = useSyncExternalStore(announcements.subscribe, announcements.latest)
  return (
    <div aria-live="polite" className="sr-only">
      {message}
    </div>
  )
}
