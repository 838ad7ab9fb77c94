import type { Page } from '@playwright/test'
import { shareApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { vmPath } from './paths.ts'
import { toasts } from './sentences.ts'

const section = (page: Page) => page.getByRole('region', { name: 'Network' })
const shares = (page: Page) => page.getByRole('list', { name: 'Shared ports' })
const share = (page: Page) => page.getByRole('button', { name: 'Share a port' })

test('a port is shared, opened, shared otherwise and shared no more', async ({
  page,
  makeVm,
  browser,
  user,
}) => {
  const vm = await makeVm('web', 'running')
  await page.goto(vmPath(vm))
  await expect(section(page)).toContainText('No port is shared')
  await share(page).click()
  const dialog = page.getByRole('dialog', { name: 'Share a port' })
  await dialog.getByRole('button', { name: '3000', exact: true }).click()
  await dialog.getByRole('button', { name: 'Share Port' }).click()
  await expect(toasts(page).getByText('Port 3000 is shared')).toBeVisible()
  const link = shares(page).getByRole('link')
  await expect(link).toHaveAttribute('href', /:\d+\/$/)
  const address = (await link.getAttribute('href')) ?? ''

  // Signed in here, it opens; somebody else is refused.
  const own = await page.context().newPage()
  await own.goto(address)
  await expect(own.locator('body')).toContainText(vm.id)
  const stranger = await browser.newContext()
  const refused = await stranger.newPage()
  await refused.goto(address)
  await expect(refused.locator('body')).not.toContainText(vm.id)
  // In another browser one signs in, and is there.
  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  await other.goto(`${address}?a=1`)
  await other.getByRole('link', { name: 'Sign in' }).click()
  await expect(other.getByText('Sign in to open this page.').first()).toBeVisible()
  await other.getByLabel('Email').fill(user.email)
  await other.getByLabel('Password', { exact: true }).fill(user.password)
  await other.getByRole('button', { name: 'Sign In' }).click()
  await expect(other).toHaveURL(`${address}?a=1`)
  await expect(other.locator('body')).toContainText(vm.id)
  await elsewhere.close()

  await shares(page).getByRole('button', { name: 'Change who may open port 3000' }).click()
  const change = page.getByRole('dialog', { name: 'Change port 3000' })
  await change.getByRole('radio', { name: 'Whoever has the link' }).check()
  await change.getByRole('button', { name: 'Save' }).click()
  await expect(shares(page)).toContainText('Whoever has the link')
  const secret = (await link.getAttribute('href')) ?? ''
  expect(secret).toContain('slipway=')
  await refused.goto(secret)
  await expect(refused.locator('body')).toContainText(vm.id)
  expect(refused.url()).not.toContain('slipway=')

  await shares(page).getByRole('button', { name: 'Stop sharing port 3000' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop Sharing' }).click()
  await expect(section(page)).toContainText('No port is shared')
  await expect(refused.reload()).rejects.toThrow(/ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/)
  await stranger.close()
})

test.describe('far from the server', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('a share ends at a time that somebody enters, in the time zone of the browser', async ({
    page,
    makeVm,
    call,
    project,
  }) => {
    const vm = await makeVm('web', 'running')
    await page.goto(vmPath(vm))
    await share(page).click()
    const dialog = page.getByRole('dialog', { name: 'Share a port' })
    await dialog.getByLabel('Port', { exact: true }).fill('3000')
    await dialog.getByRole('combobox', { name: 'Until' }).click()
    await page.getByRole('option', { name: 'A date and time' }).click()
    const submit = dialog.getByRole('button', { name: 'Share Port' })
    await expect(dialog.getByRole('status')).toHaveText('Choose a time in the future')
    await expect(submit).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByLabel('Date and time', { exact: true }).fill('2020-01-01T00:00')
    await expect(submit).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByLabel('Date and time', { exact: true }).fill('2199-05-06T07:08')
    await expectAccessible(page)
    await submit.click()
    await expect(shares(page)).toContainText('until May 6, 2199, 7:08 AM')
    const [made] = await call(shareApi.list, { params: { projectId: project.id } })
    expect(made?.expires_at).toBe('2199-05-05T22:08:00.000Z')

    // What was entered stands there to be changed.
    await shares(page).getByRole('button', { name: 'Change who may open port 3000' }).click()
    const change = page.getByRole('dialog', { name: 'Change port 3000' })
    await change.getByRole('combobox', { name: 'Until' }).click()
    await page.getByRole('option', { name: 'A date and time' }).click()
    const time = change.getByLabel('Date and time', { exact: true })
    await expect(time).toHaveValue('2199-05-06T07:08')
    await time.fill('2199-05-06T09:10')
    await change.getByRole('button', { name: 'Save' }).click()
    await expect(shares(page)).toContainText('until May 6, 2199, 9:10 AM')
  })
})
