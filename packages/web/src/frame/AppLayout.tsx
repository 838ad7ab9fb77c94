import { Outlet } from 'react-router'
import { RequireSession } from '../shell/guards.tsx'
import { AppFrame } from './AppFrame.tsx'

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
