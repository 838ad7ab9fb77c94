import type { Page } from '@playwright/test'
import { accountTexts, apiTokenApi, proofNeeded, proofTexts, totpApi, totpTexts } from '@slipway/contract'
import { Secret, TOTP } from 'otpauth'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import type { Person } from './person.ts'

/** A code that was not used yet: of the next step, which counts too. */
const codeOf = (secret: string, stepsAhead = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsAhead * 30_000 })

async function enterPassword(page: Page, { email, password }: Person): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/signin')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeFocused()
}

test('two-factor authentication is set up, signed in with, and turned off', async ({ page, user }) => {
  await page.goto('/account')
  const section = page.getByRole('region', { name: 'Two-factor authentication' })
  await section.getByRole('button', { name: 'Set Up' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set Up Two-Factor Authentication' })
  await expect(dialog.getByRole('img', { name: /QR code/ })).toBeVisible()
  await expectAccessible(page)
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByRole('textbox', { name: 'Code' }).fill('000000')
  await dialog.getByRole('button', { name: 'Turn On' }).click()
  await expect(dialog.getByRole('alert')).toContainText(totpTexts.wrongCode)
  await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
  await dialog.getByRole('button', { name: 'Turn On' }).click()
  const shown = page.getByRole('dialog', { name: 'Recovery Codes' })
  const codes = shown.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(codes).toHaveCount(10)
  await expectAccessible(page)
  const recoveryCode = (await codes.first().textContent()) ?? ''
  await shown.getByRole('button', { name: 'I Have Saved Them' }).click()
  await expect(section).toContainText('10 recovery codes are left')

  await enterPassword(page, user)
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText(totpTexts.wrongCode)
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, 1))
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).not.toHaveURL(/signin/)

  await enterPassword(page, user)
  await page.getByRole('textbox', { name: 'Code' }).fill(recoveryCode)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).not.toHaveURL(/signin/)

  await page.goto('/account')
  await expect(section).toContainText('9 recovery codes are left')
  await section.getByRole('button', { name: 'New Recovery Codes' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create Codes' }).click()
  await shown.getByRole('button', { name: 'I Have Saved Them' }).click()
  await expect(section).toContainText('10 recovery codes are left')
  await section.getByRole('button', { name: 'Turn Off' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn Off' }).click()
  await expect(section.getByRole('button', { name: 'Set Up' })).toBeVisible()
})

test('a call that needs a confirmation asks for it, and is then made', async ({ page, user, call }) => {
  // Until the user confirms, the server behaves as after ten minutes.
  let confirmed = false
  await page.route(`**${apiTokenApi.create.path}`, (route) =>
    confirmed || route.request().method() !== 'POST'
      ? route.fallback()
      : route.fulfill({ status: 403, json: { message: proofTexts.needed, code: proofNeeded } }),
  )
  await page.route('**/api/user/proof', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const response = await route.fetch()
    confirmed = response.ok()
    await route.fulfill({ response })
  })
  await page.goto('/account?dialog=create-api-token')
  const form = page.getByRole('dialog', { name: 'Create API Token' })
  await form.getByRole('textbox', { name: 'Name' }).fill('ci')
  await form.getByRole('button', { name: 'Create Token' }).click()
  const question = page.getByRole('dialog', { name: 'Confirm That It Is You' })
  await expect(question.getByLabel('Your password')).toBeFocused()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(form.getByText(proofTexts.needed)).toBeVisible()

  await form.getByRole('button', { name: 'Create Token' }).click()
  await question.getByLabel('Your password').fill('Wrong-horse-1')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(question.getByRole('alert')).toContainText(accountTexts.wrongPassword)
  await question.getByLabel('Your password').fill(user.password)
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('dialog', { name: 'API Token Created' })).toBeVisible()
  expect(await call(apiTokenApi.list, {})).toHaveLength(1)
  expect(await call(totpApi.get, {})).toMatchObject({ enabled: false })
})
