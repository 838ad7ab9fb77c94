/** Inside a machine: its console over every break, SSH by its name, and what it uses while it works. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { hostApi, usageApi, type Vm, vmApi } from '@slipway/contract'
import type { Server } from '../server.ts'
import { test } from './journey.ts'
import { newOwner, type Owner } from './owner.ts'
import { runShown } from './real.ts'
import type { World } from './world.ts'

test.describe.configure({ mode: 'serial' })

let world: World
let server: Server
let owner: Owner
let vm: Vm
let page: Page
/** What the console shows once a shell is there. */
let greeting: string

test.beforeAll(async ({ browser, newWorld }) => {
  world = await newWorld()
  server = await world.start()
  page = await browser.newPage()
  owner = await newOwner(page.request, () => server)
  const made = await owner.create('inside')
  vm = await owner.settled(made?.id ?? '')
  const shell = await world.openShell(owner, vm.id)
  const why = 'SLIPWAY_TEST_SHELL_ANNOTATION does not say how played guests get a shell'
  if (shell === null) console.log(`SKIPPED: "inside a machine" on a cluster, because ${why}`)
  test.skip(shell === null, why)
  greeting = shell ?? ''
})

test.afterAll(async () => {
  await page?.close()
  await server?.stop()
  await world?.close()
})

const consolePath = () => `${server.url}/projects/${vm.project_id}/vms/${vm.id}/console`
const shown = (where: Page) => where.locator('.xterm-rows')
/** What a terminal shows, without what its lines are filled with. */
const textOf = async (where: Page) => (await shown(where).innerText()).replaceAll('\u00a0', ' ')
const timesIn = (text: string, part: string) => text.split(part).length - 1

async function type(where: Page, line: string): Promise<void> {
  await where.locator('.xterm-helper-textarea').focus()
  await where.keyboard.type(line)
  await where.keyboard.press('Enter')
}

test('the console is open and signed in, takes a command, and shows it again after a reload', async () => {
  await page.goto(consolePath())
  await expect(shown(page)).toContainText(greeting)
  await type(page, 'echo answer-$((6*7))')
  await expect(shown(page)).toContainText('answer-42')
  await page.reload()
  await expect(shown(page)).toContainText('answer-42')
  expect(timesIn(await textOf(page), 'answer-42')).toBe(1)
})

test('a second browser sees the same, and both see what either types', async ({ browser }) => {
  const context = await browser.newContext({ storageState: await page.context().storageState() })
  const other = await context.newPage()
  await other.goto(consolePath())
  await expect(shown(other)).toContainText('answer-42')
  await type(other, 'echo from-$((1+1))')
  await expect(shown(other)).toContainText('from-2')
  await expect(shown(page)).toContainText('from-2')
  await context.close()
})

test('the guest knows how large the terminal is', async () => {
  test.skip(world.played !== null, world.played ?? '')
  await expect
    .poll(async () => {
      await type(page, 'clear; stty size')
      await expect(shown(page)).toContainText(/\d+ \d+/)
      return /(\d+) (\d+)/.exec(await textOf(page))?.[2]
    })
    .not.toBe('80')
})

test('the console follows the VM when it stops and starts', async () => {
  const notes = async (note: string) => timesIn(await textOf(page), note)
  const [stops, starts] = [await notes('The VM is off'), await notes('The VM started')]
  await owner.must(vmApi.stop, { ...owner.of(vm.id), body: { force: false } })
  await expect.poll(() => notes('The VM is off')).toBe(stops + 1)
  await owner.settled(vm.id)
  await owner.must(vmApi.start, owner.of(vm.id))
  await expect.poll(() => notes('The VM started')).toBe(starts + 1)
  const sinceThen = async () => (await textOf(page)).split('The VM started').at(-1)
  await expect.poll(sinceThen).toContain(greeting)
  await type(page, 'echo again-$((1+2))')
  await expect(shown(page)).toContainText('again-3')
})

test('it goes on where it was after the server was killed, and loses nothing that was printed meanwhile', async () => {
  await type(page, '(sleep 2; echo mean-$((2*2))while) & echo heard-$((1+1))')
  // The guest has the whole line.
  await expect(shown(page)).toContainText('heard-2')
  const { port } = new URL(server.url)
  await server.kill()
  await expect(page.getByText(/Reconnecting/)).toBeVisible()
  await new Promise((resolve) => setTimeout(resolve, 2500))
  server = await world.start({ SLIPWAY_PORT: port })
  await expect(shown(page)).toContainText('mean-4while')
  await type(page, 'echo back-$((2+3))')
  await expect(shown(page)).toContainText('back-5')
  const text = await textOf(page)
  for (const once of ['again-3', 'mean-4while', 'back-5']) expect(timesIn(text, once)).toBe(1)
  vm = await owner.settled(vm.id)
})

test('SSH finds the VM by its name, and its charts and metrics follow what it does there', async () => {
  test.skip(world.played !== null, world.played ?? '')
  const { ssh_gateway: gateway } = await owner.must(hostApi.get, {})
  const key = join(world.dataDir, 'id_ed25519')
  const byName = (command: string) =>
    runShown(`ssh -p ${gateway?.port} inside.journey@127.0.0.1`, key, command)
  expect(await byName('hostname')).toBe('inside')
  const work = await byName('sh -c "while :; do :; done" </dev/null >/dev/null 2>&1 & echo $!')
  const samples = async () => (await owner.must(usageApi.ofVm, owner.of(vm.id))).samples
  await expect.poll(async () => Math.max(...(await samples()).map(({ cpu }) => cpu ?? 0))).toBeGreaterThan(20)
  await byName(`kill ${work}; head -c 20000000 /dev/urandom > /root/load; sync`)
  await page.goto(`${server.url}/projects/${vm.project_id}/vms/${vm.id}`)
  const usage = page.getByRole('region', { name: 'Usage' })
  await expect(usage.getByRole('img', { name: /^CPU now \d+%, highest ([2-9]\d|100)%/ })).toBeVisible()
  await expect
    .poll(async () => Math.max(...(await samples()).map(({ disk_write }) => disk_write ?? 0)))
    .toBeGreaterThan(100_000)
  // A guest is asked for its network more rarely than for all else.
  await expect.poll(async () => (await samples()).some(({ net_in }) => net_in !== null)).toBe(true)
  expect((await samples()).some(({ memory_mb }) => (memory_mb ?? 0) > 5)).toBe(true)
  const token = (await readFile(join(world.dataDir, 'metrics.token'), 'utf8')).trim()
  const { stdout } = await promisify(execFile)('curl', [
    ...['-sf', '-H', `Authorization: Bearer ${token}`, `${server.url}/metrics`],
  ])
  const seconds = new RegExp(`slipway_vm_cpu_seconds_total\\{vm_id="${vm.id}",[^}]*\\} ([\\d.]+)`).exec(
    stdout,
  )
  expect(Number(seconds?.[1])).toBeGreaterThan(10)
})
