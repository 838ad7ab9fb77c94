import { Outlet } from 'react-router'
import { AppFrame } from './AppFrame.tsx'
import { RequireSession } from './guards.tsx'

/** Everything behind the sign-in. */
export function Component() {
  return (
    <RequireSession>
      <AppFrame>
        <Outlet />
      </AppFrame>
    </RequireSession>
  )
}
