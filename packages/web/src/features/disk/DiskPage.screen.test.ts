import { diskApi, diskSnapshotApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { diskListPath, diskPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { copied } from '../../screen/clipboard.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { address, call, reload, test, toasts, visit } from '../../screen/screen.test-kit.ts'
import { cardOf } from './disk.test-kit.ts'

describe('the page of a disk', () => {
  test('shows what there is to know about a disk, and does what its row does', async ({
    project,
    addDisk,
  }) => {
    const image_url = 'https://images.example.org/tiles.qcow2'
    const disk = await addDisk('tiles', { source: 'HTTP', image_url, description: 'Maps of the coast' })
    await call(diskSnapshotApi.create, {
      params: { projectId: project.id },
      body: { name: 'nightly', disk_id: disk.id, snapshot_type: 'full', retention_days: 30 },
    })
    await visit(diskListPath(project.id))
    await expect.element(cardOf('tiles')).toMatchTextContent('Maps of the coast')
    await cardOf('tiles').getByRole('link', { name: 'tiles' }).click()
    await expect.poll(address).toBe(diskPath(disk))
    await expect.element(page.getByRole('heading', { level: 1, name: 'tiles' })).toBeVisible()
    await expect.element(page.getByRole('main')).toMatchTextContent('Maps of the coast')
    await expect.element(page.getByRole('region', { name: 'Facts' })).toMatchTextContent('StatusAvailable')
    const details = page.getByRole('region', { name: 'Details' })
    await expect.element(details).toMatchTextContent(image_url)
    await details.getByRole('button', { name: 'Copy SHA-256 of the image' }).click()
    await expect.element(toasts()).toHaveTextContent('Copied to clipboard!')
    expect(await copied()).toBe(disk.image_sha256)
    await expect.element(page.getByRole('region', { name: 'Activity' })).toMatchTextContent('tiles')
    await expect.element(page.getByRole('button', { name: 'Attach' })).toBeEnabled()
    await page.getByRole('link', { name: 'nightly' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    await expect.element(page.getByRole('region', { name: 'Facts' })).toMatchTextContent('Ready')
    history.back()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(address).toBe(diskListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expect.element(toasts()).toMatchTextContent('Disk "tiles" deleted successfully')
  })

  test('says that there is no such disk, or that it did not load, and leads back', async ({ project }) => {
    const path = diskPath({ project_id: project.id, id: 'tiles' })
    const { end } = answer(diskApi.list, 500)
    await visit(path)
    await expect
      .element(page.getByRole('main').getByRole('alert'))
      .toMatchTextContent('Failed to load the disk.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(page.getByRole('heading', { name: 'This disk does not exist' })).toBeVisible()
    answer(diskApi.list, 200, [
      makeDisk('tiles', 'creating', { project_id: project.id, progress: 0.5, source: 'image' }),
    ])
    await reload()
    await expect.element(page.getByRole('main')).toMatchTextContent('50% Writing the image to the disk.')
    await page.getByRole('button', { name: 'Cancel: Create disk tiles' }).click()
    await expect.element(page.getByRole('alertdialog', { name: 'Cancel operation' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await page.getByRole('link', { name: 'Back to Disks' }).click()
    await expect.poll(address).toBe(diskListPath(project.id))
  })
})
