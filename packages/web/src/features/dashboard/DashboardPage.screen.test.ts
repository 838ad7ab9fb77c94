import { diskApi, projectApi, type Vm, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk, makeVmPool, makeVmSet } from '@slipway/e2e/objects'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { address, back, call, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText, expectTexts } from '../../screen/shown.test-kit.ts'

const main = page.getByRole('main')
/** What the project holds, one card for each kind. */
const cards = main.getByRole('list').first().getByRole('listitem')
const detailLinks = main.getByRole('link', { name: /^View Details/ })

const disk = (id: string, size_gb: number) => makeDisk(id, 'available', { size: `${size_gb}Gi`, size_gb })

test('a project without VMs is welcomed with what there is to create', async ({ project }) => {
  const projects = hold(projectApi.list)
  const vms = hold(vmApi.list)
  await visit('/')
  await expect.element(main.getByRole('status')).toHaveTextContent('Loading projects...')
  projects.letGo()
  await expect.element(main.getByRole('status')).toHaveTextContent('Loading VMs...')
  vms.letGo()
  await expectTexts(page.getByRole('heading', { level: 3 }), ['Single VMs', 'VM Pools', 'VM Sets'])
  for (const [link, path] of [
    ['Create VM', '/create'],
    ['Create Pool', `/projects/${project.id}/vmpools/create`],
    ['Create Set', `/projects/${project.id}/vmsets/create`],
  ] as const) {
    await follow(main.getByRole('link', { name: link }), path)
    await back()
    await expect.poll(address).toBe('/')
  }
  await expect.element(page.getByRole('heading', { name: 'Single VMs' })).toBeVisible()
  await expect
    .element(page.getByRole('heading', { level: 2, name: 'Recent Virtual Machines' }))
    .not.toBeInTheDocument()
})

test('four cards count what the project holds', async ({ project, makeVm }) => {
  await makeVm('fault-crash', 'failed')
  await makeVm('two', 'running')
  await makeVm('three', 'running')
  const pools = [makeVmPool('a', { current_size: 0 }), makeVmPool('b')]
  answer(vmPoolApi.list, 200, pools)
  const stats = { total_vms: 2, running_vms: 0 }
  answer(vmSetApi.list, 200, [makeVmSet('a', { replicas: 3, vm_stats: stats })])
  const disks = answer(diskApi.list, 200, [disk('a', 10), disk('b', 25)])
  await visit('/')
  await expectTexts(cards.getByRole('heading'), ['Virtual Machines', 'VM Pools', 'VM Sets', 'Storage'])
  await expect.element(cards.first()).toHaveTextContent('Virtual Machines32 active')
  await expect.element(cards.nth(1)).toHaveTextContent('VM Pools21 VM')
  await expect.element(cards.nth(2)).toHaveTextContent('VM Sets12 VMs')
  await expect.element(cards.last()).toHaveTextContent('Storage2disks, 35Gi')
  await disks.end()
  expect(await call(diskApi.list, { params: { projectId: project.id }, query: {} })).toEqual([])
  await reload()
  await expect.element(cards.last()).toHaveTextContent('Storage0disks, 0Gi')
  for (const [index, path] of ['vms', 'vmpools', 'vmsets', 'disks'].entries()) {
    await follow(cards.nth(index).getByRole('link'), `/projects/${project.id}/${path}`)
    await back()
    await expect.poll(address).toBe('/')
  }
})

test('a card whose list does not load says so, and counts nothing', async ({ project: _, makeVm }) => {
  await makeVm('engine')
  for (const endpoint of [vmPoolApi.list, vmSetApi.list, diskApi.list]) answer(endpoint, 500)
  await visit('/')
  await expectTexts(cards, [
    expect.stringMatching(/^Virtual Machines1/),
    'VM PoolsUnknownFailed to load',
    'VM SetsUnknownFailed to load',
    'StorageUnknownFailed to load',
  ])
})

test('the six newest of eight VMs are shown as the API has them', async ({ project, makeVm }) => {
  const newest = await makeVm('eight', 'running')
  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  const older = names.map((name, i) => ({
    ...newest,
    id: name,
    name,
    status: 'stopped' as const,
    created_at: new Date(1_700_000_000_000 + i * 3_600_000).toISOString(),
  }))
  answer(vmApi.list, 200, [...older, newest])
  await visit('/')
  await expectTexts(
    detailLinks,
    ['eight', 'seven', 'six', 'five', 'four', 'three'].map((name) => `View Details of ${name}`),
  )
  const recent = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^View Details/ }) })
  for (const [index, vm] of [newest, ...older.slice(-5).reverse()].entries()) {
    const row = recent.nth(index)
    await expectText(row, vm.name, new RegExp(vm.status, 'i'), `Created ${shownMoment(vm.created_at)}`)
  }
  await recent.first().getByRole('link', { name: 'eight', exact: true }).click()
  await expect.poll(address).toBe(`/projects/${project.id}/vms/${newest.id}`)
  await back()
  await follow(page.getByRole('link', { name: 'View all' }), `/projects/${project.id}/vms`)
})

test('whatever is in trouble is named with its reason', async ({ makeVm }) => {
  await makeVm('fault-crash', 'failed')
  await makeVm('two', 'running')
  answer(diskApi.list, 200, [
    makeDisk('sound'),
    makeDisk('tiles', 'failed', { status_message: 'The image was refused.' }),
  ])
  answer(vmPoolApi.list, 200, [
    makeVmPool('web'),
    makeVmPool('ci', { status: 'error', status_message: 'The host is full.' }),
  ])
  answer(vmSetApi.list, 200, [
    makeVmSet('etcd', { status: 'error', status_message: 'The template is gone.' }),
  ])
  await visit('/')
  const trouble = page.getByRole('region', { name: 'Needs attention' })
  await expectTexts(trouble.getByRole('listitem'), [
    expect.stringMatching(/^fault-crashVM failed\. The guest crashed/),
    'ciVM pool error. The host is full.',
    'etcdVM set error. The template is gone.',
    'tilesDisk failed. The image was refused.',
  ])
  await trouble.getByRole('link', { name: 'tiles' }).click()
  await expect.poll(address).toMatch(/disks\/tiles$/)
})

test('a VM that waits for its image says how far that is, here, on its card and on its page', async ({
  project,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const text = 'Building the Go image: 40 %.'
  const waiting: Vm = {
    ...vm,
    status: 'provisioning',
    status_message: text,
    ip_address: null,
    steps: [{ name: 'image', started_at: vm.created_at, ended_at: null }],
  }
  answer(vmApi.list, 200, [waiting])
  answer(vmApi.get, 200, waiting)
  await visit('/')
  await expect.element(main.getByText(text, { exact: false })).toBeVisible()
  await visit(`/projects/${project.id}/vms`)
  await expectText(main.getByRole('article', { name: vm.name }), `Step${text}`)
  await visit(`/projects/${project.id}/vms/${vm.id}`)
  await expect.element(main.getByText(text, { exact: false }).first()).toBeVisible()
  await expect.element(main.getByRole('progressbar')).toBeInTheDocument()
})
