import type { Page } from '@playwright/test'
import { projectApi } from '@slipway/contract'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
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

test("a project is nobody else's", async ({ page, project, makeVm, browser, server }) => {
  const vm = await makeVm('engine')
  const elsewhere = await browser.newContext({ baseURL: server.url })
  await join(callWith(elsewhere.request), server, newPerson())
  const stranger = await elsewhere.newPage()
  for (const path of [`/projects/${project.id}/vms`, `/projects/${project.id}/vms/${vm.id}`]) {
    await stranger.goto(path)
    await expect(stranger.getByRole('heading', { level: 1, name: 'Project not found' })).toBeVisible()
    await page.goto(path)
    await expect(page.getByText(vm.name).first()).toBeVisible()
  }
  await elsewhere.close()
})
