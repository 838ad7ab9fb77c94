import type { Page } from '@playwright/test'
import { apiTokenApi } from '@slipway/contract'
import { expectAccessible, expectFits } from './a11y.ts'
import { copied } from './clipboard.ts'
import { expect, test } from './fixtures.ts'

const rowOf = (page: Page, id: string) => page.locator(`details#${id}`)
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search the API' })

test('a user finds a call from the API tokens, reads it and runs its example', { tag: '@full' }, async ({
  page,
  project,
  call,
  playwright,
}) => {
  await page.goto('/account')
  await page.getByRole('region', { name: 'API tokens' }).getByRole('link', { name: 'API reference' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'API reference' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: /^Showing (\d+) of \1 calls$/ })).toBeVisible()
  await expectAccessible(page)

  await search(page).fill('create disk')
  const row = rowOf(page, 'diskCreate')
  await row.locator('summary').first().click()
  await expect(row.getByText('Takes an API token that can read and write, or a session.')).toBeVisible()
  await expect(row.getByText('Please enter a disk name')).toBeVisible()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Copy the command' }).click()
  const command = await copied(page)
  expect(command).toContain('-H "Authorization: Bearer $SLIPWAY_TOKEN"')
  expect(command).toContain('/api/projects/$PROJECT_ID/disks')

  // What the example sends, filled in, is what the server takes.
  const [, sent = ''] = /-d '(.*)'/.exec(command) ?? []
  const token = await call(apiTokenApi.create, { body: { name: 't', access: 'write', project_ids: null } })
  const program = await playwright.request.newContext({
    extraHTTPHeaders: { authorization: `Bearer ${token.token}` },
  })
  const url = (/"(http[^"]*)"$/.exec(command)?.[1] ?? '').replace('$PROJECT_ID', project.id)
  const response = await program.post(url, { data: { ...JSON.parse(sent), size: '1Gi' } })
  expect(response.status()).toBe(201)
  await program.dispose()
})

test('filters leave the calls that are meant, and everything fits on a phone', { tag: '@full' }, async ({
  page,
  user,
}) => {
  expect(user).toBeDefined()
  await page.goto('/api-reference?resource=vmPool&access=read')
  await expect(page.getByRole('region', { name: 'VM pools' })).toBeVisible()
  await expect(rowOf(page, 'vmPoolCreate')).toHaveCount(0)
  await expect(rowOf(page, 'projectList')).toHaveCount(0)
  await search(page).fill('no such call')
  await expect(page.getByText('No call matches the search and filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect(rowOf(page, 'projectList')).toBeVisible()

  await page.setViewportSize({ width: 360, height: 740 })
  for (const id of ['vmCreate', 'accountSignIn', 'vmConsole', 'Host']) {
    await rowOf(page, id).locator('summary').first().click()
    await expect(rowOf(page, id)).toHaveAttribute('open')
  }
  await expectFits(page)
  await expectAccessible(page)
})
