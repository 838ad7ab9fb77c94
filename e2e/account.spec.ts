import type { Page } from '@playwright/test'
import { accountApi, type Endpoint, eventApi, hostApi, messages } from '@slipway/contract'
import { callWith, enrol, expect, join, newPerson, test } from './fixtures.ts'
import { answer, callsOf, hold, withStreamOfItsOwn } from './network.ts'
import type { Person } from './person.ts'
import { createFirstProject, fillSignUp, followMailedLink, signIn, signOut, trySignIn } from './sentences.ts'

const home = 'Instant dev environments on a custom hypervisor'
const verificationSent = 'Verification email sent! Please check your inbox.'
const verificationFailed =
  "Verification Failed: We couldn't verify your email. The link may be invalid or expired."
const serverError = 'Server error. Please try again later.'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function trySignUp(page: Page, person: Person): Promise<void> {
  await fillSignUp(page, person)
  await press(page, 'Sign Up')
}

async function tryReset(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await press(page, 'Change Password')
}

type Case = readonly [status: number | null, body: { message?: string }, text: string]

/** Sends a form against one answer of the server after the other, and expects it to say so. No status is no answer. */
async function expectTexts(
  page: Page,
  endpoint: Endpoint,
  send: () => Promise<void>,
  cases: readonly Case[],
): Promise<void> {
  for (const [status, body, text] of cases) {
    const { end } = await answer(page, endpoint, status, body)
    await send()
    await expect(page.getByText(text, { exact: true })).toBeVisible()
    await end()
  }
}

/** Expects that a form whose answer does not come is busy for 15 s and gives up then. Stops the page's time. */
async function expectTimeOut(
  page: Page,
  endpoint: Endpoint,
  send: () => Promise<unknown>,
  [busy, text]: readonly [busy: string, text: string],
): Promise<void> {
  const { letGo } = await hold(page, endpoint)
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await send()
  await expect(page.getByText(busy, { exact: true })).toBeVisible()
  await page.clock.runFor(14_999)
  await expect(page.getByText(busy, { exact: true })).toBeVisible()
  await page.clock.runFor(1)
  await expect(page.getByText(text, { exact: true })).toBeVisible()
  letGo()
}

test.describe('sign-up', () => {
  test.beforeEach(({ page }) => page.goto('/signup').then(() => undefined))

  test('says while one types whether the address and the passwords are right', async ({ page }) => {
    const hint = page.getByText('Valid email format')
    await page.getByLabel('Email').fill('a@b')
    await expect(hint).toBeHidden()
    await page.getByLabel('Email').fill('a@b.co')
    await expect(hint).toBeVisible()

    await page.getByLabel('Password', { exact: true }).fill('one')
    await page.getByLabel('Confirm password').fill('other')
    await expect(page.getByText("Passwords don't match")).toBeVisible()
    await page.getByLabel('Confirm password').fill('one')
    await expect(page.getByText('Passwords match')).toBeVisible()
  })

  test('measures the strength of the password', async ({ page }) => {
    const meter = page.getByRole('meter', { name: 'Password strength' })
    for (const [password, score, word] of [
      ['aaaa', 1, 'Weak'],
      ['aaaaaaaa', 2, 'Weak'],
      ['Aaaaaaaa', 3, 'Fair'],
      ['Aaaaaaa1', 4, 'Good'],
      ['Aaaaaa1!', 5, 'Strong'],
    ] as const) {
      await page.getByLabel('Password', { exact: true }).fill(password)
      await expect(meter).toHaveAttribute('aria-valuenow', String(score))
      await expect(meter).toHaveAttribute('aria-valuetext', word)
      await expect(page.getByText(word, { exact: true })).toBeVisible()
    }
    await expect(page.getByRole('listitem').filter({ hasText: 'A digit, met' })).toBeVisible()
  })

  test('shows a password only on request', async ({ page }) => {
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('secret')
    await expect(password).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: 'Show password' }).first().click()
    await expect(password).toHaveAttribute('type', 'text')
  })

  test('says at each field what is wrong, and asks the server nothing until all is right', async ({
    page,
  }) => {
    const calls = callsOf(page, accountApi.signUp)
    const submit = page.getByRole('button', { name: 'Sign Up' })
    await expect(submit).toHaveAccessibleDescription(
      'Agree to the Terms of Service and the Privacy Policy first.',
    )
    await expect(page.locator('form p', { hasText: /^Agree to the Terms of Service/ })).toBeVisible()
    await submit.press('Enter')
    await page.getByLabel('Email').press('Enter')
    await expect(page.getByRole('alert')).toHaveCount(0)

    await page.getByRole('checkbox', { name: 'I agree to' }).check()
    await page.getByLabel('Email').fill('a@b')
    await page.getByLabel('Password', { exact: true }).fill('aaaaaaaa')
    await page.getByLabel('Confirm password').fill('aaaaaaab')
    await submit.click()
    await expect(page.getByRole('alert')).toHaveText([
      'Please enter your first name',
      'Please enter your last name',
      'Please enter a valid email address',
      'Please choose a stronger password',
      'Passwords do not match',
    ])
    await expect(page.getByLabel('First name')).toBeFocused()
    await expect(page.getByLabel('First name')).toHaveAccessibleDescription('Please enter your first name')
    await page.getByLabel('First name').fill('Ada')
    await expect(page.getByText('Please enter your first name')).toBeHidden()
    expect(calls).toEqual([])
  })

  test('keeps what was typed while one reads the terms in a new tab', async ({ page, person }) => {
    await fillSignUp(page, person)
    for (const [link, title] of [
      ['Terms of Service', 'Terms of Service'],
      ['Privacy Policy', 'Privacy Policy'],
    ] as const) {
      const opened = page.waitForEvent('popup')
      await page.getByRole('main').getByRole('link', { name: link }).click()
      const tab = await opened
      await expect(tab.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await tab.close()
    }
    await expect(page.getByLabel('First name')).toHaveValue(person.firstName)
    await expect(page.getByLabel('Last name')).toHaveValue(person.lastName)
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(person.password)
    await expect(page.getByLabel('Confirm password')).toHaveValue(person.password)
    await expect(page.getByRole('checkbox', { name: 'I agree to' })).toBeChecked()
  })

  test('sends one request with one name, and is busy meanwhile', async ({ page, person }) => {
    const calls = callsOf(page, accountApi.signUp)
    const { letGo } = await hold(page, accountApi.signUp)
    await fillSignUp(page, { ...person, firstName: ' Ada ', lastName: 'Lovelace ' })
    await page.getByRole('button', { name: 'Sign Up' }).dblclick()
    const busy = page.getByRole('button', { name: 'Creating account...' })
    await expect(busy).toHaveAttribute('aria-disabled', 'true')
    await page.getByLabel('Email').press('Enter')
    letGo()
    await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    expect(calls.map((call) => call.postDataJSON())).toEqual([
      { name: 'Ada Lovelace', email: person.email, password: person.password },
    ])
  })

  test('ends at Check Your Email, which leads on to sign-in and back to the form', async ({
    page,
    person,
  }) => {
    await fillSignUp(page, person)
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
    await expect(page.getByText(person.email)).toBeVisible()
    await page.getByRole('button', { name: 'Back to Sign Up' }).click()
    await expect(page.getByLabel('Email')).toHaveValue(person.email)

    const { end } = await answer(page, accountApi.signUp, 201, { message: 'Created', user: {} })
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await expect(page).toHaveURL('/signin')
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
    await end()
  })

  test('leads whoever has an account on to sign-in after 2 s, with the address', async ({
    page,
    person,
    call,
  }) => {
    await enrol(call, person)
    await page.clock.install()
    // By way of the sign-in page, so that it is there at once when the time has come.
    await page.goto('/signin')
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.getByRole('link', { name: 'Sign Up' }).click()
    await trySignUp(page, person)
    await expect(page.getByRole('alert')).toContainText('An account with this email already exists')
    await page.getByLabel('Email').fill('another@example.com')
    await page.clock.runFor(1_999)
    await expect(page).toHaveURL('/signup')
    await page.clock.runFor(1)
    await expect(page).toHaveURL('/signin')
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
  })

  test("tells each failure in words, the server's own first", async ({ page, person }) => {
    await expectTexts(page, accountApi.signUp, () => trySignUp(page, person), [
      [400, { message: 'No such domain' }, 'No such domain'],
      [503, { message: 'No room for you' }, 'No room for you'],
      [400, {}, 'Invalid signup data. Please check your information.'],
      [500, {}, serverError],
      [418, {}, 'Signup failed'],
      [503, {}, serverError],
      [null, {}, 'Failed to create account.'],
      [409, {}, 'An account with this email already exists'],
    ])
  })

  test('gives up after 15 s', async ({ page, person }) => {
    await expectTimeOut(page, accountApi.signUp, () => trySignUp(page, person), [
      'Creating account...',
      'Failed to create account.',
    ])
  })
})

test.describe('verifying the address', () => {
  test('posts the token once and goes on to sign-in after 3 s', async ({ page, person, call, server }) => {
    await enrol(call, person)
    const link = await server.mailedLink(person.email, 'verify-email')
    const calls = callsOf(page, accountApi.verifyEmail)
    const { letGo } = await hold(page, accountApi.verifyEmail)
    await page.clock.install()
    await page.goto('/signin')
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.goto(link)
    await expect(page.getByText('Verifying your email...')).toBeVisible()
    letGo()
    await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
    await page.clock.runFor(2_999)
    await expect(page).toHaveURL(link)
    await page.clock.runFor(1)
    await expect(page).toHaveURL('/signin')
    const token = new URL(link, server.url).searchParams.get('token')
    expect(calls.map((call) => call.postDataJSON())).toEqual([{ token }])
    await expect(page.getByLabel('Email')).toHaveValue(person.email)
    await trySignIn(page, person)
    await expect(page).toHaveURL('/')
  })

  test('lets one go on to sign-in at once', async ({ page, person, call, server }) => {
    await enrol(call, person)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await followMailedLink(page, server, person)
    // Time stands still, so nothing but the button can lead on.
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await expect(page).toHaveURL('/signin')
  })

  test('tells an expired link from a broken one, and offers a new one', async ({ page }) => {
    await page.goto('/verify-email?token=never-was')
    await expect(page.getByRole('alert')).toHaveText(verificationFailed)
    await expectTexts(page, accountApi.verifyEmail, async () => void (await page.reload()), [
      [400, {}, 'Your verification link has expired.'],
      [500, {}, verificationFailed],
      [400, { message: 'Too old' }, 'Your verification link has expired.'],
      [404, { message: 'Never heard of it' }, verificationFailed],
      [400, {}, 'Your verification link has expired.'],
      [null, {}, verificationFailed],
    ])
    await expect(page.getByLabel('Email')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Resend verification email' })).toBeVisible()
  })

  test('gives up after 15 s', async ({ page }) => {
    await expectTimeOut(page, accountApi.verifyEmail, () => page.goto('/verify-email?token=some'), [
      'Verifying your email...',
      verificationFailed,
    ])
  })

  test('asks the server nothing without a token, and mails a new link on request', async ({
    page,
    person,
    call,
    server,
  }) => {
    await enrol(call, person)
    const first = await server.mailedLink(person.email, 'verify-email')
    const verifications = callsOf(page, accountApi.verifyEmail)
    const requests = callsOf(page, accountApi.resendVerification)
    await page.goto('/verify-email')
    await expect(page.getByRole('alert')).toHaveText(verificationFailed)
    expect(verifications).toEqual([])

    await press(page, 'Resend verification email')
    await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Please enter your email address')
    expect(requests).toEqual([])

    await page.getByLabel('Email').fill(person.email)
    await press(page, 'Resend verification email')
    await expect(page.getByRole('status')).toHaveText(verificationSent)
    expect(requests.map((request) => request.postDataJSON())).toEqual([{ email: person.email }])
    await expect.poll(() => server.mailedLink(person.email, 'verify-email')).not.toBe(first)
    await page.goto(first)
    await expect(page.getByRole('alert')).toHaveText('Your verification link has expired.')
    await followMailedLink(page, server, person)
    await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
  })
})

/** What either screen says when a new verification link was asked for. */
const resendCases: Case[] = [
  [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
  [500, {}, 'Failed to resend verification email.'],
  [200, { message: 'It could not leave.' }, 'It could not leave.'],
  [null, {}, 'Failed to resend verification email.'],
  [200, { message: 'Another one was sent.' }, verificationSent],
  [200, {}, 'Failed to resend verification email.'],
]

test.describe('asking for a new verification link', () => {
  /** Opens each of the two screens that offer it, with an address filled in. */
  const screens = {
    'the verification screen': async (page: Page) => {
      await page.goto('/verify-email')
      await page.getByLabel('Email').fill('ada@example.com')
    },
    'the sign-in screen': async (page: Page) => {
      await page.goto('/signin')
      await answer(page, accountApi.signIn, 403, { message: 'This address is UNVERIFIED' })
      await trySignIn(page, { email: 'ada@example.com', password: 'some' })
    },
  }
  const resend = 'Resend verification email'

  for (const [screen, open] of Object.entries(screens)) {
    test(`tells on ${screen} what came of it`, async ({ page }) => {
      await open(page)
      await expectTexts(page, accountApi.resendVerification, () => press(page, resend), resendCases)
    })

    test(`is busy on ${screen}, for 15 s at most`, async ({ page }) => {
      await open(page)
      const calls = callsOf(page, accountApi.resendVerification)
      const send = () => page.getByRole('button', { name: resend }).dblclick()
      await expectTimeOut(page, accountApi.resendVerification, send, [
        'Sending...',
        'Failed to resend verification email.',
      ])
      expect(calls).toHaveLength(1)
    })
  }
})

test.describe('sign-in', () => {
  test('has a form, and the ways to all that belongs to it', async ({ page }) => {
    await page.goto('/signin')
    await expect(page.getByLabel('Email')).toHaveValue('')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
    await expect(page.getByRole('checkbox', { name: 'Remember me', exact: true })).not.toBeChecked()
    await page.getByRole('link', { name: 'Forgot password?', exact: true }).click()
    await expect(page).toHaveURL('/forgot-password')
    await page.getByRole('link', { name: 'Back to Sign In' }).click()
    await page.getByRole('link', { name: 'Sign Up' }).click()
    await expect(page).toHaveURL('/signup')
    await page.getByRole('link', { name: 'Sign In' }).click()
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await expect(page).toHaveURL('/')
  })

  test('sends one request, is busy meanwhile, and knows the user from its answer', async ({
    page,
    user,
    context,
  }) => {
    await context.clearCookies()
    const sessionCalls = callsOf(page, accountApi.me)
    await page.goto('/signin')
    await expect.poll(() => sessionCalls.length).toBe(2)
    const calls = callsOf(page, accountApi.signIn)
    const { letGo } = await hold(page, accountApi.signIn)
    await page.getByLabel('Email').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await page.getByRole('button', { name: 'Sign In' }).dblclick()
    await expect(page.getByRole('button', { name: 'Signing in...' })).toBeDisabled()
    letGo()
    await expect(page.getByRole('button', { name: 'AL Ada Lovelace' })).toBeVisible()
    expect(calls.map((call) => call.postDataJSON())).toEqual([
      { email: user.email, password: user.password, remember_me: false },
    ])
    expect(sessionCalls).toHaveLength(2)
  })

  test('offers a new verification link to whoever needs one, and to nobody else', async ({
    page,
    person,
    call,
    server,
  }) => {
    await enrol(call, person)
    const first = await server.mailedLink(person.email, 'verify-email')
    await page.goto('/signin')
    await trySignIn(page, { ...person, password: 'wrong' })
    await expect(page.getByRole('alert')).toHaveText('Invalid email or password')
    const resend = page.getByRole('button', { name: 'Resend verification email' })
    await expect(resend).toBeHidden()

    await trySignIn(page, person)
    await expect(page.getByRole('alert')).toHaveText('Please verify your email address before signing in.')
    const calls = callsOf(page, accountApi.resendVerification)
    await page.getByLabel('Email').clear()
    await resend.click()
    await expect(page.getByText('Please enter your email address first')).toBeVisible()
    expect(calls).toEqual([])
    await page.getByLabel('Email').fill(person.email)
    await resend.click()
    await expect(page.getByText(verificationSent)).toBeVisible()
    await expect.poll(() => server.mailedLink(person.email, 'verify-email')).not.toBe(first)
  })

  test("tells each failure in words, the server's own first", async ({ page, person }) => {
    await page.goto('/signin')
    await expectTexts(page, accountApi.signIn, () => trySignIn(page, person), [
      [418, { message: 'I am a teapot' }, 'I am a teapot'],
      [401, { message: 'Who are you?' }, 'Who are you?'],
      [401, {}, 'Invalid email or password'],
      [403, {}, 'Account access denied'],
      [500, {}, serverError],
      [418, {}, 'Login failed'],
      [503, {}, serverError],
      [null, {}, 'Failed to sign in.'],
      [401, {}, 'Invalid email or password'],
      // An answer that names nobody.
      [200, {}, 'Failed to sign in.'],
    ])
    await expect(page.getByRole('button', { name: 'Resend verification email' })).toBeHidden()
  })

  test('gives up after 15 s', async ({ page, person }) => {
    await page.goto('/signin')
    await expectTimeOut(page, accountApi.signIn, () => trySignIn(page, person), [
      'Signing in...',
      'Failed to sign in.',
    ])
  })

  test('ends with the browser, unless it shall be remembered', async ({ page, user, context }) => {
    const expiry = async () => (await context.cookies()).map(({ expires }) => expires)
    await context.clearCookies()
    await signIn(page, user)
    // -1 is a cookie that ends with the browser.
    expect(await expiry()).toEqual([-1])
    await signOut(page)
    expect(await expiry()).toEqual([])
    await page.goto('/signin')
    await page.getByRole('checkbox', { name: 'Remember me' }).check()
    await trySignIn(page, user)
    await expect(page).toHaveURL('/')
    expect(Math.min(...(await expiry()))).toBeGreaterThan(Date.now() / 1000)
  })
})

const resetSent = 'If an account exists for this address, a reset link is on its way.'

test('a forgotten password is replaced by way of a mailed link, and every session ends', async ({
  page,
  user,
  browser,
  server,
}) => {
  const elsewhere = await browser.newContext({ baseURL: server.url })
  const visitor = await elsewhere.newPage()
  await visitor.goto('/signin')
  await visitor.getByLabel('Email').fill(user.email)
  await visitor.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(visitor.getByLabel('Email')).toHaveValue(user.email)
  await visitor.getByRole('button', { name: 'Send Reset Link' }).click()
  await expect(visitor.getByRole('status')).toHaveText(resetSent)

  const link = await server.mailedLink(user.email, 'reset-password')
  await visitor.goto(link)
  const changed = 'Difference-Engine-1822'
  await visitor.getByLabel('New password', { exact: true }).fill('short')
  await visitor.getByLabel('Confirm password').fill(changed)
  await visitor.getByRole('button', { name: 'Change Password' }).click()
  await expect(visitor.getByRole('alert')).toHaveText([
    'Please choose a stronger password',
    'Passwords do not match',
  ])
  await tryReset(visitor, changed)
  await expect(visitor.getByRole('heading', { name: 'Password changed' })).toBeVisible()

  await page.goto('/projects')
  await expect(page).toHaveURL('/signin')

  await visitor.getByRole('link', { name: 'Go to Sign In' }).click()
  await trySignIn(visitor, user)
  await expect(visitor.getByRole('alert')).toHaveText('Invalid email or password')
  await trySignIn(visitor, { ...user, password: changed })
  await expect(visitor).toHaveURL('/')

  await page.goto(link)
  await tryReset(page, changed)
  await expect(page.getByRole('alert')).toHaveText('Password reset link has expired')
  await page.getByRole('link', { name: 'Send a new reset link' }).click()
  await expect(page).toHaveURL('/forgot-password')
  await elsewhere.close()
})

test.describe('asking for a reset link', () => {
  test('is open to any address, and keeps it on the way back', async ({ page }) => {
    await page.goto('/reset-password')
    await expect(page.getByRole('alert')).toHaveText(
      'This link is incomplete: its token is missing. Request a new link.',
    )
    await page.getByRole('link', { name: 'Send a new reset link' }).click()
    await press(page, 'Send Reset Link')
    await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Please enter your email address')
    await page.getByLabel('Email').fill('nobody@example.com')
    await press(page, 'Send Reset Link')
    await expect(page.getByRole('status')).toHaveText(resetSent)
    await page.getByRole('link', { name: 'Back to Sign In' }).click()
    await expect(page.getByLabel('Email')).toHaveValue('nobody@example.com')
  })

  test('tells each failure in words, and gives up after 15 s', async ({ page }) => {
    await page.goto('/forgot-password')
    await page.getByLabel('Email').fill('nobody@example.com')
    const send = () => press(page, 'Send Reset Link')
    await expectTexts(page, accountApi.forgotPassword, send, [
      [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
      [500, {}, 'Failed to send the reset link.'],
      [200, {}, resetSent],
      [null, {}, 'Failed to send the reset link.'],
    ])
    await expectTimeOut(page, accountApi.forgotPassword, send, [
      'Sending...',
      'Failed to send the reset link.',
    ])
  })
})

test('a new password that cannot be set says why, and gives up after 15 s', async ({ page }) => {
  await page.goto('/reset-password?token=some')
  const send = () => tryReset(page, 'Difference-Engine-1822')
  await expectTexts(page, accountApi.resetPassword, send, [
    [400, { message: 'Not this one' }, 'Not this one'],
    [500, {}, 'Failed to change the password.'],
    [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
    [null, {}, 'Failed to change the password.'],
  ])
  await expectTimeOut(page, accountApi.resetPassword, send, ['Saving...', 'Failed to change the password.'])
})

test.describe('a session', () => {
  test('is asked for when the console opens, and once more 100 ms after a no', async ({ page }) => {
    const calls = callsOf(page, accountApi.me)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const refusal = page.waitForResponse((response) => response.status() === 401)
    await page.goto('/')
    await refusal
    // A round trip later the page has surely read it.
    await page.evaluate((path) => fetch(path).then((answer) => answer.text()), hostApi.health.path)
    await page.clock.runFor(99)
    expect(calls).toHaveLength(1)
    await expect(page.getByRole('status')).toHaveText('Loading...')
    await page.clock.runFor(1)
    await expect(page.getByRole('heading', { name: home })).toBeVisible()
    await page.clock.runFor(60_000)
    expect(calls).toHaveLength(2)
  })

  test('is none without an id, after a failure and without an answer', async ({ page, user: _ }) => {
    for (const status of [200, 500, null]) {
      const { end } = await answer(page, accountApi.me, status)
      await page.goto('/projects')
      await expect(page).toHaveURL('/signin')
      await end()
    }
    await page.goto('/projects')
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    await expectTimeOut(page, accountApi.me, () => page.reload(), ['Checking authentication...', 'Sign in'])
    await expect(page).toHaveURL('/signin')
  })

  test('ends with Sign Out, and leaves nothing to the next user', async ({
    page,
    user,
    server,
    playwright,
  }) => {
    const secret = 'Secret engines'
    await createFirstProject(page, secret)
    await signOut(page)
    expect((await page.request.get(accountApi.me.path)).status()).toBe(401)

    const other = newPerson()
    const elsewhere = await playwright.request.newContext({ baseURL: server.url })
    await join(callWith(elsewhere), server, other)
    await elsewhere.dispose()
    // Without loading anew, so that what was in memory could still be there.
    const seen = await page.evaluateHandle((text) => {
      const found: string[] = []
      new MutationObserver(() => {
        if (document.body.textContent?.includes(text)) found.push(location.pathname)
      }).observe(document.body, { childList: true, subtree: true, characterData: true })
      return found
    }, secret)
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click()
    await trySignIn(page, other)
    await expect(page.getByRole('heading', { name: 'No Projects Found' })).toBeVisible()
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
    await expect(page.getByText(user.email)).toHaveCount(0)
    expect(await seen.jsonValue()).toEqual([])
  })

  test('ends on the screen even when the server cannot be told', async ({ page, user: _ }) => {
    const { end } = await answer(page, accountApi.signOut, null)
    await page.goto('/templates')
    await signOut(page)
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
    await end()

    // The cookie is still there; now the server keeps silent.
    await page.goto('/')
    // With the page's time at a stand, React would not go on from the loading note to a dashboard that came late.
    await expect(page.getByRole('button', { name: 'AL Ada Lovelace' })).toBeVisible()
    const leave = async () => {
      await press(page, 'AL Ada Lovelace')
      await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    }
    await expectTimeOut(page, accountApi.signOut, leave, ['Signing out...', home])
  })

  test('lost while nobody works leads to sign-in as well', async ({ page, project, context }) => {
    await withStreamOfItsOwn(page)
    await answer(page, eventApi.streamAll, 401)
    await page.clock.install()
    await page.goto(`/projects/${project.id}/vms`)
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    await context.clearCookies()
    await page.clock.runFor(5_000)
    await expect(page).toHaveURL('/signin')
  })

  test('lost while working leads to sign-in and back', async ({ page, user, context }) => {
    await createFirstProject(page, 'Engines')
    await context.clearCookies()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page).toHaveURL('/signin')
    await expect(page.getByRole('main').getByText('Your session has ended.')).toBeVisible()
    await trySignIn(page, user)
    await expect(page).toHaveURL('/templates')
    await expect(page.getByRole('heading', { name: 'Templates' })).toBeVisible()
  })
})

test('sign-in and sign-up return to where the visitor wanted to go', async ({ page, user, context }) => {
  await context.clearCookies()
  await page.goto('/create?template=starter')
  await expect(page).toHaveURL('/signin')
  // By way of other forms and back: the aim is not forgotten.
  await page.getByRole('link', { name: 'Sign Up' }).click()
  await page.getByRole('link', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByRole('link', { name: 'Back to Sign In' }).click()
  await trySignIn(page, user)
  await expect(page).toHaveURL('/create?template=starter')
})

test('guessing a password ends after some tries, in words', async ({ page, user, context }) => {
  await context.clearCookies()
  const guess = { email: user.email, password: 'wrong' }
  await Promise.all(
    Array.from({ length: 10 }, () => page.request.post(accountApi.signIn.path, { data: guess })),
  )
  await page.goto('/signin')
  await trySignIn(page, user)
  await expect(page.getByRole('alert')).toHaveText(messages.tooManyAttempts)
})
