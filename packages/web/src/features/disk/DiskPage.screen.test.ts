import { diskApi } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { diskListPath, diskPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { address, back, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectText, toasts } from '../../screen/shown.test-kit.ts'
import { take } from '../disk-snapshot/disk-snapshot.test-kit.ts'
import { cardOf } from './disk.test-kit.ts'

describe('the page of a disk', () => {
  test('shows what there is to know about a disk, and does what its row does', async ({
    project,
    addDisk,
  }) => {
    const image_url = 'https://images.example.org/tiles.qcow2'
    const disk = await addDisk('tiles', { source: 'HTTP', image_url, description: 'Maps of the coast' })
    await take(disk)
    await visit(diskListPath(project.id))
    await expectText(cardOf('tiles'), 'Maps of the coast')
    await follow(cardOf('tiles').getByRole('link', { name: 'tiles' }), diskPath(disk))
    await expect.element(page.getByRole('heading', { level: 1, name: 'tiles' })).toBeVisible()
    await expectText(page.getByRole('main'), 'Maps of the coast')
    await expectText(page.getByRole('region', { name: 'Facts' }), 'StatusAvailable')
    const details = page.getByRole('region', { name: 'Details' })
    await expectText(details, image_url)
    await expectCopied(details.getByRole('button', { name: 'Copy SHA-256 of the image' }), disk.image_sha256)
    await expect.element(toasts()).toHaveTextContent('Copied to clipboard!')
    await expectText(page.getByRole('region', { name: 'Activity' }), 'tiles')
    await expect.element(page.getByRole('button', { name: 'Attach' })).toBeEnabled()
    await page.getByRole('link', { name: 'nightly' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    await expectText(page.getByRole('region', { name: 'Facts' }), 'Ready')
    await back()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(address).toBe(diskListPath(project.id))
    await expect.element(page.getByRole('heading', { name: 'No disks found' })).toBeVisible()
    await expectText(toasts(), 'Disk "tiles" deleted successfully')
  })

  test('says that there is no such disk, or that it did not load, and leads back', async ({ project }) => {
    const path = diskPath({ project_id: project.id, id: 'tiles' })
    const { end } = answer(diskApi.list, 500)
    await visit(path)
    await expectText(page.getByRole('main').getByRole('alert'), 'Failed to load the disk.')
    await end()
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(page.getByRole('heading', { name: 'This disk does not exist' })).toBeVisible()
    answer(diskApi.list, 200, [
      makeDisk('tiles', 'creating', { project_id: project.id, progress: 0.5, source: 'image' }),
    ])
    await reload()
    await expectText(page.getByRole('main'), '50% Writing the image to the disk.')
    await page.getByRole('button', { name: 'Cancel: Create disk tiles' }).click()
    await expect.element(page.getByRole('alertdialog', { name: 'Cancel operation' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await follow(page.getByRole('link', { name: 'Back to Disks' }), diskListPath(project.id))
  })
})
