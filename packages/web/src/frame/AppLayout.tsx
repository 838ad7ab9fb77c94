import { lazy, Suspense } from 'react'
import { Outlet } from 'react-router'
import { useSession } from '../api/session.ts'
import { FullPageNote } from '../shell/FullPageNote.tsx'
import { RequireSession } from '../shell/guards.tsx'
import { AppFrame } from './AppFrame.tsx'

const LeavingFrame = lazy(async () => ({ default: (await import('./LeavingFrame.tsx')).LeavingFrame }))

/** Everything behind the sign-in. */
export function Component() {
  const { user } = useSession()
  return (
    <RequireSession>
      {user?.delete_at ? (
        <Suspense fallback={<FullPageNote text="Loading..." />}>
          <LeavingFrame />
        </Suspense>
      ) : (
        <AppFrame>
          <Outlet />
        </AppFrame>
      )}
    </RequireSession>
  )
}
