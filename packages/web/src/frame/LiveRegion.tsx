import { useSyncExternalStore } from 'react'
import { announcements } from '../shell/announce.ts'

/** The live region of `announce`, one per application. Each text is a line of its own, read once. */
export function LiveRegion() {
  const texts = useSyncExternalStore(announcements.subscribe, announcements.get)
  return (
    <div aria-live="polite" aria-relevant="additions" className="sr-only">
      {texts.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
