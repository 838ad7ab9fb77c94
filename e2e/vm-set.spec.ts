import type { Page } from '@playwright/test'
import { vmApi, vmSetApi } from '@slipway/contract'
import { expect, templateId, test } from './fixtures.ts'
import { vmListPath, vmSetListPath, vmSetPath } from './paths.ts'
import { toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

test.describe('the page of a VM set', () => {
  test('shows the set with its VMs, lets it be resized, and follows it', { tag: '@cluster' }, async ({
    page,
    project,
    sshKey,
    call,
  }) => {
    const params = { projectId: project.id }
    const body = { name: 'web', template_id: templateId, ssh_key_id: sshKey.id, replicas: 1 }
    const set = await call(vmSetApi.create, { params, body })
    await page.goto(vmSetPath(set))
    await expect(page.getByRole('heading', { level: 1, name: 'web' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Information' })).toContainText('TemplateStarter Linux')
    const stats = page.getByLabel('VM set in numbers')
    await expect(stats.getByRole('term')).toHaveText(['Total VMs', 'Running VMs', 'CPU Load'])
    await expect(stats.getByRole('definition')).toHaveText(['1of 1', '1', /./])
    await expect(cardOf(page, 'web-1').getByRole('button', { name: 'Stop' })).toBeVisible()
    // What a set is there for comes before its charts.
    const [members, charts] = await Promise.all([
      page.getByRole('heading', { level: 2, name: 'Virtual Machines' }).boundingBox(),
      page.getByRole('region', { name: 'The last hour' }).boundingBox(),
    ])
    expect(members?.y).toBeLessThan(charts?.y ?? 0)
    await expect(cardOf(page, 'web-1')).toContainText('Part ofset web')

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Number of replicas').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('VM Set updated successfully')
    await expect(cardOf(page, 'web-2').getByText('Running', { exact: true })).toBeVisible()
    await expect(stats.getByRole('definition')).toHaveText(['2of 2', '2', /./])
    await expect(page.getByRole('img', { name: '2 of 2 VMs run, 2 exist' })).toBeVisible()
    await expect(page.getByRole('row', { name: /"web-2" was added/ })).toContainText('1 to 2')

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete VM Set' }).click()
    await expect(page).toHaveURL(vmSetListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No VM Sets Yet' })).toBeVisible()
    await page.goto(vmListPath(project.id))
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    expect(await call(vmApi.list, { params })).toEqual([])
  })
})
