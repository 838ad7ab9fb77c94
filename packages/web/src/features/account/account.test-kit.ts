/** What visitors do with the forms of accounts, and what the server may say to that. */
import { accountApi, type Endpoint } from '@slipway/contract'
import { expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { call, tick } from '../../screen/screen.test-kit.ts'

export interface Visitor {
  firstName: string
  lastName: string
  email: string
  password: string
}

/** Somebody nobody has seen before, without an account. */
export const newPerson = (): Visitor => ({
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: `ada-${crypto.randomUUID()}@example.com`,
  password: 'Analytical-Engine-1843',
})

/** Signs somebody up without the mailed link being followed. */
export async function enrol({ firstName, lastName, email, password }: Visitor): Promise<void> {
  await call(accountApi.signUp, { body: { name: `${firstName} ${lastName}`, email, password } })
}

/** The token of the last link that was mailed to somebody, once there is one other than `before`. */
export async function mailedToken(server: string, email: string, before = ''): Promise<string> {
  let token = ''
  await expect
    .poll(async () => {
      token = await commands.mailedToken(server, email)
      return token
    })
    .not.toBe(before)
  return token
}

/** The browser forgets the session of a fixture, and the page is not told. */
export function loseSession(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the browsers of this test have nothing better on http
  document.cookie = 'slipway_session=; path=/; max-age=0'
}

/** Goes to a page of the console without opening it anew, as the browser's own buttons do. */
export function goOn(path: string): void {
  history.pushState(null, '', path)
  window.dispatchEvent(new PopStateEvent('popstate'))
}

export const clickOn = (name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export async function fillSignUp(person: Visitor): Promise<void> {
  await page.getByLabelText('First name').fill(person.firstName)
  await page.getByLabelText('Last name').fill(person.lastName)
  await page.getByLabelText('Email').fill(person.email)
  await page.getByLabelText('Password', { exact: true }).fill(person.password)
  await page.getByLabelText('Confirm password').fill(person.password)
  // The label holds links; its beginning does not.
  const agreed = page.getByRole('checkbox', { name: 'I agree to', exact: false })
  if (!(agreed.element() as HTMLInputElement).matches(':checked, [aria-checked=true]')) await tick(agreed)
}

export async function trySignUp(person: Visitor): Promise<void> {
  await fillSignUp(person)
  await clickOn('Sign Up')
}

/** Sends the form of the page that is shown, whatever comes of it. */
export async function trySignIn({ email, password }: Pick<Visitor, 'email' | 'password'>): Promise<void> {
  await page.getByLabelText('Email').fill(email)
  await page.getByLabelText('Password', { exact: true }).fill(password)
  await clickOn('Sign In')
}

export type Case = readonly [status: number | null, body: { message?: string }, text: string]

/** Sends a form against one answer of the server after the other, and expects it to say so. No status is no answer. */
export async function expectSaid(
  endpoint: Endpoint,
  send: () => Promise<void>,
  cases: readonly Case[],
): Promise<void> {
  for (const [status, body, text] of cases) {
    const { end } = answer(endpoint, status, body)
    await send()
    await expect.element(page.getByText(text, { exact: true })).toBeVisible()
    await end()
  }
}

/** Expects that a form whose answer does not come is busy for 15 s and gives up then. Stops the page's time. */
export async function expectTimeOut(
  endpoint: Endpoint,
  send: () => Promise<unknown>,
  [busy, text]: readonly [busy: string, text: string],
): Promise<void> {
  const { letGo } = hold(endpoint)
  await stopClock()
  holdClock()
  await send()
  await expect.element(page.getByText(busy, { exact: true })).toBeVisible()
  await passTime(14_999)
  await expect.element(page.getByText(busy, { exact: true })).toBeVisible()
  await passTime(1)
  await expect.element(page.getByText(text, { exact: true })).toBeVisible()
  letGo()
}

export const verificationSent = 'Verification email sent! Please check your inbox.'
export const serverError = 'Server error. Please try again later.'
