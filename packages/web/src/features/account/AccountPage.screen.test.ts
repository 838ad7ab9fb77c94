import { accountSettingsApi, accountTexts } from '@slipway/contract'
import { expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { call, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText } from '../../screen/shown.test-kit.ts'

const sessions = page.getByRole('region', { name: 'Sessions' })

test('the name is changed, and the menu says so at once', async ({ user: _ }) => {
  await visit('/account')
  const form = page.getByRole('form', { name: 'Name' })
  await form.getByLabelText('Name').fill('Countess Lovelace')
  await form.getByRole('button', { name: 'Change Name' }).click()
  await expect.element(page.getByText('Name changed')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Countess Lovelace', exact: false })).toBeVisible()
  await reload()
  await expect.element(form.getByLabelText('Name')).toHaveValue('Countess Lovelace')
})

test('a new password that attackers try first is refused at its field', async ({ user: _ }) => {
  await visit('/account')
  const form = page.getByRole('form', { name: 'Password' })
  const field = form.getByLabelText('New password')
  await field.fill('Dragon123')
  await form.getByLabelText('Confirm password').fill('Dragon123')
  await form.getByRole('button', { name: 'Change Password' }).click()
  await expect.element(field).toHaveAccessibleDescription(accountTexts.breachedPassword)
  await expect.element(field).toHaveFocus()
  await expectCount(form.getByRole('alert'), 1)
})

test('a session elsewhere is signed out', async ({ user, server }) => {
  for (let i = 0; i < 2; i++) await commands.signInElsewhere(server, user, 'curl/8.14.1')
  await visit('/account')
  const rows = sessions.getByRole('listitem')
  await expectCount(rows, 3)
  await rows
    .filter({ hasText: 'curl' })
    .first()
    .getByRole('button', { name: /^Sign out curl/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out' }).click()
  await expectCount(rows, 2)
  await page.getByRole('button', { name: 'Sign Out All Others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out All Others' }).click()
  await expectCount(rows, 1)
  await expectText(rows, 'This session')
  expect(await call(accountSettingsApi.sessions, {})).toHaveLength(1)
})
