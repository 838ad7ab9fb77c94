import type { Page } from '@playwright/test'
import { projectApi } from '@slipway/contract'
import { expect, join, newPerson, test } from './fixtures.ts'
import { signIn, signOut } from './sentences.ts'

/** The project that one works in, by the sidebar. */
const selected = (page: Page, name: string) =>
  page.getByRole('complementary', { name: 'Sidebar' }).getByRole('button', { name: `Project: ${name}` })

test.describe('the selected project', () => {
  test('is kept for each user of a browser', async ({ page, user, project: _, call, server }) => {
    const looms = await call(projectApi.create, { body: { name: 'Looms' } })
    // The address of a project selects it.
    await page.goto(`/projects/${looms.id}/vms`)
    await expect(selected(page, 'Looms')).toBeVisible()
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1, name: 'Looms' })).toBeVisible()
    await page.reload()
    await expect(selected(page, 'Looms')).toBeVisible()
    await signOut(page)

    const other = newPerson()
    await join(call, server, other)
    await call(projectApi.create, { body: { name: 'Mills' } })
    await page.goto('/')
    await expect(selected(page, 'Mills')).toBeVisible()
    await signOut(page)
    await signIn(page, user)
    await expect(selected(page, 'Looms')).toBeVisible()
  })
})
