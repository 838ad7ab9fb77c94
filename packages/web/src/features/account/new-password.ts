import { isStrongEnough } from '@slipway/contract'

export interface NewPassword {
  password: string
  confirmation: string
}
export type NewPasswordErrors = Partial<Record<keyof NewPassword, string>>

/** What stands against submitting; empty when nothing does. */
export function newPasswordErrors({ password, confirmation }: NewPassword): NewPasswordErrors {
  return {
    ...(isStrongEnough(password) ? {} : { password: 'Please choose a stronger password' }),
    ...(password === confirmation ? {} : { confirmation: 'Passwords do not match' }),
  }
}
