import { expect, test } from './fixtures.ts'

const newPassword = 'Brand-new-horse-2'

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
