import type { NavigateFunction } from 'react-router'
import { signOut } from '../api/session.ts'
import { paths } from '../paths.ts'

let leaving = false

/** Whether the user is signing out at this moment, as opposed to a session that ends by itself. */
export const isLeaving = (): boolean => leaving

/** Signs out and leads home. */
export async function leave(navigate: NavigateFunction): Promise<void> {
  leaving = true
  try {
    await signOut()
    await navigate(paths.home)
  } finally {
    leaving = false
  }
}
