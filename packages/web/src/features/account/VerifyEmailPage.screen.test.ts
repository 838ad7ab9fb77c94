import { accountApi } from '@slipway/contract'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import {
  clickOn,
  enrol,
  expectSaid,
  expectTimeOut,
  goOn,
  mailedToken,
  newPerson,
  trySignIn,
  verificationSent,
} from './account.test-kit.ts'

const verificationFailed =
  "Verification Failed: We couldn't verify your email. The link may be invalid or expired."
const expired = 'Your verification link has expired.'

const email = page.getByLabelText('Email')
const pathOf = (token: string) => `/verify-email?token=${token}`

describe('verifying the address', () => {
  test('posts the token once and goes on to sign-in after 3 s', async ({ server }) => {
    const person = newPerson()
    await enrol(person)
    const token = await mailedToken(server, person.email)
    const calls = callsOf(accountApi.verifyEmail)
    const { letGo } = hold(accountApi.verifyEmail)
    await visit(pathOf(token))
    await expect.element(page.getByText('Verifying your email...')).toBeVisible()
    await expect.poll(() => calls).toHaveLength(1)
    await stopClock()
    holdClock()
    letGo()
    await expect.element(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
    await passTime(2_999)
    await expect.poll(address).toBe(pathOf(token))
    await passTime(1)
    await expect.poll(address).toBe('/signin')
    expect(calls.map((call) => call.body)).toEqual([{ token }])
    await expect.element(email).toHaveValue(person.email)
    await trySignIn(person)
    await expect.poll(address).toBe('/')
  })

  test('lets one go on to sign-in at once', async ({ server }) => {
    const person = newPerson()
    await enrol(person)
    const token = await mailedToken(server, person.email)
    await visit('/signin')
    await expect.element(email).toBeVisible()
    await stopClock()
    holdClock()
    goOn(pathOf(token))
    // Time stands still, so nothing but the button can lead on.
    await follow(page.getByRole('link', { name: 'Go to Sign In' }), '/signin')
  })

  test('tells an expired link from a broken one, and offers a new one', async () => {
    await visit(pathOf('never-was'))
    await expect.element(page.getByRole('alert')).toHaveTextContent(verificationFailed)
    await expectSaid(accountApi.verifyEmail, reload, [
      [400, {}, expired],
      [500, {}, verificationFailed],
      [400, { message: 'Too old' }, expired],
      [404, { message: 'Never heard of it' }, verificationFailed],
    ])
    await expect.element(email).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Resend verification email' })).toBeVisible()
  })

  test('gives up after 15 s', async () => {
    await visit('/signin')
    await expect.element(email).toBeVisible()
    await expectTimeOut(accountApi.verifyEmail, async () => goOn(pathOf('some')), [
      'Verifying your email...',
      verificationFailed,
    ])
  })

  test('asks the server nothing without a token, and mails a new link on request', async ({ server }) => {
    const person = newPerson()
    await enrol(person)
    const first = await mailedToken(server, person.email)
    const verifications = callsOf(accountApi.verifyEmail)
    const requests = callsOf(accountApi.resendVerification)
    await visit('/verify-email')
    await expect.element(page.getByRole('alert')).toHaveTextContent(verificationFailed)
    expect(verifications).toEqual([])

    await clickOn('Resend verification email')
    await expect.element(email).toHaveAccessibleDescription('Please enter your email address')
    expect(requests).toEqual([])

    await email.fill(person.email)
    await clickOn('Resend verification email')
    await expect.element(page.getByRole('status')).toHaveTextContent(verificationSent)
    expect(requests.map((request) => request.body)).toEqual([{ email: person.email }])
    const second = await mailedToken(server, person.email, first)
    await visit(pathOf(first))
    await expect.element(page.getByRole('alert')).toHaveTextContent(expired)
    await visit(pathOf(second))
    await expect.element(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
  })
})
