import type { Page } from '@playwright/test'
import { passkeyApi, passkeyTexts } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { test as base, expect } from './fixtures.ts'

/** Browsers have no passkeys at an IP address. */
const test = base.extend({
  baseURL: async ({ server }, use) => use(server.url.replace('127.0.0.1', 'localhost')),
})

/** A phone that is always at hand and knows its owner. */
async function plugInAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verifiesUser: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

test('a passkey is added, signed in with, renamed and removed', async ({ page, user, call }) => {
  await plugInAuthenticator(page)
  await page.goto('/account')
  const section = page.getByRole('region', { name: 'Passkeys' })
  await section.getByRole('button', { name: 'Add Passkey' }).click()
  const form = page.getByRole('dialog', { name: 'Add Passkey' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Phone')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Continue' }).click()
  await expect(section.getByRole('listitem')).toContainText('Phone')
  await expect(section.getByRole('listitem')).toContainText('Not used yet')
  await expectAccessible(page)

  // The same device has one already.
  await section.getByRole('button', { name: 'Add Passkey' }).click()
  await form.getByRole('textbox', { name: 'Name' }).fill('Phone again')
  await form.getByRole('button', { name: 'Continue' }).click()
  await expect(form.getByRole('alert')).toContainText('has a passkey of your account already')
  await form.getByRole('button', { name: 'Cancel' }).click()

  await page.context().clearCookies()
  await page.goto('/signin')
  const button = page.getByRole('button', { name: 'Use a Passkey' })
  await expect(button).toBeEnabled()
  await expectAccessible(page)
  await button.click()
  await expect(page).not.toHaveURL(/signin/)
  await page.goto('/account')
  await expect(page.getByText(user.email)).toBeVisible()
  await expect(section.getByRole('listitem')).toContainText('Last used')

  await section.getByRole('button', { name: 'Rename Phone' }).click()
  const renaming = page.getByRole('dialog', { name: 'Rename Passkey' })
  await renaming.getByRole('textbox', { name: 'Name' }).fill('Key ring')
  await renaming.getByRole('button', { name: 'Rename' }).click()
  await expect(section.getByRole('listitem')).toContainText('Key ring')
  await section.getByRole('button', { name: 'Remove Key ring' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove Passkey' }).click()
  await expect(section).toContainText('No passkeys yet.')
  expect(await call(passkeyApi.list, {})).toEqual([])

  await page.context().clearCookies()
  await page.goto('/signin')
  await button.click()
  await expect(page.getByRole('alert')).toContainText(passkeyTexts.unknown)
})

test('a device that does not verify its user signs nobody in', { tag: '@full' }, async ({
  page,
  user: _,
}) => {
  const authenticator = await plugInAuthenticator(page)
  await page.goto('/account?dialog=add-passkey')
  const form = page.getByRole('dialog', { name: 'Add Passkey' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Phone')
  await form.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem')).toHaveCount(1)
  await authenticator.verifiesUser(false)
  await page.context().clearCookies()
  await page.goto('/signin')
  await page.getByRole('button', { name: 'Use a Passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('The passkey was not used.')
})

base('where the browser has no passkeys, the page says where it does', async ({ page, user: _, server }) => {
  await page.goto('/account')
  const section = page.getByRole('region', { name: 'Passkeys' })
  const there = server.url.replace('127.0.0.1', 'localhost')
  await expect(section).toContainText(`Passkeys work at ${there} only.`)
  await expect(section.getByRole('button', { name: 'Add Passkey' })).toBeDisabled()
  await expectAccessible(page)
})
