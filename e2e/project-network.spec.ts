import type { Page } from '@playwright/test'
import { hostApi, type Network, networkApi, type Project, shareApi, vmApi, vmSetApi } from '@slipway/contract'
import { copied } from './clipboard.ts'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { networkPath, vmListPath, vmPath, vmSetPath } from './paths.ts'
import { toasts } from './sentences.ts'

const about = (page: Page) => page.getByRole('region', { name: 'About the network' })
const rowOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const switchOff = (page: Page) => page.getByRole('button', { name: 'Switch off Internet access' })
const switchOn = (page: Page) => page.getByRole('button', { name: 'Switch on Internet access' })
const noNetworks = 'This engine joins no VMs. Use a host with QEMU.'

const member = (at: number): Network['members'][number] => ({
  vm_id: `id-${at}`,
  vm_name: `worker-${at}`,
  address: at === 2 ? null : `10.99.1.${at}`,
  names: [`worker-${at}`, `worker-${at}.shop.internal`],
})

const networkOf = (project: Project, members: number, more: Partial<Network> = {}): Network => ({
  project_id: project.id,
  domain: 'shop.internal',
  internet: true,
  members: Array.from({ length: members }, (_, at) => member(at + 1)),
  groups: [],
  ...more,
})

test('without VMs the network says so and leads to the create form', async ({ page, project }) => {
  const { letGo } = await hold(page, networkApi.get)
  await page.goto('/')
  await page.getByRole('link', { name: 'Network', exact: true }).click()
  await expect(page).toHaveURL(networkPath(project.id))
  await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading network...')
  letGo()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Network')
  await expect(page.getByText('VMs of this project find each other by name')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No VMs yet' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Create VM' }).click()
  await expect(page).toHaveURL(`${vmListPath(project.id)}/create`)
})

test('a failure says why and can be tried again', async ({ page, project }) => {
  const { end } = await answer(page, networkApi.get, 500, { message: 'The network is not known' })
  await page.goto(networkPath(project.id))
  await expect(page.getByRole('alert')).toContainText('The network is not known')
  await end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(about(page)).toContainText('.internal')
})

test('VMs come, with an address that stays and the names they are found by, and go', async ({
  page,
  project,
  call,
  makeVm,
}) => {
  const web = await makeVm('Web 1', 'running')
  const { domain, members } = await call(networkApi.get, { params: { projectId: project.id } })
  await page.goto(networkPath(project.id))
  await expect(about(page)).toContainText(domain)
  const row = rowOf(page, 'Web 1')
  await expect(row).toContainText('Running')
  await expect(row).toContainText(`web-1.${domain}`)
  await expect(row).toContainText(members[0]?.address ?? 'an address')
  await row.getByRole('button', { name: 'Copy address of Web 1' }).click()
  expect(await copied(page)).toBe(members[0]?.address)
  const db = await makeVm('db', 'running')
  await expect(rowOf(page, 'db')).toContainText(`db.${domain}`)
  await call(vmApi.delete, { params: { projectId: project.id, vmId: db.id } })
  await expect(rowOf(page, 'db')).toHaveCount(0)
  await row.getByRole('link', { name: 'Web 1' }).click()
  await expect(page).toHaveURL(vmPath(web))
})

test('the name of a set means its running members', async ({ page, project, sshKey, call }) => {
  const set = await call(vmSetApi.create, {
    params: { projectId: project.id },
    body: { name: 'etcd', template_id: templateId, ssh_key_id: sshKey.id, replicas: 2 },
  })
  await page.goto(networkPath(project.id))
  const groups = page.getByRole('list', { name: 'Pools and sets' })
  await expect(groups.getByRole('listitem')).toContainText('Means all 2 running members.')
  await expect(groups).toContainText('etcd.')
  await groups.getByRole('link', { name: 'etcd' }).click()
  await expect(page).toHaveURL(vmSetPath(set))
})

test('Internet access is switched off and on, each after a question', async ({ page, project, call }) => {
  const isOn = async () => (await call(networkApi.get, { params: { projectId: project.id } })).internet
  const calls = callsOf(page, networkApi.update)
  await page.goto(networkPath(project.id))
  await switchOff(page).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText(
    'VMs of this project will not reach the Internet. They still reach each other, and you still reach them.',
  )
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toBeHidden()
  expect(calls).toHaveLength(0)

  const failing = await answer(page, networkApi.update, 500, { message: 'The database is full' })
  await switchOff(page).click()
  await question.getByRole('button', { name: 'Switch Off' }).click()
  await expect(question.getByRole('alert')).toContainText('The database is full')
  await failing.end()
  await question.getByRole('button', { name: 'Switch Off' }).click()
  await expect(question).toBeHidden()
  await expect(toasts(page)).toContainText('Internet access switched off')
  await expect(switchOn(page)).toBeFocused()
  expect(await isOn()).toBe(false)

  await switchOn(page).click()
  await question.getByRole('button', { name: 'Switch On' }).click()
  await expect(switchOff(page)).toBeVisible()
  expect(await isOn()).toBe(true)
})

test('what another tab switches is shown', async ({ page, project, call }) => {
  await page.goto(networkPath(project.id))
  await expect(switchOff(page)).toBeVisible()
  await call(networkApi.update, { params: { projectId: project.id }, body: { internet: false } })
  await expect(switchOn(page)).toBeVisible()
})

test('among 300 members one is found by name or address', async ({ page, project }) => {
  await answer(page, networkApi.get, 200, networkOf(project, 300))
  await page.goto(networkPath(project.id))
  await expect(rowOf(page, 'worker-1')).toContainText('10.99.1.1')
  await expect(rowOf(page, 'worker-2')).toContainText('Not known yet')
  const search = page.getByRole('searchbox', { name: 'Search members' })
  await search.fill('10.99.1.217')
  await expect(page.getByRole('article')).toHaveCount(1)
  await expect(rowOf(page, 'worker-217')).toContainText('worker-217.shop.internal')
  await expect(page.getByText('Showing 1 of 300 members')).toBeVisible()
  await search.fill('nobody')
  await expect(page.getByText('No member matches "nobody".')).toBeVisible()
})

/** What the server says of itself with the first page is taken away, so that it is asked. */
async function withLimit(page: Page, limit: Partial<Record<'networks' | 'ports', string>>, host: object) {
  await page.route(
    (url) => !url.pathname.startsWith('/api/') && !url.pathname.includes('.'),
    async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/<meta name="slipway-host"[^>]*>/, '')
      await route.fulfill({ response, body })
    },
  )
  const { cannot } = host as { cannot: object }
  await answer(page, hostApi.get, 200, { ...host, cannot: { ...cannot, ...limit } })
}

test('an engine without networks says what to do instead', async ({ page, project, call, makeVm }) => {
  await makeVm('alone')
  await withLimit(page, { networks: noNetworks }, await call(hostApi.get, {}))
  await page.goto(networkPath(project.id))
  await expect(page.getByText(noNetworks).filter({ visible: true })).toBeVisible()
  await expect(rowOf(page, 'alone')).toHaveCount(0)
  await expect(switchOff(page)).toBeDisabled()
  await expect(switchOff(page)).toHaveAccessibleDescription(noNetworks)
})

test.describe('ports to share, in the create form', () => {
  const portsOf = (page: Page) => page.getByLabel('Ports to share')
  const create = (page: Page) => page.getByRole('button', { name: 'Create VM' })

  test('are shared with the VM', async ({ page, project, sshKey: _, call }) => {
    await page.goto(`/create?template=${templateId}`)
    await page.getByLabel('Name', { exact: true }).fill('shop')
    await expect(portsOf(page)).toHaveAccessibleDescription(/at an address of their own/)
    await portsOf(page).fill('3000, 70000')
    await expect(create(page)).toHaveAccessibleDescription('Enter a port from 1 to 65535')
    await portsOf(page).blur()
    await expect(portsOf(page)).toHaveAccessibleDescription('Enter a port from 1 to 65535')
    await portsOf(page).fill('3000, 5173')
    await create(page).click()
    await expect(toasts(page)).toContainText('created successfully')
    const shares = await call(shareApi.list, { params: { projectId: project.id } })
    expect(shares.map(({ port, audience }) => [port, audience])).toEqual([
      [3000, 'project'],
      [5173, 'project'],
    ])
  })

  test('are not offered where the engine cannot share', async ({ page, project: _, call }) => {
    const sentence = 'This engine shares no ports. Use an SSH tunnel.'
    await withLimit(page, { ports: sentence }, await call(hostApi.get, {}))
    await page.goto(`/create?template=${templateId}`)
    await expect(portsOf(page)).toBeDisabled()
    await expect(portsOf(page)).toHaveAccessibleDescription(sentence)
  })
})
