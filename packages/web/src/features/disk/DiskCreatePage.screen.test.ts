import { diskApi, diskSnapshotApi, vmSnapshotApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeDiskSnapshot, makeVmSnapshot } from '@slipway/e2e/objects'
import { diskCreatePath, diskListPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, choose, press, test, visit } from '../../screen/screen.test-kit.ts'
import {
  expectCount,
  expectFailures,
  expectRule,
  expectText,
  expectTexts,
  newestAlert,
  toasts,
} from '../../screen/shown.test-kit.ts'

const nameOf = () => page.getByLabelText('Disk Name')
const submitOf = () => page.getByRole('button', { name: 'Create Disk' })
const infoOf = () => page.getByRole('region', { name: 'What you get' })

describe('the form of a disk', () => {
  test('says one rule at a time beside the button, in their order', async ({ project }) => {
    const calls = callsOf(diskApi.create)
    await visit(diskCreatePath(project.id))
    await choose('Source', 'From Image')
    await expectRule(submitOf(), nameOf(), 'Please enter a disk name')
    await nameOf().fill('ledger')
    await page.getByLabelText('Size').fill('none')
    await expect.element(submitOf()).toHaveAccessibleDescription('Please enter a valid disk size')
    await expect
      .element(page.getByLabelText('Size'))
      .toHaveAccessibleDescription('Please enter a valid disk size')
    await page.getByLabelText('Size').fill('1')
    await expect.element(submitOf()).toHaveAccessibleDescription('Please enter an image URL')
    expect(calls).toEqual([])
    await choose('Source', 'Blank Disk')
    await expect.element(page.getByRole('form').getByRole('status')).toHaveTextContent('')
    await press(nameOf(), '{Enter}')
    await expect.poll(address).toBe(diskListPath(project.id))
    expect(calls).toHaveLength(1)
  })

  test('has four sources, and of each one its own field only', async ({ project }) => {
    await visit(diskCreatePath(project.id))
    const fields = page.getByRole('form').getByRole('textbox')
    const boxes = page.getByRole('form').getByRole('combobox')
    await page.getByRole('combobox', { name: 'Source' }).click()
    await expectTexts(page.getByRole('option'), [
      'Blank Disk',
      'From Image',
      'From Snapshot',
      'From Container Registry',
      // Another call, with a spec of its own.
      'Upload a File',
    ])
    await userEvent.keyboard('{Escape}')
    await expectCount(fields, 2)
    await expectText(infoOf(), 'The disk is empty, without a file system')

    await choose('Source', 'From Image')
    await expectCount(fields, 3)
    await expect.element(page.getByLabelText('Image URL')).toHaveAttribute('type', 'url')
    await expectText(infoOf(), 'The server downloads the image')

    await choose('Source', 'From Snapshot')
    await expectCount(boxes, 2)
    await expectCount(fields, 2)
    await expect.element(page.getByRole('combobox', { name: 'Snapshot Name' })).toBeVisible()
    await expectText(infoOf(), 'The disk is an independent copy')

    await choose('Source', 'From Container Registry')
    await expectCount(fields, 3)
    await expect.element(page.getByLabelText('Container Image')).toBeVisible()
    await expectText(infoOf(), 'A disk file below /disk/ in the image is used as it is.')
  })

  test('sends the size in whole Gi, and shows it before', async ({ project }) => {
    const { letGo } = hold(diskApi.create)
    const calls = callsOf(diskApi.create)
    await visit(diskCreatePath(project.id))
    await nameOf().fill('ledger')
    await page.getByLabelText('Size').fill('100MB')
    await expect.element(infoOf().getByRole('definition').first()).toHaveTextContent('1Gi')
    await submitOf().click()
    await expect.poll(() => calls.map((one) => one.body)).toMatchObject([{ size: '1Gi' }])
    letGo()
  })

  for (const [source, label, typed, word, listed] of [
    ['From Image', 'Image URL', 'https://images.example.org/tiles.qcow2', 'HTTP', 'Image'],
    ['From Container Registry', 'Container Image', 'docker.io/library/alpine:3.22', 'REGISTRY', 'Image'],
  ] as const) {
    test(`makes a disk ${source}`, async ({ project }) => {
      const calls = callsOf(diskApi.create)
      await visit(diskCreatePath(project.id))
      await nameOf().fill('tiles')
      await choose('Source', source)
      await page.getByLabelText(label).fill(` ${typed} `)
      await submitOf().click()
      const card = page.getByRole('article', { name: 'tiles' })
      await expect.element(card.getByRole('definition').nth(1)).toHaveTextContent(listed)
      await expect.element(card.getByText('Available')).toBeVisible()
      expect(calls.map((one) => one.body)).toEqual([
        { name: 'tiles', size: '10Gi', source: word, image_url: typed },
      ])
    })
  }

  test('shows in the list why an image was not taken', async ({ project }) => {
    await visit(diskCreatePath(project.id))
    await nameOf().fill('tiles')
    await choose('Source', 'From Image')
    await page.getByLabelText('Image URL').fill('https://images.example.org/fault-refused.qcow2')
    await submitOf().click()
    const card = page.getByRole('article', { name: 'tiles' })
    await expect.element(card.getByText('Failed')).toBeVisible()
    await expectText(card, 'The image was refused: it refers to another file')
    await expectText(card, 'Delete this disk and create it again.')
    await expect.element(card.getByRole('button', { name: 'Delete tiles' })).toBeEnabled()
  })

  test('offers the snapshots that are ready, of disks and of VMs', async ({ project }) => {
    const ofDisk = makeDiskSnapshot('nightly', { id: 'of-disk' })
    const ofVm = makeVmSnapshot('nightly', { id: 'of-vm' })
    answer(diskSnapshotApi.list, 200, [ofDisk, makeDiskSnapshot('to come', { status: 'creating' })])
    answer(vmSnapshotApi.list, 200, [ofVm, makeVmSnapshot('broken', { status: 'error' })])
    const calls = callsOf(diskApi.create)
    await visit(diskCreatePath(project.id))
    await nameOf().fill('copy')
    await choose('Source', 'From Snapshot')
    const field = page.getByRole('combobox', { name: 'Snapshot Name' })
    await field.click()
    await expectTexts(page.getByRole('option'), [
      `nightlyDisk ledger, 10Gi, ${shownMoment(ofDisk.created_at)}`,
      `nightlyRoot disk of VM engine, ${shownMoment(ofVm.created_at)}`,
    ])
    await field.fill('other')
    await expectCount(page.getByRole('option'), 0)
    await field.fill('root')
    await expectCount(page.getByRole('option'), 1)
    await userEvent.keyboard('{ArrowDown}')
    await userEvent.keyboard('{Enter}')
    await expect.element(field).toHaveValue('nightly')
    await expect.element(field).toHaveAccessibleDescription(/^Root disk of VM engine/)
    expect(calls).toEqual([])
    // One that is typed may be any of that name.
    answer(diskApi.create, 500)
    await submitOf().click()
    await expect.element(newestAlert()).toBeVisible()
    await field.fill('')
    await field.fill('nightly')
    await userEvent.keyboard('{Escape}')
    await submitOf().click()
    await expectCount(toasts().getByRole('alert'), 2)
    const body = { name: 'copy', size: '10Gi', source: 'SNAPSHOT', disk_sansphot: 'nightly' }
    expect(calls.map((one) => one.body)).toEqual([{ ...body, snapshot_id: 'of-vm' }, body])
  })

  test('says that there is no snapshot only once that is known', async ({ project }) => {
    const { end } = answer(vmSnapshotApi.list, 500)
    const { letGo } = hold(vmSnapshotApi.list)
    await visit(diskCreatePath(project.id))
    await choose('Source', 'From Snapshot')
    const field = page.getByRole('combobox', { name: 'Snapshot Name' })
    const none = 'This project has no ready snapshot.'
    await expect.element(field).toHaveAccessibleDescription('Loading snapshots...')
    letGo()
    await expect.element(field).toHaveAccessibleDescription(/Failed to load snapshots\. Please try again\.$/)
    await expect.element(field).not.toHaveAccessibleDescription(new RegExp(none))
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(field).toHaveAccessibleDescription(none)
  })

  test('is filled in for a snapshot that one comes from', async ({ project }) => {
    answer(diskSnapshotApi.list, 200, [])
    answer(vmSnapshotApi.list, 200, [makeVmSnapshot('before update', { id: 'of-vm' })])
    await visit(`${diskCreatePath(project.id)}?source=SNAPSHOT&snapshot=before%20update&snapshot_id=of-vm`)
    await expect.element(page.getByRole('combobox', { name: 'Source' })).toHaveTextContent('From Snapshot')
    await expect.element(page.getByRole('combobox', { name: 'Snapshot Name' })).toHaveValue('before update')
    await nameOf().fill('copy')
    const calls = callsOf(diskApi.create)
    answer(diskApi.create, 500)
    await submitOf().click()
    await expect.poll(() => calls.length).toBe(1)
    expect(calls[0]?.body).toMatchObject({ disk_sansphot: 'before update', snapshot_id: 'of-vm' })
  })

  test('stays as it is when the disk cannot be created, and says why', async ({ project }) => {
    await visit(diskCreatePath(project.id))
    await nameOf().fill('ledger')
    await expectFailures(
      diskApi.create,
      () => submitOf().click(),
      'Failed to create disk. Please try again.',
      (text) => expect.element(newestAlert()).toHaveTextContent(text),
    )
    await expect.poll(address).toBe(diskCreatePath(project.id))
    await expect.element(nameOf()).toHaveValue('ledger')
    await submitOf().click()
    await expect.poll(address).toBe(diskListPath(project.id))
  })
})
