import { expect, type Page } from '@playwright/test'
import type { Server } from '../server.ts'
import { test } from './journey.ts'
import { newKeyPair, runShown } from './real.ts'
import { shellsOf, type World } from './world.ts'

test.describe.configure({ mode: 'serial' })

const person = { email: 'ada@example.com', password: 'Analytical-Engine-1843' }

let world: World
let server: Server
let key: Awaited<ReturnType<typeof newKeyPair>>
let page: Page

test.beforeAll(async ({ browser, newWorld }) => {
  world = await newWorld()
  key = await newKeyPair(world.dataDir)
  server = await world.start()
  page = await browser.newPage()
  page.setDefaultTimeout(20_000)
})

test.afterAll(async () => {
  await page?.close()
  await server?.stop()
  await world?.close()
})

const status = (word: string | RegExp) =>
  page.getByRole('region', { name: 'Facts' }).getByText(word, { exact: true })
const sshCommand = () =>
  page
    .getByText(/^ssh .*@/)
    .first()
    .innerText()
const shells = () => shellsOf(world, async (_, command) => runShown(await sshCommand(), key.file, command))
const inGuest = (command: string) => shells().inGuest('', command)
const printed = (text: string) => shells().printed(text)
const uptimeSeconds = async () => Number((await inGuest('cat /proc/uptime'))?.split('.')[0] ?? 0)

test('a stranger signs up and gets a shell in a VM of their own', async () => {
  await page.goto(`${server.url}/`)
  await page.getByRole('link', { name: 'Sign Up' }).first().click()
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(person.password)
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Sign Up' }).click()
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()

  await page.goto(server.url + (await server.mailedLink(person.email, 'verify-email')))
  await page.waitForURL(`${server.url}/signin`)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign In' }).click()

  await expect(page.getByRole('heading', { name: 'No Projects Found' })).toBeVisible()
  await page.getByLabel('Project Name').fill('first project')
  await page.getByRole('button', { name: 'Create Project' }).click()
  await expect(page.getByText('Single VMs')).toBeVisible()

  await page.goto(`${server.url}/ssh-keys`)
  await page.getByRole('button', { name: 'Add SSH Key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('journey')
  await dialog.getByLabel('Public key').fill(key.publicKey)
  await dialog.getByRole('button', { name: 'Add SSH Key' }).click()
  await expect(page.getByText('SSH key added successfully!')).toBeVisible()

  await page.getByRole('link', { name: 'Templates' }).click()
  await page.getByRole('link', { name: 'Use This Template: Starter Linux' }).click()
  await page.getByLabel('Name', { exact: true }).fill('My First VM')
  await page.getByRole('button', { name: 'Create VM' }).click()
  await expect(page.getByText('VM "My First VM" created successfully with SSH key configured!')).toBeVisible()
  await page.getByRole('link', { name: /View Details/ }).click()
  await expect(status('Running')).toBeVisible()

  expect(await inGuest('hostname')).toBe(printed('my-first-vm'))
})

test('the guest outlives a killed server, is adopted by the next one, and stops on request', async () => {
  const before = await uptimeSeconds()
  const path = new URL(page.url()).pathname
  const guests = await world.guests()
  expect(guests).toHaveLength(1)
  await server.kill()
  expect(await world.guests()).toEqual(guests)

  server = await world.start()
  // Cookies do not know ports: the session, which is in the database, goes on.
  await page.goto(server.url + path)
  await expect(status('Running')).toBeVisible()
  expect(await world.guests()).toEqual(guests)
  expect(await uptimeSeconds()).toBeGreaterThanOrEqual(before)

  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(status('Stopped')).toBeVisible()
  expect(await world.guests()).toEqual([])
})

test('what was written to a persistent root disk is there after the next start', async () => {
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(status('Running')).toBeVisible()
  await inGuest('echo kept > /root/note; sync')
  await page.getByRole('button', { name: 'Restart', exact: true }).click()
  await expect(status(/^(Stopping|Starting)/)).toBeVisible()
  await expect(status('Running')).toBeVisible()
  expect(await inGuest('cat /root/note')).toBe(printed('kept'))
})

test('deleting the VM and the project leaves nothing of them', async () => {
  expect(await world.left()).not.toEqual([])
  await page.getByRole('button', { name: 'More actions for My First VM' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('button', { name: 'Delete VM' })
    .click()
  await expect(page.getByText('VM "My First VM" deleted successfully')).toBeVisible()
  await expect.poll(() => world.left()).toEqual([])

  await page.goto(`${server.url}/projects`)
  await page.getByRole('button', { name: 'Delete first project' }).click()
  await page
    .getByRole('alertdialog', { name: 'Delete Project first project' })
    .getByRole('button', { name: 'Delete Project' })
    .click()
  await expect(page.getByRole('heading', { name: 'No projects yet' })).toBeVisible()
  await expect.poll(world.leftOfProjects).toEqual([])
})
