import { useLostSince } from '../api/connection.ts'
import { formatMinute } from '../time.ts'
import { Banner } from '../ui/Banner.tsx'

/** Says that the page hears nothing of the server, once that has lasted. It goes when the page is up to date again. */
export function ConnectionLine() {
  const since = useLostSince()
  if (since === null) return null
  return (
    <div role="status">
      <Banner tone="warn" className="mb-5">
        Connection to the server lost at {formatMinute(since)}. Trying again...
      </Banner>
    </div>
  )
}
