import { lazy, Suspense } from 'react'
import { useHost } from '../api/host.ts'

// Few ever see it.
const NoticeLine = lazy(async () => ({ default: (await import('./NoticeLine.tsx')).NoticeLine }))

/** What the operator tells everybody, above each page while there is something. */
export function OperatorNotice() {
  const notice = useHost()?.notice
  return notice ? (
    <Suspense fallback={null}>
      <NoticeLine notice={notice} />
    </Suspense>
  ) : null
}
