import type { Page } from '@playwright/test'
import { diskApi, diskSnapshotApi, vmSnapshotApi } from '@slipway/contract'
import { shownMoment } from './dates.ts'
import { expect, often, test } from './fixtures.ts'
import { answer, callsOf, hold, makeDiskSnapshot, makeVmSnapshot } from './network.ts'
import { diskCreatePath, diskListPath } from './paths.ts'
import { choose, dismissToasts, toasts } from './sentences.ts'

const nameOf = (page: Page) => page.getByLabel('Disk Name')
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create Disk' })
const alertOf = (page: Page) => toasts(page).getByRole('alert').first()
const infoOf = (page: Page) => page.getByRole('region', { name: 'What you get' })

test.describe('the form of a disk', () => {
  test('needs no more than a name, and the disk is in the list at once', { tag: '@cluster' }, async ({
    page,
    project,
    call,
  }) => {
    await page.goto(diskCreatePath(project.id))
    await expect(page.getByLabel('Size')).toHaveValue('10GB')
    await expect(page.getByRole('combobox', { name: 'Source' })).toHaveText('Blank Disk')
    const calls = callsOf(page, diskApi.create)
    const { letGo } = await hold(page, diskApi.create)
    await nameOf(page).fill(' ledger ')
    await submitOf(page).dblclick()
    await expect(page.getByRole('button', { name: 'Creating...' })).toBeDisabled()
    letGo()
    await expect(page).toHaveURL(diskListPath(project.id))
    await expect(toasts(page).getByRole('status')).toHaveText('Disk "ledger" created successfully!')
    await expect(page.getByRole('article', { name: 'ledger' })).toBeVisible()
    expect(calls.map((one) => one.postDataJSON())).toEqual([
      { name: 'ledger', size: '10Gi', source: 'EMPTY' },
    ])
    const disks = await call(diskApi.list, { params: { projectId: project.id } })
    expect(disks).toMatchObject([{ name: 'ledger', size: '10Gi', size_gb: 10, source: 'blank' }])
  })

  test('goes back and cancels to the list', async ({ page, project }) => {
    for (const link of ['Back to Disks', 'Cancel']) {
      await page.goto(diskCreatePath(project.id))
      await page.getByRole('link', { name: link }).click()
      await expect(page).toHaveURL(diskListPath(project.id))
    }
  })

  test('says one rule at a time beside the button, in their order', async ({ page, project }) => {
    const calls = callsOf(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    const told = async (text: string) => {
      await expect(page.getByRole('form').getByRole('status')).toHaveText(text)
      await expect(submitOf(page)).toBeDisabled()
      await expect(submitOf(page)).toHaveAccessibleDescription(text)
      await nameOf(page).press('Enter')
      await expect(alertOf(page)).toHaveText(text)
    }
    await choose(page, 'Source', 'From Image')
    await page.getByLabel('Size').fill(' ')
    await told('Please enter a disk name')
    await nameOf(page).fill('   ')
    await told('Please enter a disk name')
    await nameOf(page).fill('ledger')
    await told('Please enter a disk size')
    await page.getByLabel('Size').fill('none')
    await told('Please enter a valid disk size')
    await expect(page.getByLabel('Size')).toHaveAccessibleDescription('Please enter a valid disk size')
    await page.getByLabel('Size').fill('2TB')
    await told('Disk size cannot exceed 1024Gi')
    await page.getByLabel('Size').fill('1')
    await told('Please enter an image URL')
    await page.getByLabel('Image URL').fill('images.example.org/tiles.qcow2')
    await told('The image URL must start with http:// or https://')
    await choose(page, 'Source', 'From Snapshot')
    await told('Please enter a disk snapshot name')
    await choose(page, 'Source', 'From Container Registry')
    await told('Please enter a container image')
    expect(calls).toEqual([])
    await choose(page, 'Source', 'Blank Disk')
    await expect(page.getByRole('form').getByRole('status')).toHaveText('')
    await nameOf(page).press('Enter')
    await expect(page).toHaveURL(diskListPath(project.id))
    expect(calls).toHaveLength(1)
  })

  test('has four sources, and of each one its own field only', async ({ page, project }) => {
    await page.goto(diskCreatePath(project.id))
    const fields = page.getByRole('form').getByRole('textbox')
    const boxes = page.getByRole('form').getByRole('combobox')
    await page.getByRole('combobox', { name: 'Source' }).click()
    await expect(page.getByRole('option')).toHaveText([
      'Blank Disk',
      'From Image',
      'From Snapshot',
      'From Container Registry',
      // Another call, with a spec of its own.
      'Upload a File',
    ])
    await page.keyboard.press('Escape')
    await expect(fields).toHaveCount(2)
    await expect(infoOf(page)).toContainText('The disk is empty, without a file system')

    await choose(page, 'Source', 'From Image')
    await expect(fields).toHaveCount(3)
    await expect(page.getByLabel('Image URL')).toHaveAttribute('type', 'url')
    await expect(infoOf(page)).toContainText('The server downloads the image')

    await choose(page, 'Source', 'From Snapshot')
    await expect(boxes).toHaveCount(2)
    await expect(fields).toHaveCount(2)
    await expect(page.getByRole('combobox', { name: 'Snapshot Name' })).toBeVisible()
    await expect(infoOf(page)).toContainText('The disk is an independent copy')

    await choose(page, 'Source', 'From Container Registry')
    await expect(fields).toHaveCount(3)
    await expect(page.getByLabel('Container Image')).toBeVisible()
    await expect(infoOf(page)).toContainText('A disk file below /disk/ in the image is used as it is.')
  })

  test('sends the size in whole Gi, and shows it before', async ({ page, project }) => {
    const { letGo } = await hold(page, diskApi.create)
    const calls = callsOf(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('ledger')
    for (const [typed, size] of [
      ['10', '10Gi'],
      ['20GB', '20Gi'],
      ['7Gi', '7Gi'],
      ['1.5 gb', '2Gi'],
      ['2048MB', '2Gi'],
      ['3145728Ki', '3Gi'],
      ['100MB', '1Gi'],
    ] as const) {
      await page.getByLabel('Size').fill(typed)
      await expect(infoOf(page).getByRole('definition').first()).toHaveText(size)
    }
    await submitOf(page).click()
    await expect.poll(() => calls.map((one) => one.postDataJSON())).toMatchObject([{ size: '1Gi' }])
    letGo()
  })

  for (const [source, label, typed, word, listed] of [
    ['From Image', 'Image URL', 'https://images.example.org/tiles.qcow2', 'HTTP', 'Image'],
    ['From Container Registry', 'Container Image', 'docker.io/library/alpine:3.22', 'REGISTRY', 'Image'],
  ] as const) {
    test(`makes a disk ${source}`, async ({ page, project }) => {
      const calls = callsOf(page, diskApi.create)
      await page.goto(diskCreatePath(project.id))
      await nameOf(page).fill('tiles')
      await choose(page, 'Source', source)
      await page.getByLabel(label).fill(` ${typed} `)
      await submitOf(page).click()
      const card = page.getByRole('article', { name: 'tiles' })
      await expect(card.getByRole('definition').nth(1)).toHaveText(listed)
      await expect(card.getByText('Available')).toBeVisible()
      expect(calls.map((one) => one.postDataJSON())).toEqual([
        { name: 'tiles', size: '10Gi', source: word, image_url: typed },
      ])
    })
  }

  test('shows in the list why an image was not taken', async ({ page, project }) => {
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('tiles')
    await choose(page, 'Source', 'From Image')
    await page.getByLabel('Image URL').fill('https://images.example.org/fault-refused.qcow2')
    await submitOf(page).click()
    const card = page.getByRole('article', { name: 'tiles' })
    await expect(card.getByText('Failed')).toBeVisible()
    await expect(card).toContainText('The image was refused: it refers to another file')
    await expect(card).toContainText('Delete this disk and create it again.')
    await expect(card.getByRole('button', { name: 'Delete tiles' })).toBeEnabled()
  })

  test('makes a disk from a snapshot whose name is typed', { tag: '@cluster' }, async ({
    page,
    project,
    addDisk,
    call,
  }) => {
    const disk = await addDisk('ledger', { size: '20Gi' })
    const params = { projectId: project.id }
    await call(diskSnapshotApi.create, {
      params,
      body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30 },
    })
    await expect
      .poll(async () => (await call(diskSnapshotApi.list, { params }))[0]?.status, often)
      .toBe('ready')
    const calls = callsOf(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('copy')
    await choose(page, 'Source', 'From Snapshot')
    await page.getByRole('combobox', { name: 'Snapshot Name' }).fill('weekly')
    await submitOf(page).click()
    await expect(alertOf(page)).toHaveText('Disk snapshot "weekly" not found')
    await expect(page).toHaveURL(diskCreatePath(project.id))
    await page.getByRole('combobox', { name: 'Snapshot Name' }).fill('nightly')
    // What could be chosen lies over the button.
    await page.keyboard.press('Escape')
    await submitOf(page).click()
    const card = page.getByRole('article', { name: 'copy' })
    await expect(card.getByText('Available')).toBeVisible()
    // As large as the snapshot needs.
    await expect(card.getByRole('definition')).toContainText(['20Gi', 'Snapshot'])
    expect(calls.at(-1)?.postDataJSON()).toEqual({
      name: 'copy',
      size: '10Gi',
      source: 'SNAPSHOT',
      disk_sansphot: 'nightly',
    })
  })

  test('offers the snapshots that are ready, of disks and of VMs', async ({ page, project }) => {
    const ofDisk = makeDiskSnapshot('nightly', { id: 'of-disk' })
    const ofVm = makeVmSnapshot('nightly', { id: 'of-vm' })
    await answer(page, diskSnapshotApi.list, 200, [
      ofDisk,
      makeDiskSnapshot('to come', { status: 'creating' }),
    ])
    await answer(page, vmSnapshotApi.list, 200, [ofVm, makeVmSnapshot('broken', { status: 'error' })])
    const calls = callsOf(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('copy')
    await choose(page, 'Source', 'From Snapshot')
    const field = page.getByRole('combobox', { name: 'Snapshot Name' })
    await field.click()
    await expect(page.getByRole('option')).toHaveText([
      `nightlyDisk ledger, 10Gi, ${shownMoment(ofDisk.created_at)}`,
      `nightlyRoot disk of VM engine, ${shownMoment(ofVm.created_at)}`,
    ])
    await field.fill('other')
    await expect(page.getByRole('option')).toHaveCount(0)
    await field.fill('root')
    await expect(page.getByRole('option')).toHaveCount(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue('nightly')
    await expect(field).toHaveAccessibleDescription(/^Root disk of VM engine/)
    expect(calls).toEqual([])
    // One that is typed may be any of that name.
    await answer(page, diskApi.create, 500)
    await submitOf(page).click()
    await expect(alertOf(page)).toBeVisible()
    await field.fill('')
    await field.fill('nightly')
    await page.keyboard.press('Escape')
    await submitOf(page).click()
    await expect(toasts(page).getByRole('alert')).toHaveCount(2)
    const body = { name: 'copy', size: '10Gi', source: 'SNAPSHOT', disk_sansphot: 'nightly' }
    expect(calls.map((one) => one.postDataJSON())).toEqual([{ ...body, snapshot_id: 'of-vm' }, body])
  })

  test('says that there is no snapshot only once that is known', async ({ page, project }) => {
    const { end } = await answer(page, vmSnapshotApi.list, 500)
    const { letGo } = await hold(page, vmSnapshotApi.list)
    await page.goto(diskCreatePath(project.id))
    await choose(page, 'Source', 'From Snapshot')
    const field = page.getByRole('combobox', { name: 'Snapshot Name' })
    const none = 'This project has no ready snapshot.'
    await expect(field).toHaveAccessibleDescription('Loading snapshots...')
    letGo()
    await expect(field).toHaveAccessibleDescription(/Failed to load snapshots\. Please try again\.$/)
    await expect(field).not.toHaveAccessibleDescription(new RegExp(none))
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(field).toHaveAccessibleDescription(none)
  })

  test('is filled in for a snapshot that one comes from', async ({ page, project }) => {
    await answer(page, diskSnapshotApi.list, 200, [])
    await answer(page, vmSnapshotApi.list, 200, [makeVmSnapshot('before update', { id: 'of-vm' })])
    await page.goto(
      `${diskCreatePath(project.id)}?source=SNAPSHOT&snapshot=before%20update&snapshot_id=of-vm`,
    )
    await expect(page.getByRole('combobox', { name: 'Source' })).toHaveText('From Snapshot')
    await expect(page.getByRole('combobox', { name: 'Snapshot Name' })).toHaveValue('before update')
    await nameOf(page).fill('copy')
    const calls = callsOf(page, diskApi.create)
    await answer(page, diskApi.create, 500)
    await submitOf(page).click()
    await expect.poll(() => calls.length).toBe(1)
    expect(calls[0]?.postDataJSON()).toMatchObject({ disk_sansphot: 'before update', snapshot_id: 'of-vm' })
  })

  test('stays as it is when the disk cannot be created, and says why', async ({ page, project }) => {
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('ledger')
    for (const [status, body, text] of [
      [409, { message: 'The server says why' }, 'The server says why'],
      [500, {}, 'Failed to create disk. Please try again.'],
      [null, {}, 'Failed to create disk. Please try again.'],
    ] as const) {
      const { end } = await answer(page, diskApi.create, status, body)
      await submitOf(page).click()
      await expect(alertOf(page)).toHaveText(text)
      await dismissToasts(page)
      await end()
    }
    await expect(page).toHaveURL(diskCreatePath(project.id))
    await expect(nameOf(page)).toHaveValue('ledger')
    await submitOf(page).click()
    await expect(page).toHaveURL(diskListPath(project.id))
  })

  test('tells what came of it although one has gone elsewhere', async ({ page, project }) => {
    const { letGo } = await hold(page, diskApi.create)
    await page.goto(diskCreatePath(project.id))
    await nameOf(page).fill('ledger')
    await submitOf(page).click()
    await page.getByRole('link', { name: 'Templates' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible()
    letGo()
    await expect(toasts(page)).toContainText('Disk "ledger" created successfully!')
    await expect(page).toHaveURL('/templates')
  })
})
