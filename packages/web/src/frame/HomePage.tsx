import { lazy, Suspense } from 'react'
import { useSession } from '../api/session.ts'
import { Component as LandingPage } from '../features/public/LandingPage.tsx'
import { FullPageNote } from '../shell/FullPageNote.tsx'
import { PublicFrame } from './PublicFrame.tsx'
import { PublicActions } from './PublicLayout.tsx'

// Visitors of the landing page do not load the console.
const Dashboard = lazy(async () => {
  const [{ AppFrame }, { Component: DashboardPage }] = await Promise.all([
    import('./AppFrame.tsx'),
    import('../features/dashboard/DashboardPage.tsx'),
  ])
  return {
    default: () => (
      <AppFrame>
        <DashboardPage />
      </AppFrame>
    ),
  }
})

const LeavingFrame = lazy(async () => ({ default: (await import('./LeavingFrame.tsx')).LeavingFrame }))

/** `/` never redirects. Visitors get the landing page, users the dashboard, and neither until that is known. */
export function Component() {
  const { state, user } = useSession()
  const wait = <FullPageNote text="Loading..." />
  if (state === 'checking') return wait
  if (state === 'out') {
    return (
      <PublicFrame actions={<PublicActions />}>
        <LandingPage />
      </PublicFrame>
    )
  }
  return <Suspense fallback={wait}>{user.delete_at ? <LeavingFrame /> : <Dashboard />}</Suspense>
}
