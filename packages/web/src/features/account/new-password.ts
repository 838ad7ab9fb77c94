import { isStrongEnough } from '@slipway/contract'
import type { Complaints } from './use-account-form.ts'

export interface NewPassword {
  password: string
  confirmation: string
}

/** What stands against submitting; empty when nothing does. */
export function newPasswordErrors({ password, confirmation }: NewPassword): Complaints<NewPassword> {
  return {
    ...(isStrongEnough(password) ? {} : { password: 'Please choose a stronger password' }),
    ...(password === confirmation ? {} : { confirmation: 'Passwords do not match' }),
  }
}
