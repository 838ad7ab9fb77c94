import { readFile } from 'node:fs/promises'
import { expectAccessible } from './a11y.ts'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { startServer } from './server.ts'

test('the log of an account is in its menu; that of everybody is for administrators, who take it home', async ({
  page,
  user,
  playwright,
}) => {
  await page.goto('/templates')
  await page.getByRole('button', { name: `${user.firstName} ${user.lastName}` }).click()
  await page.getByRole('menuitem', { name: 'Your activity' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your activity' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Signed in' }).first()).toContainText('Access')
  // A user whom the server would refuse it is not offered it.
  await page.goto('/admin/templates')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Export activity')).toHaveCount(0)

  const boss = newPerson()
  const server = await startServer({ SLIPWAY_ADMINS: boss.email })
  try {
    const request = await playwright.request.newContext({ baseURL: server.url })
    await join(callWith(request), server, boss)
    const { cookies } = await request.storageState()
    await page.context().addCookies(cookies)
    await page.goto(`${server.url}/admin/templates`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export activity' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export Activity' })
    await dialog.getByLabel('From').fill('2026-01-02')
    await dialog.getByLabel('Until').fill('2026-01-01')
    await expect(dialog.getByRole('status')).toHaveText('The last day is before the first one')
    await expectAccessible(page)
    await dialog.getByLabel('Until').fill('')
    await dialog.getByRole('radio', { name: 'CSV' }).check()
    await dialog.getByRole('button', { name: 'Export' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('slipway-activity.csv')
    expect(await readFile(await file.path(), 'utf8')).toMatch(/^"id","at",/)
    await expect(dialog).toHaveCount(0)
    await request.dispose()
  } finally {
    await server.stop()
  }
})
