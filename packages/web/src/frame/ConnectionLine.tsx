import { useEffect, useRef } from 'react'
import { useLostSince } from '../api/connection.ts'
import { announce } from '../shell/announce.ts'
import { formatMinute } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'

/** Shown when the page has had no connection to the server for a while, until the page is up to date again. */
export function ConnectionLine() {
  const since = useLostSince()
  const wasLost = useRef(false)
  useEffect(() => {
    // Others see that the line is gone.
    if (since === null && wasLost.current) announce('Connected to the server again')
    wasLost.current = since !== null
  }, [since])
  if (since === null) return null
  return (
    <div role="status">
      <Banner tone="warn" className="mb-5">
        Connection to the server lost at {formatMinute(since)}. This page may be out of date. Trying again...
      </Banner>
    </div>
  )
}
