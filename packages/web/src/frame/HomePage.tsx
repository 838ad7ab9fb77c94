import { lazy, Suspense } from 'react'
import { useSession } from '../api/session.ts'
import { Component as LandingPage } from '../features/public/LandingPage.tsx'
import { FullPageNote } from '../shell/FullPageNote.tsx'
import { PublicFrame } from './PublicFrame.tsx'
import { PublicActions } from './PublicLayout.tsx'

// A visitor of the landing page does not fetch the console, only its frame knows where it is.
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

/** `/` never redirects: the landing page for visitors, the dashboard for users, and neither before that is known. */
export function Component() {
  const { state } = useSession()
  const wait = <FullPageNote text="Loading..." />
  if (state === 'checking') return wait
  if (state === 'out') {
    return (
      <PublicFrame actions={<PublicActions />}>
        <LandingPage />
      </PublicFrame>
    )
  }
  return (
    <Suspense fallback={wait}>
      <Dashboard />
    </Suspense>
  )
}
