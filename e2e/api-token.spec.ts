import type { Page } from '@playwright/test'
import { apiTokenTexts, projectApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'

const section = (page: Page) => page.getByRole('region', { name: 'API tokens' })
const rows = (page: Page) => section(page).getByRole('listitem')
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

async function openForm(page: Page) {
  await section(page).getByRole('button', { name: 'Create Token' }).click()
  return dialog(page, 'Create API Token')
}

test('a token is created, shown once, used by a program and revoked', async ({
  page,
  project,
  call,
  playwright,
  server,
}) => {
  const other = await call(projectApi.create, { body: { name: 'Other' } })
  await page.goto('/account')
  await expect(section(page).getByText('No API tokens yet.')).toBeVisible()
  const form = await openForm(page)
  await expect(form.getByRole('status')).toHaveText(apiTokenTexts.nameMissing)
  await form.getByLabel('Name').fill('backups on nas')
  await form.getByRole('radio', { name: 'Read and write' }).check()
  await form.getByRole('radio', { name: 'Only some' }).check()
  await expect(form.getByRole('status')).toHaveText(apiTokenTexts.projectsMissing)
  await form.getByRole('checkbox', { name: project.name }).check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create Token' }).click()

  const shown = dialog(page, 'API Token Created')
  await shown.getByRole('button', { name: 'Copy API token' }).click()
  const token = await copied(page)
  expect(token).toMatch(/^slipway_[0-9a-f]{56}$/)
  await expect(shown.getByText(token, { exact: true })).toBeVisible()
  await expectAccessible(page)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(token)).toHaveCount(0)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('backups on nas')
  await expect(rows(page)).toContainText(`Read and write · ${project.name}`)
  await expect(rows(page)).toContainText('Never used')

  const program = await playwright.request.newContext({
    baseURL: server.url,
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  })
  const disk = { name: 'nightly', size: '1Gi', source: 'EMPTY' }
  expect((await program.post(`/api/projects/${project.id}/disks`, { data: disk })).status()).toBe(201)
  expect((await program.get(`/api/projects/${other.id}/vms`)).status()).toBe(403)
  await page.reload()
  await expect(rows(page)).toContainText(/Last used/)

  await page.getByRole('button', { name: 'Revoke backups on nas' }).click()
  await page
    .getByRole('alertdialog', { name: 'Revoke API Token' })
    .getByRole('button', { name: 'Revoke Token' })
    .click()
  await expect(rows(page)).toHaveCount(0)
  expect((await program.get('/api/projects')).status()).toBe(401)
  await program.dispose()
})
