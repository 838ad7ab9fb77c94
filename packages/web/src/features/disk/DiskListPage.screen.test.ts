import { diskApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { diskCreatePath, diskListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, choose, reload, test, texts, visit } from '../../screen/screen.test-kit.ts'
import { attached, cardOf } from './disk.test-kit.ts'

describe('the list of disks', () => {
  test('is empty at first and leads to the form of a disk', async ({ project }) => {
    const { letGo } = hold(diskApi.list)
    await visit(diskListPath(project.id))
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading disks...')
    letGo()
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect.element(page.getByText('Get started by creating your first disk')).toBeVisible()
    await expect.element(page.getByRole('searchbox')).not.toBeInTheDocument()
    await page.getByRole('link', { name: 'Create Your First Disk' }).click()
    await expect.poll(address).toBe(diskCreatePath(project.id))
    history.back()
    await page.getByRole('link', { name: 'Create Disk' }).click()
    await expect.poll(address).toBe(diskCreatePath(project.id))
  })

  test('has a button that creates a VM, which leads to the templates', async ({ project }) => {
    await visit(diskListPath(project.id))
    await page.getByRole('main').getByRole('link', { name: 'Create VM' }).click()
    await expect.poll(address).toBe('/templates')
  })

  test('counts its disks by status, and failed ones only when there are some', async ({ project }) => {
    const stats = page.getByLabelText('Disks by status')
    const answered = answer(diskApi.list, 200, [
      makeDisk('a'),
      makeDisk('b'),
      attached('c', 'web'),
      makeDisk('d', 'creating'),
      makeDisk('e', 'deleting'),
    ])
    await visit(diskListPath(project.id))
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total', 'Available', 'Attached', 'Creating'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['5', '2', '1', '1'])
    await answered.end()
    answer(diskApi.list, 200, [makeDisk('a', 'failed'), makeDisk('b', 'error')])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect
      .poll(() => texts(stats.getByRole('term')))
      .toEqual(['Total', 'Available', 'Attached', 'Creating', 'Failed'])
    await expect.poll(() => texts(stats.getByRole('definition'))).toEqual(['2', '0', '0', '0', '2'])
  })

  test('refreshes on request, and is busy meanwhile', async ({ project, addDisk }) => {
    await addDisk('ledger')
    await visit(diskListPath(project.id))
    await expect.element(cardOf('ledger')).toBeVisible()
    const calls = callsOf(diskApi.list)
    const { letGo } = hold(diskApi.list)
    await page.getByRole('button', { name: 'Refresh' }).dblClick()
    await expect.element(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByRole('button', { name: 'Refresh', exact: true })).toBeEnabled()
    expect(calls).toHaveLength(1)
  })

  test('says why it does not load, shows nothing, and can be tried again', async ({ project, addDisk }) => {
    await addDisk('ledger')
    for (const [status, body, text] of [
      [403, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to load disks'],
      [null, {}, 'Failed to load disks'],
    ] as const) {
      const { end } = answer(diskApi.list, status, body)
      await visit(diskListPath(project.id))
      await expect.element(page.getByRole('main').getByRole('alert')).toMatchTextContent(text)
      expect(page.getByRole('article').elements()).toEqual([])
      await expect.element(page.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await end()
      await page.getByRole('button', { name: 'Try Again' }).click()
      await expect.element(cardOf('ledger')).toBeVisible()
    }
    // A refresh that fails empties the list as well.
    answer(diskApi.list, 500)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.element(page.getByRole('main').getByRole('alert')).toMatchTextContent('Failed to load disks')
    expect(page.getByRole('article').elements()).toEqual([])
  })

  test('finds disks by name, source and VM, and by two filters', async ({ project }) => {
    answer(diskApi.list, 200, [
      makeDisk('ledger', 'available'),
      attached('archive', 'web', { source: 'snapshot' }),
      makeDisk('tiles', 'creating', { source: 'image' }),
      makeDisk('broken', 'error'),
      makeDisk('never', 'failed', { source: 'image' }),
    ])
    await visit(diskListPath(project.id))
    const names = page.getByRole('article').getByRole('heading')
    const search = page.getByRole('searchbox', { name: 'Search disks' })
    // Locators know no `search`.
    const shownNumbers = () =>
      [...document.querySelectorAll('search [role=status]')].map(({ textContent }) => textContent)
    const found = async (expected: string[]) => {
      await expect.poll(() => texts(names)).toEqual(expected)
      const filtered = expected.length < 5 ? [`Showing ${expected.length} of 5 disks`] : []
      await expect.poll(shownNumbers).toEqual(filtered)
    }
    // The newest first.
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
    for (const [text, expected] of [
      ['LEDG', ['ledger']],
      ['image', ['never', 'tiles']],
      ['id-of-web', ['archive']],
    ] as const) {
      await search.fill(text)
      await found([...expected])
    }
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect.element(search).toHaveFocus()
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
    await expect.element(page.getByRole('button', { name: 'Clear Filters' })).not.toBeInTheDocument()

    await page.getByRole('combobox', { name: 'Status' }).click()
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual(['All Status', 'Available', 'Attached', 'Creating', 'Failed'])
    await userEvent.keyboard('{Escape}')
    await page.getByRole('combobox', { name: 'Source' }).click()
    await expect
      .poll(() => texts(page.getByRole('option')))
      .toEqual(['All Sources', 'Blank', 'Image', 'Snapshot', 'Upload'])
    await userEvent.keyboard('{Escape}')
    for (const [status, expected] of [
      ['Available', ['ledger']],
      ['Attached', ['archive']],
      ['Creating', ['tiles']],
      ['Failed', ['never', 'broken']],
    ] as const) {
      await choose('Status', status)
      await found([...expected])
    }
    await choose('Source', 'Image')
    await found(['never'])
    await choose('Source', 'Snapshot')
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect.element(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await found(['never', 'broken', 'tiles', 'archive', 'ledger'])
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
    await expect.poll(() => page.getByRole('progressbar').elements()).toHaveLength(0)
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
  await expect.poll(() => page.getByRole('dialog').elements()).toHaveLength(0)
  await expect.poll(address).toBe(diskListPath(project.id))

  await page.getByRole('button', { name: 'Delete ledger' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete disk' })
  await expect.element(question).toBeVisible()
  await expect.poll(address).toMatch(/[?&]dialog=delete-disk&of=/)
  await reload()
  await expect.element(question).toMatchTextContent('ledger')
  history.back()
  await expect.poll(() => question.elements()).toHaveLength(0)
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
  history.back()
  await expect.poll(() => page.getByRole('article').elements()).toHaveLength(1)
  await expect.element(page.getByRole('searchbox', { name: 'Search disks' })).toHaveValue('le')
})
