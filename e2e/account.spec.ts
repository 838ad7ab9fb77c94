import type { Page } from '@playwright/test'
import { accountApi, hostApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { callsOf } from './network.ts'
import { fillSignUp, signIn, signOut, trySignIn } from './sentences.ts'

const home = 'Instant dev environments on a custom hypervisor'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function tryReset(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await press(page, 'Change Password')
}

test.describe('sign-up', () => {
  test.beforeEach(({ page }) => page.goto('/signup').then(() => undefined))

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
})

test.describe('sign-in', () => {
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
})
