import { diskApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { diskListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { address, back, choose, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText } from '../../screen/shown.test-kit.ts'
import { cardOf } from './disk.test-kit.ts'

describe('the list of disks', () => {
  test('has a button that creates a VM, which leads to the templates', async ({ project }) => {
    await visit(diskListPath(project.id))
    await follow(page.getByRole('main').getByRole('link', { name: 'Create VM' }), '/templates')
  })

  test('draws of thousands those one sees', async ({ project }) => {
    const many = Array.from({ length: 3000 }, (_, i) => makeDisk(`disk-${i}`))
    answer(diskApi.list, 200, many)
    await visit(diskListPath(project.id))
    await expect.element(cardOf('disk-2999').getByRole('button', { name: 'Attach' })).toBeVisible()
    expect(page.getByRole('article').elements().length).toBeLessThan(40)
    await userEvent.keyboard('{End}')
    await expect.element(cardOf('disk-0').getByRole('button', { name: 'Attach' })).toBeInViewport()
    await page.getByRole('searchbox').fill('disk-1234')
    await expect
      .element(page.getByRole('listitem').filter({ has: cardOf('disk-1234') }))
      .toHaveAttribute('aria-setsize', '1')
  })

  test('shows a disk as soon as it is asked for, and asks until it is there', async ({
    project,
    addDisk,
  }) => {
    await visit(diskListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await addDisk('ledger')
    await expect.element(cardOf('ledger')).toBeVisible()

    const { end } = answer(diskApi.list, 200, [makeDisk('tiles', 'creating')])
    await reload()
    await expect.element(page.getByRole('progressbar', { name: 'tiles: creating' })).toBeInTheDocument()
    await expect.element(cardOf('tiles').getByText('Creating', { exact: false })).toBeVisible()
    await end()
    answer(diskApi.list, 200, [makeDisk('tiles')])
    await expect.element(cardOf('tiles').getByText('Available')).toBeVisible()
    await expect.element(page.getByText('tiles is available')).toBeInTheDocument()
    await expectCount(page.getByRole('progressbar'), 0)
  })
})

test('a dialog stays with what was typed while disks appear above, and has a place in the URL', async ({
  project,
  sshKey: _,
  addDisk,
}) => {
  await addDisk('ledger')
  await visit(diskListPath(project.id))
  await cardOf('ledger').getByRole('button', { name: 'Create VM' }).click()
  const name = page.getByRole('dialog').getByLabelText('VM Name')
  await name.fill('engine')
  await addDisk('journal')
  await expect
    .element(page.getByRole('article', { name: 'journal', includeHidden: true }))
    .toBeInTheDocument()
  await expect.element(name).toHaveValue('engine')
  await expect.element(name).toHaveFocus()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expectCount(page.getByRole('dialog'), 0)
  await expect.poll(address).toBe(diskListPath(project.id))

  await page.getByRole('button', { name: 'Delete ledger' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await expect.element(question).toBeVisible()
  await expect.poll(address).toMatch(/[?&]dialog=delete-disk&of=/)
  await reload()
  await expectText(question, 'ledger')
  await back()
  await expectCount(question, 0)
  await expect.poll(address).toBe(diskListPath(project.id))
})

test('the filters of the list are there again after a look at a disk', async ({ project }) => {
  const of = { project_id: project.id }
  answer(diskApi.list, 200, [
    makeDisk('ledger', 'available', of),
    makeDisk('leaflet', 'failed', of),
    makeDisk('journal', 'available', of),
  ])
  await visit(diskListPath(project.id))
  await page.getByRole('searchbox', { name: 'Search disks' }).fill('le')
  await choose('Status', 'Available')
  await expect.poll(address).toMatch(/\?search=le&status=available$/)
  await cardOf('ledger').getByRole('link', { name: 'ledger' }).click()
  await expect.element(page.getByRole('heading', { level: 1, name: 'ledger' })).toBeVisible()
  await back()
  await expectCount(page.getByRole('article'), 1)
  await expect.element(page.getByRole('searchbox', { name: 'Search disks' })).toHaveValue('le')
})
