import type { Page } from '@playwright/test'
import { type ApiToken, apiTokenApi, apiTokenTexts, projectApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'
import { answer, hold } from './network.ts'

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

test('the page is reached by the menu of the user, and the form by the keyboard', async ({
  page,
  user: _,
}) => {
  await page.goto('/templates')
  await page.getByRole('button', { name: /^AL/ }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()
  await section(page).getByRole('button', { name: 'Create Token' }).focus()
  await page.keyboard.press('Enter')
  const form = dialog(page, 'Create API Token')
  await form.getByLabel('Name').pressSequentially('ci')
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'API Token Created')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows(page)).toHaveCount(1)
})

test('a form with something in it asks before it is left', async ({ page, user: _ }) => {
  await page.goto('/account')
  const form = await openForm(page)
  await form.getByLabel('Name').fill('half')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeVisible()
})

test('says that it is loading, and can be asked for again when that fails', async ({ page, user: _ }) => {
  const { letGo } = await hold(page, apiTokenApi.list)
  await page.goto('/account')
  await expect(section(page).getByText('Loading API tokens...')).toBeVisible()
  const failing = await answer(page, apiTokenApi.list, 500)
  await page.reload()
  await expect(section(page).getByRole('alert')).toContainText('Failed to load API tokens.', {
    timeout: 30_000,
  })
  await expectAccessible(page)
  await failing.end()
  letGo()
  await section(page).getByRole('button', { name: 'Try Again' }).click()
  await expect(section(page).getByText('No API tokens yet.')).toBeVisible()
})

test('tells expired tokens and deleted projects, and says why one could not be created', async ({
  page,
  user: _,
}) => {
  const old: ApiToken = {
    id: 'old',
    name: 'old',
    access: 'read',
    project_ids: ['gone'],
    created_at: '2024-01-01T00:00:00.000Z',
    expires_at: '2024-02-01T00:00:00.000Z',
    last_used_at: '2024-01-20T00:00:00.000Z',
  }
  await answer(page, apiTokenApi.list, 200, [old])
  await page.goto('/account')
  await expect(rows(page)).toContainText('Read · None of your projects')
  await expect(rows(page)).toContainText('Expired Feb 1, 2024')
  await expect(rows(page)).toContainText('Last used Jan 20, 2024')
  await answer(page, apiTokenApi.create, 409, { message: apiTokenTexts.tooMany })
  const form = await openForm(page)
  await form.getByLabel('Name').fill('one more')
  await form.getByRole('button', { name: 'Create Token' }).click()
  await expect(form.getByText(apiTokenTexts.tooMany)).toBeVisible()
})
