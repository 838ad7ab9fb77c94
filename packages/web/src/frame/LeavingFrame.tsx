import { LeavingAccount } from '../features/account/LeavingAccount.tsx'
import { PublicFrame } from './PublicFrame.tsx'

/** In place of the console for somebody whose account is being deleted. */
export function LeavingFrame() {
  return (
    <PublicFrame>
      <LeavingAccount />
    </PublicFrame>
  )
}
