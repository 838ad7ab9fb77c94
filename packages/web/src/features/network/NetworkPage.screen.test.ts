import {
  type Host,
  hostApi,
  type Network,
  networkApi,
  type Project,
  vmApi,
  vmSetApi,
} from '@slipway/contract'
import { networkPath, vmListPath, vmPath, vmSetPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, call, follow, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectDisabled, expectText, toasts } from '../../screen/shown.test-kit.ts'

const about = () => page.getByRole('region', { name: 'About the network' })
const rowOf = (name: string) => page.getByRole('article', { name, exact: true })
const switchOff = () => page.getByRole('button', { name: 'Switch off Internet access' })
const switchOn = () => page.getByRole('button', { name: 'Switch on Internet access' })
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

test('without VMs the network says so and leads to the create form', async ({ project }) => {
  const { letGo } = hold(networkApi.get)
  await visit('/')
  await follow(page.getByRole('link', { name: 'Network', exact: true }), networkPath(project.id))
  await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading network...')
  letGo()
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Network')
  await expect.element(page.getByText(/VMs of this project find each other by name/)).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'No VMs yet' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Create VM' }).click()
  await expect.poll(address).toBe(`${vmListPath(project.id)}/create`)
})

test('VMs come, with an address that stays and the names they are found by, and go', async ({
  project,
  makeVm,
}) => {
  const web = await makeVm('Web 1', 'running')
  const { domain, members } = await call(networkApi.get, { params: { projectId: project.id } })
  await visit(networkPath(project.id))
  await expectText(about(), domain)
  const row = rowOf('Web 1')
  await expectText(row, 'Running', `web-1.${domain}`, members[0]?.address ?? 'an address')
  await expectCopied(row.getByRole('button', { name: 'Copy address of Web 1' }), members[0]?.address)
  const db = await makeVm('db', 'running')
  await expectText(rowOf('db'), `db.${domain}`)
  await call(vmApi.delete, { params: { projectId: project.id, vmId: db.id } })
  await expectCount(rowOf('db'), 0)
  await follow(row.getByRole('link', { name: 'Web 1' }), vmPath(web))
})

test('the name of a set means its running members', async ({ project, sshKey }) => {
  const set = await call(vmSetApi.create, {
    params: { projectId: project.id },
    body: { name: 'etcd', template_id: templateId, ssh_key_id: sshKey.id, replicas: 2 },
  })
  await visit(networkPath(project.id))
  const groups = page.getByRole('list', { name: 'Pools and sets' })
  await expectText(groups.getByRole('listitem'), 'Means all 2 running members.')
  await expectText(groups, 'etcd.')
  await follow(groups.getByRole('link', { name: 'etcd' }), vmSetPath(set))
})

test('Internet access is switched off and on, each after a question', async ({ project }) => {
  const isOn = async () => (await call(networkApi.get, { params: { projectId: project.id } })).internet
  const calls = callsOf(networkApi.update)
  await visit(networkPath(project.id))
  await switchOff().click()
  const question = page.getByRole('alertdialog')
  await expectText(
    question,
    'VMs of this project will not reach the Internet. They still reach each other, and you still reach them.',
  )
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(question).not.toBeInTheDocument()
  expect(calls).toHaveLength(0)

  const failing = answer(networkApi.update, 500, { message: 'The database is full' })
  await switchOff().click()
  await question.getByRole('button', { name: 'Switch Off' }).click()
  await expectText(question.getByRole('alert'), 'The database is full')
  await failing.end()
  await question.getByRole('button', { name: 'Switch Off' }).click()
  await expect.element(question).not.toBeInTheDocument()
  await expectText(toasts(), 'Internet access switched off')
  await expect.element(switchOn()).toHaveFocus()
  expect(await isOn()).toBe(false)

  await switchOn().click()
  await question.getByRole('button', { name: 'Switch On' }).click()
  await expect.element(switchOff()).toBeVisible()
  expect(await isOn()).toBe(true)
})

test('what another tab switches is shown', async ({ project }) => {
  await visit(networkPath(project.id))
  await expect.element(switchOff()).toBeVisible()
  await call(networkApi.update, { params: { projectId: project.id }, body: { internet: false } })
  await expect.element(switchOn()).toBeVisible()
})

test('among 300 members one is found by name or address', async ({ project }) => {
  answer(networkApi.get, 200, networkOf(project, 300))
  await visit(networkPath(project.id))
  await expectText(rowOf('worker-1'), '10.99.1.1')
  await expectText(rowOf('worker-2'), 'Not known yet')
  const search = page.getByRole('searchbox', { name: 'Search members' })
  await search.fill('10.99.1.217')
  await expectCount(page.getByRole('article'), 1)
  await expectText(rowOf('worker-217'), 'worker-217.shop.internal')
  await expect.element(page.getByText('Showing 1 of 300 members')).toBeVisible()
  await search.fill('nobody')
  await expect.element(page.getByText('No member matches "nobody".')).toBeVisible()
})

/** An engine that cannot do something. */
async function withLimit(limit: Partial<Host['cannot']>): Promise<void> {
  const host = await call(hostApi.get, {})
  answer(hostApi.get, 200, { ...host, cannot: { ...host.cannot, ...limit } })
}

test('an engine without networks says what to do instead', async ({ project, makeVm }) => {
  await makeVm('alone')
  await withLimit({ networks: noNetworks })
  await visit(networkPath(project.id))
  const seen = () =>
    page
      .getByText(noNetworks)
      .elements()
      .filter((one) => one.checkVisibility())
  await expect.poll(seen).toHaveLength(1)
  await expectCount(rowOf('alone'), 0)
  await expectDisabled(switchOff(), noNetworks)
})
