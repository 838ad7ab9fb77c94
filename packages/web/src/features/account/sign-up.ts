import { isEmail } from '@slipway/contract'
import { newPasswordErrors } from './new-password.ts'
import type { Complaints } from './use-account-form.ts'

/** What the sign-up form holds. */
export interface Draft {
  firstName: string
  lastName: string
  email: string
  password: string
  confirmation: string
  agreed: boolean
}

export const blankDraft: Draft = {
  firstName: '',
  lastName: '',
  email: '',
  password: '',
  confirmation: '',
  agreed: false,
}

/** A sentence for each field that stands against submitting, in the order of the form. */
export function errorsOf(draft: Draft): Complaints<Draft> {
  return {
    ...(draft.firstName.trim() ? {} : { firstName: 'Please enter your first name' }),
    ...(draft.lastName.trim() ? {} : { lastName: 'Please enter your last name' }),
    ...(isEmail(draft.email) ? {} : { email: 'Please enter a valid email address' }),
    ...newPasswordErrors(draft),
  }
}

/** The request of `POST /api/auth/signup`: one name out of two fields. */
export function toBody({ firstName, lastName, email, password }: Draft) {
  return { name: `${firstName.trim()} ${lastName.trim()}`, email: email.trim(), password }
}
