import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { diskApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, often, test } from './fixtures.ts'
import { diskCreatePath, diskListPath, diskPath } from './paths.ts'
import { choose, toasts } from './sentences.ts'

const mebibyte = 1024 ** 2
const bytes = randomBytes(3 * mebibyte)
const sha256 = createHash('sha256').update(bytes).digest('hex')
const fileName = 'tiles.qcow2.img'

/** A file on this computer; the same name may be taken elsewhere. */
async function newFile(name: string, content: Buffer): Promise<string> {
  const place = test.info().outputPath('files-')
  await mkdir(dirname(place), { recursive: true })
  const path = join(await mkdtemp(place), name)
  await writeFile(path, content)
  return path
}

const panelOf = (page: Page) => page.getByRole('region', { name: 'Upload', exact: true })
const pieces = '**/uploads/*/content?*'

/** Lets the first piece through and keeps the others from arriving. */
async function loseAfterFirst(page: Page) {
  let seen = 0
  await page.route(pieces, (route) => (++seen === 1 ? route.continue() : route.abort('connectionfailed')))
}

async function fillForm(page: Page, projectId: string): Promise<string> {
  const file = await newFile(fileName, bytes)
  await page.goto(diskCreatePath(projectId))
  await choose(page, 'Source', 'Upload a File')
  await page.getByLabel('Size').fill('1GB')
  await page.getByLabel('File', { exact: true }).setInputFiles(file)
  return file
}

async function beginUpload(page: Page, projectId: string): Promise<string> {
  const file = await fillForm(page, projectId)
  await page.getByRole('button', { name: 'Create Disk' }).click()
  await expect(toasts(page)).toContainText('Upload for disk "tiles" started')
  return file
}

test('a file becomes a disk, with its checksum', async ({ page, project, call }) => {
  await page.goto(diskCreatePath(project.id))
  await choose(page, 'Source', 'Upload a File')
  const note = page.getByRole('form').getByRole('status')
  await page.getByLabel('Disk Name').fill('x')
  await expect(note).toHaveText('Please choose a file')
  await page.getByLabel('Disk Name').fill('')
  await page.getByLabel('File', { exact: true }).setInputFiles(await newFile(fileName, bytes))
  // A disk without a name is called after the file.
  await expect(page.getByLabel('Disk Name')).toHaveValue('tiles')
  await page.getByLabel('SHA-256').fill('abc')
  await expect(note).toHaveText('Enter the SHA-256 checksum as 64 hexadecimal digits, or leave it empty')
  await page.getByLabel('SHA-256').fill(sha256.toUpperCase())
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create Disk' }).click()
  await expect(toasts(page)).toContainText('Upload for disk "tiles" started')
  await expect(page.getByText(sha256)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Facts' })).toContainText('Upload')
  await expect(panelOf(page)).toHaveCount(0)
  const disks = await call(diskApi.list, { params: { projectId: project.id } })
  expect(disks).toMatchObject([
    { name: 'tiles', status: 'available', source: 'upload', image_sha256: sha256 },
  ])
})

test('a reload in the middle loses nothing: the page asks for the file again and goes on', {
  tag: '@full',
}, async ({ page, project }) => {
  await loseAfterFirst(page)
  const file = await beginUpload(page, project.id)
  const panel = panelOf(page)
  await expect(panel.getByRole('status')).toHaveText(
    'The connection was lost. The upload tries again by itself.',
  )
  await expect(panel).toContainText('1 MB of 3 MB (33%)')
  await expectAccessible(page)
  // The browser asks before the page is left.
  const asked = page.waitForEvent('dialog')
  const reloaded = page.reload()
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
  await reloaded
  await page.unroute(pieces)
  await expect(panel.getByRole('status')).toHaveText(
    'This tab is not uploading. Choose the file "tiles.qcow2.img" again to continue where the upload stopped.',
  )
  await expectAccessible(page)
  const chooser = async (path: string) => {
    const opened = page.waitForEvent('filechooser')
    await panel.getByRole('button', { name: 'Choose File to Continue' }).click()
    await (await opened).setFiles(path)
  }
  await chooser(await newFile('other.img', bytes))
  await expect(panel.getByRole('alert')).toContainText('This upload began with the file "tiles.qcow2.img"')
  const changed = Buffer.from(bytes)
  changed[0] = (bytes[0] ?? 0) ^ 1
  await chooser(await newFile(fileName, changed))
  await expect(panel.getByRole('alert')).toContainText('The content of this file has changed')
  await chooser(file)
  await expect(page.getByText(sha256)).toBeVisible()
})

test('can be paused, resumed and canceled', async ({ page, project, call }) => {
  await loseAfterFirst(page)
  await beginUpload(page, project.id)
  const panel = panelOf(page)
  await panel.getByRole('button', { name: 'Pause' }).click()
  await expect(panel.getByRole('status')).toHaveText('The upload is paused.')
  // It goes on whatever page is shown.
  await page.goto(diskListPath(project.id))
  await expect(page.getByRole('article', { name: 'tiles' })).toContainText('Receiving the file')
  await page.getByRole('article', { name: 'tiles' }).getByRole('link', { name: 'Show Upload' }).click()
  await panel.getByRole('button', { name: 'Cancel Upload' }).click()
  await expect(toasts(page)).toContainText('Upload for disk "tiles" canceled')
  await expect(page).toHaveURL(diskListPath(project.id))
  await expect.poll(async () => call(diskApi.list, { params: { projectId: project.id } }), often).toEqual([])
})

test('goes on by itself when the network is back, also while another page is shown', {
  tag: '@full',
}, async ({ page, project }) => {
  await loseAfterFirst(page)
  await beginUpload(page, project.id)
  const panel = panelOf(page)
  await expect(panel.getByRole('button', { name: 'Try Again Now' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Disks' }).click()
  await page.unroute(pieces)
  await expect(page.getByRole('article', { name: 'tiles' }).getByText('Available')).toBeVisible({
    timeout: 30_000,
  })
})

test('a disk is downloaded as a qcow2 file; one of a VM says what to do first', { tag: '@full' }, async ({
  page,
  project,
  addDisk,
  makeVm,
  call,
}) => {
  const disk = await addDisk('data')
  await page.goto(diskPath(disk))
  const started = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const download = await started
  expect(download.suggestedFilename()).toBe('data.qcow2')
  expect((await readFile(await download.path())).subarray(0, 4).toString('latin1')).toBe('QFI\xfb')
  const vm = await makeVm('web', 'running')
  await call(diskApi.attach, { params: { projectId: project.id, diskId: disk.id }, body: { vm_id: vm.id } })
  await expect(page.getByRole('link', { name: 'Download' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Download' })).toHaveAccessibleDescription(
    'Disk is attached to a VM. Detach it first, or create a snapshot of it and download the snapshot.',
  )
})
