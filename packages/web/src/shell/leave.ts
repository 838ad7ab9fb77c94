import type { NavigateFunction } from 'react-router'
import { signOut } from '../api/session.ts'
import { paths } from '../paths.ts'

let leaving = false

/** Whether the user is signing out right now, as opposed to a session that expired. */
export const isLeaving = (): boolean => leaving

/** Signs out and goes to the landing page. */
export async function leave(navigate: NavigateFunction): Promise<void> {
  leaving = true
  try {
    await signOut()
    await navigate(paths.home)
  } finally {
    leaving = false
  }
}
