import { readdir } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import type { Server } from '../server.ts'
import { clear, guestsOf, newDataDir, newKeyPair, runShown, startRealServer } from './real.ts'

test.describe.configure({ mode: 'serial' })
test.setTimeout(240_000)

const person = { email: 'ada@example.com', password: 'Analytical-Engine-1843' }
const upAtMost = { timeout: 180_000 }

let dataDir: string
let server: Server
let key: Awaited<ReturnType<typeof newKeyPair>>
let page: Page

test.beforeAll(async ({ browser }) => {
  dataDir = await newDataDir()
  key = await newKeyPair(dataDir)
  server = await startRealServer(dataDir)
  page = await browser.newPage()
  page.setDefaultTimeout(20_000)
})

test.afterAll(async () => {
  await page?.close()
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

const status = (word: string | RegExp) =>
  page.getByRole('region', { name: 'Facts' }).getByText(word, { exact: true })
const sshCommand = () =>
  page
    .getByText(/^ssh .*root@/)
    .first()
    .innerText()
const uptimeSeconds = async () =>
  Number((await runShown(await sshCommand(), key.file, 'cat /proc/uptime')).split('.')[0])

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
  await expect(status('Running')).toBeVisible(upAtMost)

  expect(await runShown(await sshCommand(), key.file, 'hostname')).toBe('my-first-vm')
})

test('the guest outlives a killed server, is adopted by the next one, and stops on request', async () => {
  const before = await uptimeSeconds()
  const path = new URL(page.url()).pathname
  const guests = await guestsOf(dataDir)
  expect(guests).toHaveLength(1)
  await server.kill()
  expect(await guestsOf(dataDir)).toEqual(guests)

  server = await startRealServer(dataDir)
  // Cookies do not know ports: the session, which is in the database, goes on.
  await page.goto(server.url + path)
  await expect(status('Running')).toBeVisible()
  expect(await guestsOf(dataDir)).toEqual(guests)
  expect(await uptimeSeconds()).toBeGreaterThanOrEqual(before)

  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(status('Stopped')).toBeVisible({ timeout: 60_000 })
  expect(await guestsOf(dataDir)).toEqual([])
})

test('what was written to a persistent root disk is there after the next start', async () => {
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(status('Running')).toBeVisible(upAtMost)
  await runShown(await sshCommand(), key.file, 'echo kept > /root/note; sync')
  await page.getByRole('button', { name: 'Restart', exact: true }).click()
  await expect(status(/^(Stopping|Starting)/)).toBeVisible()
  await expect(status('Running')).toBeVisible(upAtMost)
  expect(await runShown(await sshCommand(), key.file, 'cat /root/note')).toBe('kept')
})

test('deleting the VM leaves no process and no file', async () => {
  await page.getByRole('button', { name: 'More actions for My First VM' }).click()
  await page.getByRole('menuitem', { name: 'Delete VM' }).click()
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('button', { name: 'Delete VM' })
    .click()
  await expect(page.getByText('VM "My First VM" deleted successfully')).toBeVisible()
  await expect.poll(() => guestsOf(dataDir)).toEqual([])
  await expect.poll(() => readdir(`${dataDir}/machines`)).toEqual(['.slipway'])
})
