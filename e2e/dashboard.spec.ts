import { diskApi, projectApi, type Vm, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { shownMoment } from './dates.ts'
import { expect, test } from './fixtures.ts'
import { answer, hold, makeDisk, makeVmPool, makeVmSet } from './network.ts'

const disk = (id: string, size_gb: number) => makeDisk(id, 'available', { size: `${size_gb}Gi`, size_gb })

test('a project without VMs is welcomed with what there is to create', async ({ page, project }) => {
  const projects = await hold(page, projectApi.list)
  const vms = await hold(page, vmApi.list)
  await page.goto('/')
  const status = page.getByRole('main').getByRole('status')
  await expect(status).toHaveText('Loading projects...')
  projects.letGo()
  await expect(status).toHaveText('Loading VMs...')
  vms.letGo()
  await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Single VMs', 'VM Pools', 'VM Sets'])
  for (const [link, path] of [
    ['Create VM', '/create'],
    ['Create Pool', `/projects/${project.id}/vmpools/create`],
    ['Create Set', `/projects/${project.id}/vmsets/create`],
  ] as const) {
    await page.getByRole('main').getByRole('link', { name: link }).click()
    await expect(page).toHaveURL(path)
    await page.goBack()
  }
  await expect(page.getByRole('heading', { level: 2, name: 'Recent Virtual Machines' })).toHaveCount(0)
})

test('welcomes nobody while it is not known whether there are VMs', async ({ page, project: _, makeVm }) => {
  const vm = await makeVm('engine')
  const { end } = await answer(page, vmApi.list, 500)
  await page.goto('/')
  await expect(page.getByText('Failed to load VMs. Please try again.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Single VMs' })).toHaveCount(0)
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await page.getByRole('link', { name: vm.name, exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/vms/${vm.id}$`))
})

test('four cards count what the project holds', async ({ page, project, makeVm, call }) => {
  await makeVm('fault-crash', 'failed')
  await makeVm('two', 'running')
  await makeVm('three', 'running')
  const pools = [makeVmPool('a', { current_size: 0 }), makeVmPool('b')]
  await answer(page, vmPoolApi.list, 200, pools)
  const stats = { total_vms: 2, running_vms: 0 }
  await answer(page, vmSetApi.list, 200, [makeVmSet('a', { replicas: 3, vm_stats: stats })])
  const disks = await answer(page, diskApi.list, 200, [disk('a', 10), disk('b', 25)])
  await page.goto('/')
  const cards = page.getByRole('main').getByRole('list').first().getByRole('listitem')
  await expect(cards.getByRole('heading')).toHaveText(['Virtual Machines', 'VM Pools', 'VM Sets', 'Storage'])
  const vms = await call(vmApi.list, { params: { projectId: project.id } })
  const active = vms.filter((vm) => vm.status === 'running')
  expect([vms.length, active.length]).toEqual([3, 2])
  await expect(cards.first()).toHaveText(`Virtual Machines${vms.length}${active.length} active`)
  await expect(cards.nth(1)).toHaveText('VM Pools21 VM')
  await expect(cards.nth(2)).toHaveText('VM Sets12 VMs')
  await expect(cards.last()).toHaveText('Storage2disks, 35Gi')
  await disks.end()
  expect(await call(diskApi.list, { params: { projectId: project.id }, query: {} })).toEqual([])
  await page.reload()
  await expect(cards.last()).toHaveText('Storage0disks, 0Gi')
  for (const [index, path] of ['vms', 'vmpools', 'vmsets', 'disks'].entries()) {
    await cards.nth(index).getByRole('link').click()
    await expect(page).toHaveURL(`/projects/${project.id}/${path}`)
    await page.goBack()
  }
})

test('a card whose list does not load says so, and counts nothing', async ({ page, project: _, makeVm }) => {
  await makeVm('engine')
  for (const endpoint of [vmPoolApi.list, vmSetApi.list, diskApi.list]) await answer(page, endpoint, 500)
  await page.goto('/')
  const cards = page.getByRole('main').getByRole('list').first().getByRole('listitem')
  await expect(cards).toHaveText([
    /^Virtual Machines1/,
    'VM PoolsUnknownFailed to load',
    'VM SetsUnknownFailed to load',
    'StorageUnknownFailed to load',
  ])
})

test('the six newest of eight VMs are shown as the API has them', async ({ page, project, makeVm, call }) => {
  for (const name of ['one', 'two', 'three', 'fault-never-ready', 'five', 'six', 'seven']) await makeVm(name)
  const newest = await makeVm('eight', 'running')
  await page.goto('/')
  const recent = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^View Details/ }) })
  await expect(recent.getByRole('link', { name: /^View Details/ })).toHaveText(
    ['eight', 'seven', 'six', 'five', 'fault-never-ready', 'three'].map((name) => `View Details of ${name}`),
  )
  const vms = await call(vmApi.list, { params: { projectId: project.id } })
  for (const [index, vm] of vms.slice(-6).reverse().entries()) {
    const row = recent.nth(index)
    await expect(row).toContainText(vm.name)
    await expect(row).toContainText(new RegExp(vm.status, 'i'))
    await expect(row).toContainText(`Created ${shownMoment(vm.created_at)}`)
  }
  await recent.first().getByRole('link', { name: 'eight', exact: true }).click()
  await expect(page).toHaveURL(`/projects/${project.id}/vms/${newest.id}`)
  await page.goBack()
  await page.getByRole('link', { name: 'View all' }).click()
  await expect(page).toHaveURL(`/projects/${project.id}/vms`)
})

test('whatever is in trouble is named with its reason', async ({ page, makeVm }) => {
  await makeVm('fault-crash', 'failed')
  await makeVm('two', 'running')
  await answer(page, diskApi.list, 200, [
    makeDisk('sound'),
    makeDisk('tiles', 'failed', { status_message: 'The image was refused.' }),
  ])
  await answer(page, vmPoolApi.list, 200, [
    makeVmPool('web'),
    makeVmPool('ci', { status: 'error', status_message: 'The host is full.' }),
  ])
  await answer(page, vmSetApi.list, 200, [
    makeVmSet('etcd', { status: 'error', status_message: 'The template is gone.' }),
  ])
  await page.goto('/')
  const trouble = page.getByRole('region', { name: 'Needs attention' })
  await expect(trouble.getByRole('listitem')).toHaveText([
    /^fault-crashVM failed\. The guest crashed/,
    'ciVM pool error. The host is full.',
    'etcdVM set error. The template is gone.',
    'tilesDisk failed. The image was refused.',
  ])
  await trouble.getByRole('link', { name: 'tiles' }).click()
  await expect(page).toHaveURL(/disks\/tiles$/)
})

test('a VM that waits for its image says how far that is, here, on its card and on its page', async ({
  page,
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
  await answer(page, vmApi.list, 200, [waiting])
  await answer(page, vmApi.get, 200, waiting)
  await page.goto('/')
  const main = page.getByRole('main')
  await expect(main.getByText(text)).toBeVisible()
  await page.goto(`/projects/${project.id}/vms`)
  await expect(main.getByRole('article', { name: vm.name })).toContainText(`Step${text}`)
  await page.goto(`/projects/${project.id}/vms/${vm.id}`)
  await expect(main.getByText(text).first()).toBeVisible()
  await expect(main.getByRole('progressbar')).toBeAttached()
})

test('a VM that was just created is on the dashboard without a reload', async ({ page, makeVm }) => {
  await makeVm('one', 'running')
  await page.goto('/')
  const recent = page.getByRole('main').getByRole('link', { name: /^View Details/ })
  await expect(recent).toHaveCount(1)
  const loads = await page.evaluate(() => performance.timeOrigin)
  await page.getByRole('link', { name: 'Create VM' }).click()
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await page.getByLabel('Name', { exact: true }).fill('two')
  await page.getByRole('button', { name: 'Create VM' }).click()
  await expect(page).toHaveURL('/')
  await expect(recent).toHaveText(['View Details of two', 'View Details of one'])
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(loads)
})

test('projects that do not load can be tried again', async ({ page, project }) => {
  const { end } = await answer(page, projectApi.list, 500)
  await page.goto('/')
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Error Loading Projects')
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible()
})
