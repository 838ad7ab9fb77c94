/** A VM that starts warm, is woken from outside in both ways, and is forked while it counts: real guests, in Chromium. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { hostApi, shareApi, type Vm, vmApi } from '@slipway/contract'
import { test } from '../measured.ts'
import { vmPath } from '../paths.ts'
import type { Server } from '../server.ts'
import { newOwner, type Owner } from './owner.ts'
import { clear, newDataDir, runShown, startRealServer } from './real.ts'

test.setTimeout(600_000)

let dataDir: string
let server: Server
let owner: Owner
let home: BrowserContext
let page: Page

test.beforeAll(async ({ browser }) => {
  dataDir = await newDataDir()
  server = await startRealServer(dataDir, { SLIPWAY_WARM: 'on', SLIPWAY_RESERVE: '0' })
  home = await browser.newContext()
  page = await home.newPage()
  owner = await newOwner(page.request, () => server)
})
test.afterAll(async () => {
  await home?.close()
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

const stepOf = (text: string) => page.getByRole('listitem').filter({ hasText: text })
const until = (vm: Vm, status: Vm['status']) =>
  expect.poll(async () => (await owner.must(vmApi.get, owner.of(vm.id))).status).toBe(status)

/** The first VM boots, and after it a guest is frozen in the background. */
async function freeze(): Promise<void> {
  await owner.settled((await owner.create('first'))?.id ?? '')
  const frozen = async () =>
    (await readdir(join(dataDir, 'warm'))).filter((name) => /^[0-9a-f]{64}$/.test(name))
  await expect.poll(frozen).not.toEqual([])
}

async function suspend(vm: Vm): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await until(vm, 'suspended')
  await expect(page.getByText('The connection starts it and waits until it responds.')).toBeVisible()
}

test('a VM starts warm, is woken by SSH and by its shared port, and counts on beside its fork', async () => {
  await freeze()
  const made = await owner.must(vmApi.create, {
    params: owner.params,
    body: { name: 'loom', template_id: 'starter', ssh_key_id: owner.keyId },
  })
  await page.goto(server.url + vmPath(made))
  // How long it has taken so far is shown beside what is being done.
  for (const step of ['Guest started warm, without a boot', 'SSH responded'])
    await expect(stepOf(step)).toHaveText(/\d+(\.\d+)? s.*, done|, done.*\d+(\.\d+)? s/)
  await expect(stepOf('Starting the guest')).toHaveCount(0)
  const vm = await owner.settled(made.id)

  const counted = async (of: Vm) => Number(await owner.inGuest(of.id, 'cat /run/count'))
  const program = `i=0; while :; do i=$((i+1)); echo $i > /run/new; mv /run/new /run/count; sleep 1; done`
  const answer = `printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: 26\\r\\nConnection: close\\r\\n\\r\\n<h1>Open in the guest</h1>'`
  await owner.inGuest(
    vm.id,
    `echo "${answer.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}" > /run/app; true`,
  )
  await owner.inGuest(vm.id, `setsid sh -c '${program}' < /dev/null > /dev/null 2>&1 &`)
  await owner.inGuest(vm.id, `setsid nc -ll -p 3000 -e sh /run/app < /dev/null > /dev/null 2>&1 &`)
  const boot = await owner.inGuest(vm.id, 'cat /proc/sys/kernel/random/boot_id')
  await expect.poll(() => counted(vm)).toBeGreaterThan(0)

  const { ssh_gateway: gateway } = await owner.must(hostApi.get, {})
  await suspend(vm)
  const before = Number(
    await runShown(
      `ssh -p ${gateway?.port} loom.journey@127.0.0.1`,
      join(dataDir, 'id_ed25519'),
      'cat /run/count',
    ),
  )
  expect(before).toBeGreaterThan(0)
  await until(vm, 'running')
  await expect(stepOf('Resumed from the saved memory')).toBeVisible()
  await expect(page.getByText('VM loom resumed')).toBeVisible()
  expect(await owner.inGuest(vm.id, 'cat /proc/sys/kernel/random/boot_id')).toBe(boot)

  await owner.must(shareApi.create, { params: { ...owner.params, vmId: vm.id }, body: { port: 3000 } })
  const link = page.getByRole('list', { name: 'Shared ports' }).getByRole('link')
  const address = (await link.getAttribute('href')) ?? ''
  await suspend(vm)
  const shop = await home.newPage()
  await shop.goto(address)
  await expect(shop.getByRole('heading', { name: 'Open in the guest' })).toBeVisible()
  await until(vm, 'running')

  await page.getByRole('button', { name: 'More actions for loom' }).click()
  await page.getByRole('menuitem', { name: 'Fork' }).click()
  const dialog = page.getByRole('dialog', { name: 'Fork VM' })
  await dialog.getByRole('button', { name: 'Fork VM' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('link', { name: /^VMs/ }).click()
  const card = page.getByRole('article', { name: 'loom-copy' })
  await expect(card.getByText('Running', { exact: true })).toBeVisible()
  const copy = (await owner.list()).find(({ name }) => name === 'loom-copy')
  if (!copy) throw new Error('There is no copy')
  // One that boots in place of going on has lost its count: the log says why.
  expect(
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('A guest boots')),
  ).toEqual([])
  for (const one of [vm, copy]) {
    const then = await counted(one)
    expect(then).toBeGreaterThanOrEqual(before)
    await expect.poll(() => counted(one)).toBeGreaterThan(then)
  }
})
