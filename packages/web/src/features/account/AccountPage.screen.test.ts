import { accountSettingsApi, accountTexts } from '@slipway/contract'
import { expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { call, reload, test, visit } from '../../screen/screen.test-kit.ts'

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
  await expect.poll(() => form.getByRole('alert').elements()).toHaveLength(1)
})

test('a session elsewhere is signed out', async ({ user, server }) => {
  for (let i = 0; i < 2; i++) await commands.signInElsewhere(server, user, 'curl/8.14.1')
  await visit('/account')
  const rows = sessions.getByRole('listitem')
  await expect.poll(() => rows.elements()).toHaveLength(3)
  await rows
    .filter({ hasText: 'curl' })
    .first()
    .getByRole('button', { name: /^Sign out curl/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out' }).click()
  await expect.poll(() => rows.elements()).toHaveLength(2)
  await page.getByRole('button', { name: 'Sign Out All Others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out All Others' }).click()
  await expect.poll(() => rows.elements()).toHaveLength(1)
  await expect.element(rows).toMatchTextContent('This session')
  expect(await call(accountSettingsApi.sessions, {})).toHaveLength(1)
})

test('sessions that cannot be loaded can be asked for again', async ({ user: _ }) => {
  const failing = answer(accountSettingsApi.sessions, 500)
  await visit('/account')
  await expect.element(sessions.getByRole('alert')).toMatchTextContent('Failed to load sessions.')
  await failing.end()
  await sessions.getByRole('button', { name: 'Try Again' }).click()
  await expect.poll(() => sessions.getByRole('listitem').elements()).toHaveLength(1)
})
