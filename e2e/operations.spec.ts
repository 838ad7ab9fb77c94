import { type DiskCreate, diskApi, operationApi } from '@slipway/contract'
import { expectAccessible, expectFits } from './a11y.ts'
import { expect, often, test } from './fixtures.ts'
import { answer } from './network.ts'
import { diskListPath } from './paths.ts'
import { toasts } from './sentences.ts'

/** The simulated engine never gets to the end of this one. */
const endless: Pick<DiskCreate, 'size' | 'source' | 'image_url'> = {
  size: '1Gi',
  source: 'HTTP',
  image_url: 'https://images.example.com/fault-stuck.img',
}

test('long operations are seen on the dashboard, say why they wait, and are cancelled there', async ({
  page,
  project,
  call,
}) => {
  const params = { projectId: project.id }
  await page.goto('/')
  const panel = page.getByRole('region', { name: 'Operations' })
  await expect(page.getByRole('heading', { name: 'What do you want to run?' })).toBeVisible()
  await expect(panel).toHaveCount(0)

  // They come by the event stream.
  for (const name of ['first', 'second', 'third'])
    await call(diskApi.create, { params, body: { name, ...endless } })
  const rows = panel.getByRole('listitem')
  await expect(rows).toHaveText([
    /^Create disk firstRunning, 1 %/,
    /^Create disk secondRunning, 1 %/,
    /^Create disk thirdWaiting for 2 other downloads of this account\. Number 1 in the queue\./,
  ])
  await expect(panel.getByRole('progressbar', { name: 'Create disk first' })).toHaveAttribute(
    'aria-valuenow',
    '1',
  )
  await expectAccessible(page)
  await page.setViewportSize({ width: 375, height: 800 })
  await expectFits(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  const cancel = rows.first().getByRole('button', { name: 'Cancel: Create disk first' })
  await cancel.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Cancel operation' })
  await expect(dialog).toContainText('Everything downloaded or copied for "first" so far is deleted')
  await expect(dialog.getByRole('button', { name: 'Keep running' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(cancel).toBeFocused()
  await cancel.click()
  await dialog.getByRole('button', { name: 'Cancel operation' }).click()
  await expect(toasts(page)).toContainText('Create disk "first" was cancelled')
  // The one that waited has its place now.
  await expect(rows).toHaveText([/^Create disk second/, /^Create disk thirdRunning/])

  await rows.first().getByRole('link', { name: 'second' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'second' })).toBeVisible()
  await page.getByRole('link', { name: 'Back to Disks' }).click()
  await expect(page).toHaveURL(diskListPath(project.id))
  await expect(page.getByRole('article', { name: 'first' })).toContainText('Creation was cancelled.')
})

test('a disk that is being created is cancelled on its card, and deleted then', async ({
  page,
  project,
  call,
}) => {
  const params = { projectId: project.id }
  await call(diskApi.create, { params, body: { name: 'tiles', ...endless } })
  await expect.poll(async () => (await call(operationApi.list, { params })).length, often).toBe(1)
  await page.goto(diskListPath(project.id))
  const card = page.getByRole('article', { name: 'tiles' })
  await card.getByRole('button', { name: /^Cancel/ }).click()
  const question = page.getByRole('alertdialog', { name: 'Cancel operation' })
  await expect(question).toBeVisible()
  await page.reload()
  const { end } = await answer(page, operationApi.cancel, 409, { message: 'The server says why' })
  await question.getByRole('button', { name: 'Cancel operation' }).click()
  await expect(question.getByRole('alert')).toHaveText('The server says why')
  await end()
  await question.getByRole('button', { name: 'Cancel operation' }).click()
  await expect(card).toContainText('Creation was cancelled.')
  await card.getByRole('button', { name: 'Delete tiles' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(card).toHaveCount(0)
  // The card goes before the server has answered.
  await expect.poll(() => call(diskApi.list, { params, query: {} }), often).toEqual([])
})
