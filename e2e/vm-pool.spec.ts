import type { Page } from '@playwright/test'
import { type VmPool, type VmPoolCreate, vmApi, vmPoolApi } from '@slipway/contract'
import { type Call, expect, often, templateId, test } from './fixtures.ts'
import { vmPoolListPath, vmPoolPath } from './paths.ts'
import { toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const questionOf = (page: Page) => page.getByRole('alertdialog', { name: 'Delete VM Pool' })

/** Creates a pool and waits until it has as many VMs as it wants. */
async function makePool(call: Call, projectId: string, body: VmPoolCreate): Promise<VmPool> {
  const { id } = await call(vmPoolApi.create, { params: { projectId }, body })
  let pool: VmPool | undefined
  await expect
    .poll(async () => {
      pool = await call(vmPoolApi.get, { params: { projectId, poolId: id } })
      return pool.status
    }, often)
    .toBe('active')
  if (!pool) throw new Error(`The pool ${body.name} is gone`)
  return pool
}

test.describe('the page of a VM pool', () => {
  test('shows the pool with its VMs, lets it be resized, and follows it', { tag: '@cluster' }, async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const pool = await makePool(call, project.id, {
      name: 'web',
      description: 'Shop front',
      template_id: templateId,
      ssh_key_id: sshKey.id,
      desired_size: 1,
      auto_scaling: false,
    })
    await page.goto(vmPoolPath(pool))
    await expect(page.getByRole('heading', { level: 1, name: 'web' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText('Shop front')
    const facts = page.getByRole('region', { name: 'Information' })
    for (const fact of ['TemplateStarter Linux', `SSH Key${sshKey.name}`, 'PersistentYes', `ID${pool.id}`])
      await expect(facts).toContainText(fact)
    const stats = page.getByLabel('VM pool in numbers')
    await expect(stats.getByRole('term')).toHaveText([
      'Current VMs',
      'Running VMs',
      'Desired Size',
      'CPU Load',
    ])
    await expect(stats.getByRole('definition').nth(1)).toHaveText('1')
    const size = page.getByRole('region', { name: 'Size', exact: true })
    await expect(size).toContainText('33.3% utilization')
    await expect(size.getByRole('meter')).toHaveAttribute(
      'aria-valuetext',
      '33.3%: 1 of 3 VMs, desired 1, minimum 1',
    )
    await expect(cardOf(page, 'web-1').getByRole('button', { name: 'Stop' })).toBeVisible()
    // What a pool is there for begins on the first screen, before its charts.
    await expect(page.getByRole('heading', { level: 2, name: 'Virtual Machines' })).toBeInViewport()

    await page.getByRole('button', { name: 'Edit' }).click()
    await size.getByLabel('Desired size').fill('2')
    await size.getByRole('button', { name: 'Save' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Pool updated successfully')
    // The page follows by itself what comes of it.
    await expect(cardOf(page, 'web-2').getByText('Running', { exact: true })).toBeVisible()
    await expect(stats.getByRole('definition')).toHaveText([/^2/, '2', '2', /./])
    await expect(page.getByRole('row', { name: /"web-2" was added/ })).toContainText('1 to 2')
    await expect(size.getByText('Active')).toBeVisible()
    await expect(page.getByRole('main')).toContainText('The size changes only when somebody changes it.')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('button', { name: 'Refresh', exact: true })).toBeEnabled()

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await questionOf(page).getByRole('button', { name: 'Delete VM Pool' }).click()
    await expect(page).toHaveURL(vmPoolListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No VM Pools Yet' })).toBeVisible()
    await expect.poll(() => call(vmApi.list, { params: { projectId: project.id } })).toEqual([])
  })
})
