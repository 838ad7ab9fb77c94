/** What the lists of a project do alike, each in its own words. */
import {
  diskApi,
  diskSnapshotApi,
  type Endpoint,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { makeDisk, makeDiskSnapshot, makeVmPool, makeVmSet, makeVmSnapshot } from '@slipway/e2e/objects'
import {
  diskCreatePath,
  diskListPath,
  diskSnapshotCreatePath,
  diskSnapshotListPath,
  snapshotCreatePath,
  snapshotListPath,
  vmPoolCreatePath,
  vmPoolListPath,
  vmSetCreatePath,
  vmSetListPath,
} from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../screen/network.test-kit.ts'
import { address, back, choose, follow, test, visit } from '../screen/screen.test-kit.ts'
import { expectFailures, expectRefused, expectText, expectTexts, toasts } from '../screen/shown.test-kit.ts'

interface List {
  what: string
  endpoint: Endpoint
  pathOf: (projectId: string) => string
  createPathOf: (projectId: string) => string
  loading: string
  none: string
  first: string
  links: readonly string[]
  failed: string
  totals: string
  /** Answers of the server, and what the page counts of each. */
  make: (name: string, status: 'sound' | 'failed') => object
  deletion: {
    endpoint: Endpoint
    title: string
    button: string
    question: readonly string[]
    failed: string
    done: string
  }
  counts: readonly { items: readonly unknown[]; terms: readonly string[]; numbers: readonly string[] }[]
}

/** Lists in rows, which can be filtered, too. */
interface Ledger extends List {
  choices: Record<string, readonly string[]>
}

const ledgers: readonly Ledger[] = [
  {
    what: 'disks',
    endpoint: diskApi.list,
    pathOf: diskListPath,
    createPathOf: diskCreatePath,
    loading: 'Loading disks...',
    none: 'No disks found',
    first: 'Get started by creating your first disk',
    links: ['Create Disk', 'Create Your First Disk'],
    failed: 'Failed to load disks',
    totals: 'Disks by status',
    deletion: {
      endpoint: diskApi.delete,
      title: 'Delete disk',
      button: 'Delete',
      question: ['Are you sure you want to delete disk "web"?', 'This action cannot be undone.'],
      failed: 'Failed to delete disk. Please try again.',
      done: 'Disk "web" deleted successfully',
    },
    counts: [
      {
        items: (['available', 'attached', 'creating'] as const).map((status) => makeDisk(status, status)),
        terms: ['Total', 'Available', 'Attached', 'Creating'],
        numbers: ['3', '1', '1', '1'],
      },
      {
        items: [makeDisk('a', 'failed'), makeDisk('b', 'error')],
        terms: ['Total', 'Available', 'Attached', 'Creating', 'Failed'],
        numbers: ['2', '0', '0', '0', '2'],
      },
    ],
    make: (name, status) => makeDisk(name, status === 'failed' ? 'failed' : 'available'),
    choices: {
      Source: ['All Sources', 'Blank', 'Image', 'Snapshot', 'Upload'],
      Status: ['All Status', 'Available', 'Attached', 'Creating', 'Failed'],
    },
  },
  {
    what: 'disk snapshots',
    endpoint: diskSnapshotApi.list,
    pathOf: diskSnapshotListPath,
    createPathOf: diskSnapshotCreatePath,
    loading: 'Loading disk snapshots...',
    none: 'No disk snapshots found',
    first: 'Get started by creating your first disk snapshot',
    links: ['Create Snapshot', 'Create Your First Snapshot'],
    failed: 'Failed to load disk snapshots',
    totals: 'Disk snapshots by status',
    deletion: {
      endpoint: diskSnapshotApi.delete,
      title: 'Delete Disk Snapshot',
      button: 'Delete Disk Snapshot',
      question: ['Are you sure you want to delete disk snapshot "web"?', 'This action cannot be undone.'],
      failed: 'Failed to delete disk snapshot. Please try again.',
      done: 'Disk snapshot "web" deleted successfully',
    },
    counts: [
      {
        // Words of other servers are among them.
        items: ['READY', 'Creating'].map((status) => ({ ...makeDiskSnapshot(status), status })),
        terms: ['Total Snapshots', 'Ready', 'Creating'],
        numbers: ['2', '1', '1'],
      },
      {
        items: ['ready', 'failed', 'Error'].map((status) => ({ ...makeDiskSnapshot(status), status })),
        terms: ['Total Snapshots', 'Ready', 'Creating', 'Failed'],
        numbers: ['3', '1', '0', '2'],
      },
    ],
    make: (name, status) => makeDiskSnapshot(name, { status: status === 'failed' ? 'failed' : 'ready' }),
    choices: { Status: ['All Status', 'Ready', 'Creating', 'Failed'] },
  },
  {
    what: 'VM snapshots',
    endpoint: vmSnapshotApi.list,
    pathOf: snapshotListPath,
    createPathOf: snapshotCreatePath,
    loading: 'Loading snapshots...',
    none: 'No snapshots found',
    first: 'Get started by creating your first snapshot',
    links: ['Create Snapshot', 'Create Your First Snapshot'],
    failed: 'Failed to load snapshots',
    totals: 'Snapshots by status',
    deletion: {
      endpoint: vmSnapshotApi.delete,
      title: 'Delete Snapshot',
      button: 'Delete Snapshot',
      question: [
        'Are you sure you want to delete snapshot "web"? Disks created from it are kept. This action cannot be undone.',
      ],
      failed: 'Failed to delete snapshot. Please try again.',
      done: 'Snapshot deleted successfully',
    },
    counts: [
      {
        items: ['ready', 'completed', 'processing', 'deleting', 'error'].map((status) => ({
          ...makeVmSnapshot(status),
          status,
        })),
        terms: ['Total', 'Ready', 'Creating', 'Failed'],
        numbers: ['5', '2', '1', '1'],
      },
    ],
    make: (name, status) => makeVmSnapshot(name, { status: status === 'failed' ? 'failed' : 'ready' }),
    choices: { Status: ['All', 'Ready', 'Creating', 'Failed', 'Error'] },
  },
]

const lists: readonly List[] = [
  ...ledgers,
  {
    what: 'VM pools',
    endpoint: vmPoolApi.list,
    pathOf: vmPoolListPath,
    createPathOf: vmPoolCreatePath,
    loading: 'Loading VM Pools...',
    none: 'No VM Pools Yet',
    first:
      'Create one from a template. It keeps as many VMs as its load needs, and replaces those that break.',
    links: ['Create Pool', 'Create VM Pool'],
    failed: 'Failed to load VM Pools. Please try again.',
    totals: 'VM pools in numbers',
    make: (name) => makeVmPool(name),
    deletion: {
      endpoint: vmPoolApi.delete,
      title: 'Delete VM Pool',
      button: 'Delete VM Pool',
      question: [
        'Are you sure you want to delete VM pool "web"? All its VMs will be deleted. This action cannot be undone',
        'Disks that were created for its VMs are deleted with them.',
      ],
      failed: 'Failed to delete VMPool. Please try again.',
      done: 'VM Pool deleted successfully',
    },
    counts: [
      {
        items: [
          makeVmPool('web', { current_size: 2, max_size: 6 }),
          makeVmPool('ci', { status: 'scaling', current_size: 0 }),
          makeVmPool('broken', { status: 'error', current_size: 1, max_size: 4 }),
        ],
        terms: ['Total Pools', 'Active Pools', 'Current VMs', 'Max Capacity'],
        numbers: ['3', '1', '3', '13'],
      },
    ],
  },
  {
    what: 'VM sets',
    endpoint: vmSetApi.list,
    pathOf: vmSetListPath,
    createPathOf: vmSetCreatePath,
    loading: 'Loading VM Sets...',
    none: 'No VM Sets Yet',
    first: 'Create one from a template. It holds as many VMs as you say, and replaces those that break.',
    links: ['Create Set', 'Create VM Set'],
    failed: 'Failed to load VM Sets. Please try again.',
    totals: 'VM sets in numbers',
    make: (name) => makeVmSet(name),
    deletion: {
      endpoint: vmSetApi.delete,
      title: 'Delete VM Set',
      button: 'Delete VM Set',
      question: [
        'Are you sure you want to delete VM set "web"? All its VMs will be deleted. This action cannot be undone',
        'Disks that were created for its VMs are deleted with them.',
      ],
      failed: 'Failed to delete VMSet. Please try again.',
      done: 'VM Set deleted successfully',
    },
    counts: [
      {
        items: [makeVmSet('ci', { status: 'creating', vm_stats: { total_vms: 0, running_vms: 0 } })],
        terms: ['Total Sets', 'Active Sets', 'Total VMs', 'Creating'],
        numbers: ['1', '0', '0', '1'],
      },
      {
        items: [
          makeVmSet('web', { vm_stats: { total_vms: 3, running_vms: 1 } }),
          makeVmSet('broken', { status: 'error' }),
        ],
        terms: ['Total Sets', 'Active Sets', 'Total VMs'],
        numbers: ['2', '1', '5'],
      },
    ],
  },
]

for (const { what, endpoint, pathOf, createPathOf, make, deletion, ...words } of lists) {
  const { loading, none, first, links, failed, totals, counts } = words
  test(`the list of ${what} is empty at first and leads to the form`, async ({ project }) => {
    const { letGo } = hold(endpoint)
    await visit(pathOf(project.id))
    await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent(loading)
    letGo()
    await expect.element(page.getByRole('heading', { name: none })).toBeVisible()
    await expect.element(page.getByText(first)).toBeVisible()
    await expect.element(page.getByLabelText(totals)).not.toBeInTheDocument()
    await expect.element(page.getByRole('searchbox')).not.toBeInTheDocument()
    for (const name of links) {
      await follow(page.getByRole('main').getByRole('link', { name, exact: true }), createPathOf(project.id))
      await back()
    }
  })

  test(`the list of ${what} counts, says why it does not load, and is refreshed on request`, async ({
    project,
  }) => {
    const stats = page.getByLabelText(totals)
    let answered = { end: async () => {} }
    for (const { items, terms, numbers } of counts) {
      await answered.end()
      answered = answer(endpoint, 200, items)
      await visit(pathOf(project.id))
      await expectTexts(stats.getByRole('term'), terms)
      await expectTexts(stats.getByRole('definition'), numbers)
    }
    const refresh = page.getByRole('button', { name: 'Refresh' })
    await expectFailures(
      endpoint,
      () => refresh.click(),
      failed,
      async (text) => {
        await expectText(page.getByRole('main').getByRole('alert'), text)
        expect(page.getByRole('article').elements()).toEqual([])
      },
    )
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(stats).toBeVisible()
    await answered.end()
    const calls = callsOf(endpoint)
    const { letGo } = hold(endpoint)
    await refresh.dblClick()
    await expect.element(page.getByRole('button', { name: 'Refreshing...' })).toBeDisabled()
    letGo()
    await expect.element(page.getByRole('heading', { name: none })).toBeVisible()
    expect(calls).toHaveLength(1)
  })

  test(`the list of ${what} deletes after a question, and tells what came of it`, async ({ project }) => {
    const { end } = answer(endpoint, 200, [{ ...make('web', 'sound'), project_id: project.id }])
    await visit(pathOf(project.id))
    const remove = page.getByRole('button', { name: 'Delete web' })
    await remove.click()
    const question = page.getByRole('alertdialog', { name: deletion.title })
    for (const text of deletion.question) await expectText(question, text)
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(remove).toHaveFocus()
    await remove.click()
    const agree = question.getByRole('button', { name: deletion.button })
    // It stays with the reason in it, and is tried again from there.
    const why = question.getByRole('alert')
    await expectRefused(deletion.endpoint, () => agree.click(), deletion.failed, why)
    answer(deletion.endpoint, 204)
    const calls = callsOf(deletion.endpoint)
    const { letGo } = hold(deletion.endpoint)
    await agree.dblClick()
    await expect.element(question.getByRole('button', { name: 'Deleting...' })).toBeDisabled()
    await end()
    letGo()
    await expectText(toasts().getByRole('status'), deletion.done)
    await expect.element(page.getByRole('heading', { name: none })).toBeVisible()
    expect(calls.map(({ body }) => body)).toEqual([undefined])
  })
}

for (const { what, endpoint, pathOf, none, make, choices } of ledgers)
  test(`the list of ${what} is searched and filtered in the URL, and cleared`, async ({ project }) => {
    answer(endpoint, 200, [
      make('before upgrade', 'sound'),
      make('nightly', 'sound'),
      make('weekly', 'failed'),
    ])
    await visit(pathOf(project.id))
    const names = page.getByRole('article').getByRole('heading')
    const search = page.getByRole('searchbox')
    const clear = page.getByRole('button', { name: 'Clear Filters' })
    // The newest first.
    const all = ['weekly', 'nightly', 'before upgrade']
    await expectTexts(names, all)
    await expect.element(clear).not.toBeInTheDocument()
    await search.fill('UPGRADE')
    await expectTexts(names, ['before upgrade'])
    await expect.element(page.getByText(/^Showing 1 of 3 /)).toBeVisible()
    for (const [label, options] of Object.entries(choices)) {
      await page.getByRole('combobox', { name: label }).click()
      await expectTexts(page.getByRole('option'), options)
      await userEvent.keyboard('{Escape}')
    }
    await choose('Status', 'Failed')
    await expect.poll(address).toMatch(/\?search=UPGRADE&status=failed$/)
    await expect.element(page.getByRole('heading', { name: none })).toBeVisible()
    await expect.element(page.getByText('Try adjusting your search or filters')).toBeVisible()
    await clear.click()
    await expect.element(search).toHaveFocus()
    await expect.element(search).toHaveValue('')
    await expectTexts(names, all)
    await choose('Status', 'Failed')
    await expectTexts(names, ['weekly'])
  })
