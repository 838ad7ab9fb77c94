import { type DiskCreate, diskApi, operationApi } from '@slipway/contract'
import { diskListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible, expectFits } from '../../screen/a11y.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { call, follow, press, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts, toasts } from '../../screen/shown.test-kit.ts'

/** The simulated engine never gets to the end of this one. */
const endless: Pick<DiskCreate, 'size' | 'source' | 'image_url'> = {
  size: '1Gi',
  source: 'HTTP',
  image_url: 'https://images.example.com/fault-stuck.img',
}

test('long operations are seen on the dashboard, say why they wait, and are cancelled there', async ({
  project,
}) => {
  const params = { projectId: project.id }
  await visit('/')
  const panel = page.getByRole('region', { name: 'Operations' })
  await expect.element(page.getByRole('heading', { name: 'What do you want to run?' })).toBeVisible()
  await expectCount(panel, 0)

  // They come by the event stream.
  for (const name of ['first', 'second', 'third'])
    await call(diskApi.create, { params, body: { name, ...endless } })
  const rows = panel.getByRole('listitem')
  await expectTexts(rows, [
    expect.stringMatching(/^Create disk firstRunning, 1 %/),
    expect.stringMatching(/^Create disk secondRunning, 1 %/),
    expect.stringMatching(
      /^Create disk thirdWaiting for 2 other downloads of this account\. Number 1 in the queue\./,
    ),
  ])
  await expect
    .element(panel.getByRole('progressbar', { name: 'Create disk first' }))
    .toHaveAttribute('aria-valuenow', '1')
  await expectAccessible()
  await page.viewport(375, 800)
  expectFits()
  await page.viewport(1280, 800)

  const cancel = rows.first().getByRole('button', { name: 'Cancel: Create disk first' })
  await press(cancel, '{Enter}')
  const dialog = page.getByRole('alertdialog', { name: 'Cancel operation' })
  await expectText(dialog, 'Everything downloaded or copied for "first" so far is deleted')
  await expect.element(dialog.getByRole('button', { name: 'Keep running' })).toHaveFocus()
  await expectAccessible()
  await userEvent.keyboard('{Escape}')
  await expectCount(dialog, 0)
  await expect.element(cancel).toHaveFocus()
  await cancel.click()
  await dialog.getByRole('button', { name: 'Cancel operation' }).click()
  await expectText(toasts(), 'Create disk "first" was cancelled')
  // The one that waited has its place now.
  await expectTexts(rows, [
    expect.stringMatching(/^Create disk second/),
    expect.stringMatching(/^Create disk thirdRunning/),
  ])

  await rows.first().getByRole('link', { name: 'second' }).click()
  await expect.element(page.getByRole('heading', { level: 1, name: 'second' })).toBeVisible()
  await follow(page.getByRole('link', { name: 'Back to Disks' }), diskListPath(project.id))
  await expectText(page.getByRole('article', { name: 'first' }), 'Creation was cancelled.')
})

test('a disk that is being created is cancelled on its card, and deleted then', async ({ project }) => {
  const params = { projectId: project.id }
  await call(diskApi.create, { params, body: { name: 'tiles', ...endless } })
  await expect.poll(async () => (await call(operationApi.list, { params })).length).toBe(1)
  await visit(diskListPath(project.id))
  const card = page.getByRole('article', { name: 'tiles' })
  await card.getByRole('button', { name: /^Cancel/ }).click()
  const question = page.getByRole('alertdialog', { name: 'Cancel operation' })
  await expect.element(question).toBeVisible()
  await reload()
  const { end } = answer(operationApi.cancel, 409, { message: 'The server says why' })
  await question.getByRole('button', { name: 'Cancel operation' }).click()
  await expect.element(question.getByRole('alert')).toHaveTextContent('The server says why')
  await end()
  await question.getByRole('button', { name: 'Cancel operation' }).click()
  await expectText(card, 'Creation was cancelled.')
  await card.getByRole('button', { name: 'Delete tiles' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectCount(card, 0)
  // The card goes before the server has answered.
  await expect.poll(() => call(diskApi.list, { params, query: {} })).toEqual([])
})
