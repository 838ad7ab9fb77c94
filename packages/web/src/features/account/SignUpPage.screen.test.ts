import { accountApi } from '@slipway/contract'
import { beforeEach, describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, follow, press, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts } from '../../screen/shown.test-kit.ts'
import {
  clickOn,
  enrol,
  expectSaid,
  expectTimeOut,
  fillSignUp,
  newPerson,
  serverError,
  trySignUp,
} from './account.test-kit.ts'

const email = page.getByLabelText('Email')
const password = page.getByLabelText('Password', { exact: true })
const confirmation = page.getByLabelText('Confirm password')
const submit = page.getByRole('button', { name: 'Sign Up' })

/** Each text of the form about the terms, and whether it can be seen. */
const notesOfTerms = () =>
  [...document.querySelectorAll('form p')]
    .filter((note) => /^Agree to the Terms of Service/.test(note.textContent))
    .map((note) => note.checkVisibility())

describe('sign-up', () => {
  beforeEach(() => visit('/signup'))

  test('says while one types whether the address and the passwords are right', async () => {
    const hint = page.getByText('Valid email format')
    await email.fill('a@b')
    await expect.element(hint).not.toBeInTheDocument()
    await email.fill('a@b.co')
    await expect.element(hint).toBeVisible()

    await password.fill('one')
    await confirmation.fill('other')
    await expect.element(page.getByText("Passwords don't match")).toBeVisible()
    await confirmation.fill('one')
    await expect.element(page.getByText('Passwords match')).toBeVisible()
  })

  test('measures the strength of the password', async () => {
    const meter = page.getByRole('meter', { name: 'Password strength' })
    await password.fill('Aaaaaaa1')
    await expect.element(meter).toHaveAttribute('aria-valuenow', '4')
    await expect.element(meter).toHaveAttribute('aria-valuetext', 'Good')
    await expect.element(page.getByText('Good', { exact: true })).toBeVisible()
    await expect.element(page.getByRole('listitem').filter({ hasText: 'A digit, met' })).toBeVisible()
  })

  test('shows a password only on request', async () => {
    await password.fill('secret')
    await expect.element(password).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: 'Show password' }).first().click()
    await expect.element(password).toHaveAttribute('type', 'text')
  })

  test('says at each field what is wrong, and asks the server nothing until all is right', async () => {
    const calls = callsOf(accountApi.signUp)
    await expect
      .element(submit)
      .toHaveAccessibleDescription('Agree to the Terms of Service and the Privacy Policy first.')
    await expect.poll(notesOfTerms).toEqual([true])
    await press(submit, '{Enter}')
    await press(email, '{Enter}')
    await expectCount(page.getByRole('alert'), 0)

    await tick(page.getByRole('checkbox', { name: 'I agree to', exact: false }))
    await email.fill('a@b')
    await password.fill('aaaaaaaa')
    await confirmation.fill('aaaaaaab')
    await submit.click()
    await expectTexts(page.getByRole('alert'), [
      'Please enter your first name',
      'Please enter your last name',
      'Please enter a valid email address',
      'Please choose a stronger password',
      'Passwords do not match',
    ])
    const firstName = page.getByLabelText('First name')
    await expect.element(firstName).toHaveFocus()
    await expect.element(firstName).toHaveAccessibleDescription('Please enter your first name')
    await firstName.fill('Ada')
    await expect.element(page.getByText('Please enter your first name')).not.toBeInTheDocument()
    expect(calls).toEqual([])
  })

  test('sends one request with one name, and is busy meanwhile', async () => {
    const person = newPerson()
    const calls = callsOf(accountApi.signUp)
    const { letGo } = hold(accountApi.signUp)
    await fillSignUp({ ...person, firstName: ' Ada ', lastName: 'Lovelace ' })
    const agreed = page.getByRole('checkbox', { name: 'I agree to', exact: false })
    await tick(agreed, false)
    await press(email, '{Enter}')
    await press(submit, '{Enter}')
    await tick(agreed)
    expect(calls).toEqual([])
    await submit.dblClick()
    const busy = page.getByRole('button', { name: 'Creating account...' })
    await expect.element(busy).toHaveAttribute('aria-disabled', 'true')
    await press(email, '{Enter}')
    letGo()
    await expect.element(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    expect(calls.map((call) => call.body)).toEqual([
      { name: 'Ada Lovelace', email: person.email, password: person.password },
    ])
  })

  test('ends at Check Your Email, which leads on to sign-in and back to the form', async () => {
    const person = newPerson()
    await trySignUp(person)
    await expect.element(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    await expect.element(page.getByText(person.email)).toBeVisible()
    await clickOn('Back to Sign Up')
    await expect.element(email).toHaveValue(person.email)

    const { end } = answer(accountApi.signUp, 201, { message: 'Created', user: {} })
    await submit.click()
    await follow(page.getByRole('link', { name: 'Go to Sign In' }), '/signin')
    await expect.element(email).toHaveValue(person.email)
    await end()
  })

  test('leads whoever has an account on to sign-in after 2 s, with the address', async () => {
    const person = newPerson()
    await enrol(person)
    // By way of the sign-in page, so that it is there at once when the time has come.
    await visit('/signin')
    await page.getByRole('link', { name: 'Sign Up' }).click()
    await stopClock()
    holdClock()
    await trySignUp(person)
    await expectText(page.getByRole('alert'), 'An account with this email already exists')
    await email.fill('another@example.com')
    await passTime(1_999)
    await expect.poll(address).toBe('/signup')
    await passTime(1)
    await expect.poll(address).toBe('/signin')
    await expect.element(email).toHaveValue(person.email)
  })

  test("tells each failure in words, the server's own first", async () => {
    const person = newPerson()
    await expectSaid(accountApi.signUp, () => trySignUp(person), [
      [400, { message: 'No such domain' }, 'No such domain'],
      [400, {}, 'Invalid signup data. Please check your information.'],
      [500, {}, serverError],
      [418, {}, 'Signup failed'],
      [null, {}, 'Failed to create account.'],
      [409, {}, 'An account with this email already exists'],
    ])
  })

  test('gives up after 15 s', async () => {
    const person = newPerson()
    await expectTimeOut(accountApi.signUp, () => trySignUp(person), [
      'Creating account...',
      'Failed to create account.',
    ])
  })
})
