import { accountApi, messages } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { callsOf, hold, toServer } from '../../screen/network.test-kit.ts'
import { address, follow, test, visit } from '../../screen/screen.test-kit.ts'
import {
  enrol,
  expectSaid,
  expectTimeOut,
  loseSession,
  mailedToken,
  newPerson,
  serverError,
  trySignIn,
  verificationSent,
} from './account.test-kit.ts'

const email = page.getByLabelText('Email')
const password = page.getByLabelText('Password', { exact: true })
const resend = page.getByRole('button', { name: 'Resend verification email' })

describe('sign-in', () => {
  test('has a form, and the ways to all that belongs to it', async () => {
    await visit('/signin')
    await expect.element(email).toHaveValue('')
    await expect.element(password).toHaveAttribute('type', 'password')
    await expect.element(page.getByRole('checkbox', { name: 'Remember me', exact: true })).not.toBeChecked()
    await follow(page.getByRole('link', { name: 'Forgot password?', exact: true }), '/forgot-password')
    await page.getByRole('link', { name: 'Back to Sign In' }).click()
    await follow(page.getByRole('link', { name: 'Sign Up' }), '/signup')
    await page.getByRole('link', { name: 'Sign In' }).click()
    await follow(page.getByRole('link', { name: 'Back to Home' }), '/')
  })

  test('sends one request, is busy meanwhile, and knows the user from its answer', async ({ user }) => {
    loseSession()
    await visit('/signin')
    const sessionCalls = callsOf(accountApi.me)
    const calls = callsOf(accountApi.signIn)
    const { letGo } = hold(accountApi.signIn)
    await email.fill(user.email)
    await password.fill(user.password)
    await page.getByRole('button', { name: 'Sign In' }).dblClick()
    await expect.element(page.getByRole('button', { name: 'Signing in...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByRole('button', { name: 'AL Ada Lovelace' })).toBeVisible()
    expect(calls.map((call) => call.body)).toEqual([
      { email: user.email, password: user.password, remember_me: false },
    ])
    expect(sessionCalls).toEqual([])
  })

  test('offers a new verification link to whoever needs one, and to nobody else', async ({ server }) => {
    const person = newPerson()
    await enrol(person)
    const first = await mailedToken(server, person.email)
    await visit('/signin')
    await trySignIn({ ...person, password: 'wrong' })
    await expect.element(page.getByRole('alert')).toHaveTextContent('Invalid email or password')
    await expect.element(resend).not.toBeInTheDocument()

    await trySignIn(person)
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('Please verify your email address before signing in.')
    const calls = callsOf(accountApi.resendVerification)
    await email.clear()
    await resend.click()
    await expect.element(page.getByText('Please enter your email address first')).toBeVisible()
    expect(calls).toEqual([])
    await email.fill(person.email)
    await resend.click()
    await expect.element(page.getByText(verificationSent)).toBeVisible()
    await mailedToken(server, person.email, first)
  })

  test("tells each failure in words, the server's own first", async () => {
    const person = newPerson()
    await visit('/signin')
    await expectSaid(accountApi.signIn, () => trySignIn(person), [
      [401, { message: 'Who are you?' }, 'Who are you?'],
      [401, {}, 'Invalid email or password'],
      [403, {}, 'Account access denied'],
      [500, {}, serverError],
      [418, {}, 'Login failed'],
      [null, {}, 'Failed to sign in.'],
      [401, {}, 'Invalid email or password'],
      // An answer that names nobody.
      [200, {}, 'Failed to sign in.'],
    ])
    await expect.element(resend).not.toBeInTheDocument()
  })

  test('gives up after 15 s', async () => {
    const person = newPerson()
    await visit('/signin')
    await expect.element(email).toBeVisible()
    await expectTimeOut(accountApi.signIn, () => trySignIn(person), ['Signing in...', 'Failed to sign in.'])
  })
})

test('sign-in and sign-up return to where the visitor wanted to go', async ({ user }) => {
  loseSession()
  await visit('/create?template=starter')
  await expect.poll(address).toBe('/signin')
  // By way of other forms and back: the aim is not forgotten.
  await page.getByRole('link', { name: 'Sign Up' }).click()
  await page.getByRole('link', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByRole('link', { name: 'Back to Sign In' }).click()
  await trySignIn(user)
  await expect.poll(address).toBe('/create?template=starter')
})

test('guessing a password ends after some tries, in words', async ({ user }) => {
  loseSession()
  const guess = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: user.email, password: 'wrong' }),
  }
  await Promise.all(Array.from({ length: 10 }, () => toServer(accountApi.signIn.path, guess)))
  await visit('/signin')
  await trySignIn(user)
  await expect.element(page.getByRole('alert')).toHaveTextContent(messages.tooManyAttempts)
})
