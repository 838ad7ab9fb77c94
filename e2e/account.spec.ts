import { accountApi, messages, projectApi } from '@slipway/contract'
import { callWith, enrol, expect, newPerson, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { createFirstProject, fillSignUp, followMailedLink, signIn, signOut, trySignIn } from './sentences.ts'

const home = 'Instant dev environments on a custom hypervisor'

test.describe('sign-up', () => {
  test.beforeEach(({ page }) => page.goto('/signup').then(() => undefined))

  test('says while one types whether the address and the passwords are right', async ({ page }) => {
    const hint = page.getByText('Valid email format')
    await page.getByLabel('E-mail').fill('a@b')
    await expect(hint).toBeHidden()
    await page.getByLabel('E-mail').fill('a@b.co')
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
    await submit.press('Enter')
    await page.getByLabel('E-mail').press('Enter')
    await expect(page.getByRole('alert')).toHaveCount(0)

    await page.getByRole('checkbox', { name: 'I agree to' }).check()
    await page.getByLabel('E-mail').fill('a@b')
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
    await expect(page.getByLabel('E-mail')).toHaveValue(person.email)
  })

  test('sends one request with one name, and is busy meanwhile', async ({ page, person }) => {
    const calls = callsOf(page, accountApi.signUp)
    const { letGo } = await hold(page, accountApi.signUp)
    await fillSignUp(page, { ...person, firstName: ' Ada ', lastName: 'Lovelace ' })
    await page.getByRole('button', { name: 'Sign Up' }).dblclick()
    const busy = page.getByRole('button', { name: 'Creating account...' })
    await expect(busy).toHaveAttribute('aria-disabled', 'true')
    await page.getByLabel('E-mail').press('Enter')
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
    await expect(page.getByLabel('E-mail')).toHaveValue(person.email)

    const { end } = await answer(page, accountApi.signUp, 201, { message: 'Created', user: {} })
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await expect(page).toHaveURL('/signin')
    await expect(page.getByLabel('E-mail')).toHaveValue(person.email)
    await end()
  })

  test('leads whoever has an account on to sign-in, with the address', async ({ page, person, call }) => {
    await enrol(call, person)
    await fillSignUp(page, person)
    await page.getByRole('button', { name: 'Sign Up' }).click()
    await expect(page.getByRole('alert')).toContainText('An account with this email already exists')
    await expect(page).toHaveURL('/signin')
    await expect(page.getByLabel('E-mail')).toHaveValue(person.email)
  })

  test("tells each failure in words, the server's own first", async ({ page, person }) => {
    await fillSignUp(page, person)
    for (const [status, body, text] of [
      [400, { message: 'No such domain' }, 'No such domain'],
      [400, {}, 'Invalid signup data. Please check your information.'],
      [500, {}, 'Server error. Please try again later.'],
      [503, {}, 'Server error. Please try again later.'],
      [418, {}, 'Signup failed'],
      [null, {}, 'Failed to create account.'],
      [409, {}, 'An account with this email already exists'],
    ] as const) {
      const { end } = await answer(page, accountApi.signUp, status, body)
      await page.getByRole('button', { name: 'Sign Up' }).click()
      await expect(page.getByRole('alert')).toContainText(text)
      await end()
    }
  })
})

test.describe('verifying the address', () => {
  test('posts the token once and goes on to sign-in', async ({ page, person, call, server }) => {
    await enrol(call, person)
    const calls = callsOf(page, accountApi.verifyEmail)
    const { letGo } = await hold(page, accountApi.verifyEmail)
    await followMailedLink(page, server, person)
    await expect(page.getByText('Verifying your email...')).toBeVisible()
    letGo()
    await expect(page.getByRole('heading', { name: 'E-mail verified' })).toBeVisible()
    await expect(page).toHaveURL('/signin')
    expect(calls).toHaveLength(1)
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

  const failed = "Verification Failed: We couldn't verify your email. The link may be invalid or expired."

  test('tells an expired link from a broken one, and offers a new one', async ({ page }) => {
    await page.goto('/verify-email?token=never-was')
    await expect(page.getByRole('alert')).toHaveText(failed)
    for (const [status, text] of [
      [400, 'Your verification link has expired.'],
      [500, failed],
      [null, failed],
    ] as const) {
      const { end } = await answer(page, accountApi.verifyEmail, status)
      await page.reload()
      await expect(page.getByRole('alert')).toHaveText(text)
      await expect(page.getByRole('button', { name: 'Resend verification email' })).toBeVisible()
      await end()
    }
  })

  test('asks the server nothing without a token, and mails a new link on request', async ({
    page,
    person,
    call,
    server,
  }) => {
    await enrol(call, person)
    const first = await server.mailedLink(person.email, 'verify-email')
    const calls = callsOf(page, accountApi.verifyEmail)
    await page.goto('/verify-email')
    await expect(page.getByRole('alert')).toHaveText(failed)
    expect(calls).toEqual([])

    const resend = page.getByRole('button', { name: 'Resend verification email' })
    await resend.click()
    await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Please enter your email address')
    await page.getByLabel('E-mail').fill(person.email)

    for (const [status, body, text] of [
      [429, { message: messages.tooManyAttempts }, messages.tooManyAttempts],
      [500, {}, 'Failed to resend verification email.'],
      [200, { message: 'It could not leave.' }, 'It could not leave.'],
    ] as const) {
      const { end } = await answer(page, accountApi.resendVerification, status, body)
      await resend.click()
      await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(text)
      await end()
    }
    await resend.click()
    await expect(page.getByRole('status')).toHaveText('Verification email sent! Please check your inbox.')
    await expect.poll(() => server.mailedLink(person.email, 'verify-email')).not.toBe(first)
    await page.goto(first)
    await expect(page.getByRole('alert')).toHaveText('Your verification link has expired.')
    await followMailedLink(page, server, person)
    await expect(page.getByRole('heading', { name: 'E-mail verified' })).toBeVisible()
  })
})

test.describe('sign-in', () => {
  test('offers the ways to all that belongs to it', async ({ page }) => {
    await page.goto('/signin')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
    await page.getByRole('link', { name: 'Sign Up' }).click()
    await expect(page).toHaveURL('/signup')
    await page.getByRole('link', { name: 'Sign In' }).click()
    await page.getByRole('link', { name: 'Back to Home' }).click()
    await expect(page).toHaveURL('/')
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
    await page.getByLabel('E-mail').clear()
    await resend.click()
    await expect(page.getByText('Please enter your email address first')).toBeVisible()
    expect(calls).toEqual([])
    await page.getByLabel('E-mail').fill(person.email)
    await resend.click()
    await expect(page.getByText('Verification email sent! Please check your inbox.')).toBeVisible()
    await expect.poll(() => server.mailedLink(person.email, 'verify-email')).not.toBe(first)
  })

  test("tells each failure in words, the server's own first", async ({ page, person }) => {
    await page.goto('/signin')
    for (const [status, body, text] of [
      [418, { message: 'I am a teapot' }, 'I am a teapot'],
      [401, {}, 'Invalid email or password'],
      [403, {}, 'Account access denied'],
      [500, {}, 'Server error. Please try again later.'],
      [503, {}, 'Server error. Please try again later.'],
      [418, {}, 'Login failed'],
      [null, {}, 'Failed to sign in.'],
    ] as const) {
      const { end } = await answer(page, accountApi.signIn, status, body)
      await trySignIn(page, person)
      await expect(page.getByRole('alert')).toHaveText(text)
      await end()
    }
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

  test('is over for whoever is signed in already, and so is sign-up', async ({ page, user: _ }) => {
    for (const path of ['/signin', '/signup']) {
      await page.goto(path)
      await expect(page).toHaveURL('/')
    }
  })
})

test('a forgotten password is replaced by way of a mailed link, and every session ends', async ({
  page,
  user,
  browser,
  server,
}) => {
  const elsewhere = await browser.newContext({ baseURL: server.url })
  const visitor = await elsewhere.newPage()
  await visitor.goto('/signin')
  await visitor.getByLabel('E-mail').fill(user.email)
  await visitor.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(visitor.getByLabel('E-mail')).toHaveValue(user.email)
  await visitor.getByRole('button', { name: 'Send Reset Link' }).click()
  const sent = 'If an account exists for this address, a reset link is on its way.'
  await expect(visitor.getByRole('status')).toHaveText(sent)

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
  await visitor.getByLabel('New password', { exact: true }).fill(changed)
  await visitor.getByRole('button', { name: 'Change Password' }).click()
  await expect(visitor.getByRole('heading', { name: 'Password changed' })).toBeVisible()

  await page.goto('/projects')
  await expect(page).toHaveURL('/signin')

  await visitor.getByRole('link', { name: 'Go to Sign In' }).click()
  await trySignIn(visitor, user)
  await expect(visitor.getByRole('alert')).toHaveText('Invalid email or password')
  await trySignIn(visitor, { ...user, password: changed })
  await expect(visitor).toHaveURL('/')

  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill(changed)
  await page.getByLabel('Confirm password').fill(changed)
  await page.getByRole('button', { name: 'Change Password' }).click()
  await expect(page.getByRole('alert')).toHaveText('Password reset link has expired')
  await page.getByRole('link', { name: 'Send a new reset link' }).click()
  await expect(page).toHaveURL('/forgot-password')
  await elsewhere.close()
})

test('a reset link can be asked for any address, and fails in words', async ({ page }) => {
  await page.goto('/reset-password')
  await expect(page.getByRole('alert')).toHaveText('This link has no token. Ask for a new one.')
  await page.getByRole('link', { name: 'Send a new reset link' }).click()
  const send = page.getByRole('button', { name: 'Send Reset Link' })
  await send.click()
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Please enter your email address')
  await page.getByLabel('E-mail').fill('nobody@example.com')
  await send.click()
  await expect(page.getByRole('status')).toHaveText(
    'If an account exists for this address, a reset link is on its way.',
  )
  await answer(page, accountApi.forgotPassword, 500)
  await send.click()
  await expect(page.getByRole('alert')).toHaveText('Failed to send the reset link.')
  await page.getByRole('link', { name: 'Back to Sign In' }).click()
  await expect(page.getByLabel('E-mail')).toHaveValue('nobody@example.com')
})

test.describe('a session', () => {
  test('is asked for when the console opens, and once more when the answer is no', async ({ page }) => {
    const calls = callsOf(page, accountApi.me)
    await page.goto('/')
    await expect(page.getByRole('heading', { name: home })).toBeVisible()
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
  })

  test('ends with Sign Out, and leaves nothing to the next user', async ({ page, user, server, browser }) => {
    await createFirstProject(page, 'Secret engines')
    await signOut(page)
    expect((await page.request.get(accountApi.me.path)).status()).toBe(401)

    const elsewhere = await browser.newContext({ baseURL: server.url })
    const other = newPerson()
    const call = callWith(elsewhere.request)
    await enrol(call, other)
    const link = await server.mailedLink(other.email, 'verify-email')
    await page.goto(link)
    await page.getByRole('link', { name: 'Go to Sign In' }).click()
    await trySignIn(page, other)
    await expect(page.getByRole('heading', { name: 'No Projects Found' })).toBeVisible()
    await expect(page.getByText('Secret engines')).toHaveCount(0)
    await expect(page.getByText(user.email)).toHaveCount(0)
    await elsewhere.close()
  })

  test('ends on the screen even when the server cannot be told', async ({ page, user: _ }) => {
    await page.goto('/')
    await answer(page, accountApi.signOut, null)
    await signOut(page)
    await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
  })

  test('lost while working leads to sign-in and back', async ({ page, user, context }) => {
    await createFirstProject(page, 'Engines')
    await context.clearCookies()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page).toHaveURL('/signin')
    await trySignIn(page, user)
    await expect(page).toHaveURL('/templates')
    await expect(page.getByRole('heading', { name: 'Templates' })).toBeVisible()
  })
})

test('every page of the console sends a visitor to sign-in', async ({ page }) => {
  for (const path of [
    '/onboarding',
    '/templates',
    '/create?template=starter',
    '/projects',
    '/projects/some/vms',
    '/projects/some/vms/create',
    '/projects/some/vms/other',
    '/ssh-keys',
  ]) {
    await page.goto(path)
    await expect(page).toHaveURL('/signin')
  }
})

test('sign-in and sign-up return to where the visitor wanted to go', async ({
  page,
  person,
  call,
  server,
}) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'View Templates' }).click()
  await expect(page).toHaveURL('/signin')
  await page.goto('/create?template=starter')
  // By way of the sign-up form and back: the aim is not forgotten.
  await page.getByRole('link', { name: 'Sign Up' }).click()
  await page.getByRole('link', { name: 'Sign In' }).click()
  await enrol(call, person)
  const token = new URL(await server.mailedLink(person.email, 'verify-email'), server.url).searchParams
  await call(accountApi.verifyEmail, { body: { token: token.get('token') ?? '' } })
  await trySignIn(page, person)
  await expect(page).toHaveURL('/create?template=starter')
  expect(await call(projectApi.list, {})).toEqual([])
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
