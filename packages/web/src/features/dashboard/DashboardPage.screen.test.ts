import { diskApi, projectApi, type Vm, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDisk, makeVmPool, makeVmSet } from '@slipway/e2e/objects'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, hold } from '../../screen/network.test-kit.ts'
import { address, call, reload, test, texts, visit } from '../../screen/screen.test-kit.ts'

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
  await expect
    .poll(() => texts(page.getByRole('heading', { level: 3 })))
    .toEqual(['Single VMs', 'VM Pools', 'VM Sets'])
  for (const [link, path] of [
    ['Create VM', '/create'],
    ['Create Pool', `/projects/${project.id}/vmpools/create`],
    ['Create Set', `/projects/${project.id}/vmsets/create`],
  ] as const) {
    await main.getByRole('link', { name: link }).click()
    await expect.poll(address).toBe(path)
    history.back()
    await expect.poll(address).toBe('/')
  }
  await expect.element(page.getByRole('heading', { name: 'Single VMs' })).toBeVisible()
  await expect
    .element(page.getByRole('heading', { level: 2, name: 'Recent Virtual Machines' }))
    .not.toBeInTheDocument()
})

test('welcomes nobody while it is not known whether there are VMs', async ({ project: _, makeVm }) => {
  const vm = await makeVm('engine')
  const { end } = answer(vmApi.list, 500)
  await visit('/')
  await expect.element(page.getByText('Failed to load VMs. Please try again.')).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Single VMs' })).not.toBeInTheDocument()
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await page.getByRole('link', { name: vm.name, exact: true }).click()
  await expect.poll(address).toMatch(new RegExp(`/vms/${vm.id}$`))
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
  await expect
    .poll(() => texts(cards.getByRole('heading')))
    .toEqual(['Virtual Machines', 'VM Pools', 'VM Sets', 'Storage'])
  const vms = await call(vmApi.list, { params: { projectId: project.id } })
  const active = vms.filter((vm) => vm.status === 'running')
  expect([vms.length, active.length]).toEqual([3, 2])
  await expect
    .element(cards.first())
    .toHaveTextContent(`Virtual Machines${vms.length}${active.length} active`)
  await expect.element(cards.nth(1)).toHaveTextContent('VM Pools21 VM')
  await expect.element(cards.nth(2)).toHaveTextContent('VM Sets12 VMs')
  await expect.element(cards.last()).toHaveTextContent('Storage2disks, 35Gi')
  await disks.end()
  expect(await call(diskApi.list, { params: { projectId: project.id }, query: {} })).toEqual([])
  await reload()
  await expect.element(cards.last()).toHaveTextContent('Storage0disks, 0Gi')
  for (const [index, path] of ['vms', 'vmpools', 'vmsets', 'disks'].entries()) {
    await cards.nth(index).getByRole('link').click()
    await expect.poll(address).toBe(`/projects/${project.id}/${path}`)
    history.back()
    await expect.poll(address).toBe('/')
  }
})

test('a card whose list does not load says so, and counts nothing', async ({ project: _, makeVm }) => {
  await makeVm('engine')
  for (const endpoint of [vmPoolApi.list, vmSetApi.list, diskApi.list]) answer(endpoint, 500)
  await visit('/')
  await expect
    .poll(() => texts(cards))
    .toEqual([
      expect.stringMatching(/^Virtual Machines1/),
      'VM PoolsUnknownFailed to load',
      'VM SetsUnknownFailed to load',
      'StorageUnknownFailed to load',
    ])
})

test('the six newest of eight VMs are shown as the API has them', async ({ project, makeVm }) => {
  for (const name of ['one', 'two', 'three', 'fault-never-ready', 'five', 'six', 'seven']) await makeVm(name)
  const newest = await makeVm('eight', 'running')
  await visit('/')
  await expect
    .poll(() => texts(detailLinks))
    .toEqual(
      ['eight', 'seven', 'six', 'five', 'fault-never-ready', 'three'].map(
        (name) => `View Details of ${name}`,
      ),
    )
  const recent = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^View Details/ }) })
  const vms = await call(vmApi.list, { params: { projectId: project.id } })
  for (const [index, vm] of vms.slice(-6).reverse().entries()) {
    const row = recent.nth(index)
    await expect.element(row).toMatchTextContent(vm.name)
    await expect.element(row).toMatchTextContent(new RegExp(vm.status, 'i'))
    await expect.element(row).toMatchTextContent(`Created ${shownMoment(vm.created_at)}`)
  }
  await recent.first().getByRole('link', { name: 'eight', exact: true }).click()
  await expect.poll(address).toBe(`/projects/${project.id}/vms/${newest.id}`)
  history.back()
  await page.getByRole('link', { name: 'View all' }).click()
  await expect.poll(address).toBe(`/projects/${project.id}/vms`)
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
  await expect
    .poll(() => texts(trouble.getByRole('listitem')))
    .toEqual([
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
  await expect.element(main.getByRole('article', { name: vm.name })).toMatchTextContent(`Step${text}`)
  await visit(`/projects/${project.id}/vms/${vm.id}`)
  await expect.element(main.getByText(text, { exact: false }).first()).toBeVisible()
  await expect.element(main.getByRole('progressbar')).toBeInTheDocument()
})

test('a VM that was just created is on the dashboard without a reload', async ({ makeVm }) => {
  await makeVm('one', 'running')
  await visit('/')
  await expect.poll(() => detailLinks.elements()).toHaveLength(1)
  // A reload would end this test; the console itself stays where it was put.
  const shown = document.getElementById('root')
  await page.getByRole('link', { name: 'Create VM' }).click()
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await page.getByLabelText('Name', { exact: true }).fill('two')
  await page.getByRole('button', { name: 'Create VM' }).click()
  await expect.poll(address).toBe('/')
  await expect.poll(() => texts(detailLinks)).toEqual(['View Details of two', 'View Details of one'])
  expect(document.getElementById('root')).toBe(shown)
})

test('projects that do not load can be tried again', async ({ project }) => {
  const { end } = answer(projectApi.list, 500)
  await visit('/')
  await expect.element(main.getByRole('alert')).toMatchTextContent('Error Loading Projects')
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect.element(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible()
})
