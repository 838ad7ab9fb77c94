import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'

test('an account is deleted, and its owner signs in and keeps it', async ({ page, user, project: _ }) => {
  await page.goto('/account')
  await page
    .getByRole('region', { name: 'Delete account' })
    .getByRole('button', { name: 'Delete Account' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Delete Account' })
  await expect(dialog).toContainText('1 project')
  const confirm = dialog.getByRole('button', { name: 'Delete Account' })
  await expectAccessible(page)
  await confirm.click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()

  await page.getByLabel('Email').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is being deleted' })).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expectAccessible(page)
  await page.goto('/')
  await page.getByRole('button', { name: 'Keep My Account' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is being deleted' })).toHaveCount(0)
  await page.goto('/account')
  await expect(page.getByRole('region', { name: 'Delete account' })).toBeVisible()
})

test('what goes along is never guessed', async ({ page, user: _ }) => {
  await page.route('**/api/user/deletion', (route) => route.fulfill({ status: 500, json: { message: '' } }))
  await page.goto('/account?dialog=delete-account')
  const dialog = page.getByRole('dialog', { name: 'Delete Account' })
  await expect(dialog.getByText('Error Loading What Goes Along')).toBeVisible()
  await expect(dialog.getByRole('status')).toHaveText('What goes along is not known yet')
})
