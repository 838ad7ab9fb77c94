import { accountApi, accountSettingsApi, accountTexts } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { answer } from './network.ts'

const newPassword = 'Brand-new-horse-2'

test('the name is changed, and the menu says so at once', async ({ page, user: _ }) => {
  await page.goto('/account')
  const form = page.getByRole('form', { name: 'Name' })
  await form.getByLabel('Name').fill('Countess Lovelace')
  await form.getByRole('button', { name: 'Change Name' }).click()
  await expect(page.getByText('Name changed')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Countess Lovelace' })).toBeVisible()
  await page.reload()
  await expect(form.getByLabel('Name')).toHaveValue('Countess Lovelace')
})

test('the password is changed, and other sessions end', async ({ page, user, browser, server }) => {
  const elsewhere = await (await browser.newContext({ baseURL: server.url })).newPage()
  await elsewhere.goto('/signin')
  await elsewhere.getByLabel('Email').fill(user.email)
  await elsewhere.getByLabel('Password', { exact: true }).fill(user.password)
  await elsewhere.getByRole('button', { name: 'Sign In' }).click()
  await expect(elsewhere).not.toHaveURL(/signin/)
  await elsewhere.goto('/account')
  const sessions = elsewhere.getByRole('region', { name: 'Sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(2)
  await expect(sessions.filter({ hasText: 'This session' })).toHaveCount(1)

  await page.goto('/account')
  const form = page.getByRole('form', { name: 'Password' })
  await form.getByLabel('New password').fill(newPassword)
  await form.getByLabel('Confirm password').fill(newPassword)
  await form.getByRole('button', { name: 'Change Password' }).click()
  await expect(page.getByText('Password changed.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1)
  await elsewhere.goto('/account')
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await elsewhere.context().close()
})

test('a new password that attackers try first is refused at its field', async ({ page, user: _ }) => {
  await page.goto('/account')
  const form = page.getByRole('form', { name: 'Password' })
  await form.getByLabel('New password').fill('Dragon123')
  await form.getByLabel('Confirm password').fill('Dragon123')
  await form.getByRole('button', { name: 'Change Password' }).click()
  await expect(form.getByLabel('New password')).toHaveAccessibleDescription(accountTexts.breachedPassword)
  await expect(form.getByLabel('New password')).toBeFocused()
  await expect(form.getByRole('alert')).toHaveCount(1)
})

test('a session elsewhere is signed out', async ({ page, user, call, playwright, server }) => {
  for (let i = 0; i < 2; i++) {
    const other = await playwright.request.newContext({ baseURL: server.url, userAgent: 'curl/8.14.1' })
    await other.post(accountApi.signIn.path, { data: { email: user.email, password: user.password } })
    await other.dispose()
  }
  await page.goto('/account')
  const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem')
  await expect(rows).toHaveCount(3)
  await rows
    .filter({ hasText: 'curl' })
    .first()
    .getByRole('button', { name: /^Sign out curl/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out' }).click()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Sign Out All Others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out All Others' }).click()
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('This session')
  expect(await call(accountSettingsApi.sessions, {})).toHaveLength(1)
})

test('a new email address is confirmed where it is', async ({ page, user, server }) => {
  await page.goto('/account')
  const form = page.getByRole('form', { name: 'Email' })
  const email = `new-${user.email}`
  await form.getByLabel('New email').fill(email)
  await form.getByRole('button', { name: 'Change Email' }).click()
  await expect(form.getByRole('status')).toContainText(`sent to ${email}`)
  await page.goto(await server.mailedLink(email, 'confirm-email'))
  await expect(page.getByRole('heading', { name: 'Email changed' })).toBeVisible()
  await page.getByRole('link', { name: 'Your Account' }).click()
  await expect(page.getByRole('form', { name: 'Email' })).toContainText(email)
})

test('a link without its token, and one that has expired, say so', async ({ page }) => {
  await page.goto('/confirm-email')
  await expect(page.getByRole('alert')).toContainText('its token is missing')
  await page.goto('/confirm-email?token=old')
  await expect(page.getByRole('alert')).toContainText(accountTexts.emailChangeExpired)
  await expectAccessible(page)
})

test('sessions that cannot be loaded can be asked for again', async ({ page, user: _ }) => {
  const failing = await answer(page, accountSettingsApi.sessions, 500)
  await page.goto('/account')
  const section = page.getByRole('region', { name: 'Sessions' })
  await expect(section.getByRole('alert')).toContainText('Failed to load sessions.', { timeout: 30_000 })
  await failing.end()
  await section.getByRole('button', { name: 'Try Again' }).click()
  await expect(section.getByRole('listitem')).toHaveCount(1)
})
