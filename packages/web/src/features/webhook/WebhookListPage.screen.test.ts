import { accessTexts, projectApi, type Webhook, webhookApi, webhookTexts } from '@slipway/contract'
import { activityPath, webhookListPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { copied } from '../../screen/clipboard.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { test as base, call, follow, reload, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, said } from '../../screen/shown.test-kit.ts'

const test = base
  .override('serverOptions', () => ({ privateWebhooks: ['127.0.0.1'] }))
  // The address of what takes requests on loopback, which the server of these tests may reach.
  .extend('receiver', async ({ server: _ }, { onCleanup }) => {
    const url = await commands.openReceiver()
    onCleanup(() => commands.closeReceiver(url))
    return url
  })

const deliveries = () =>
  page.getByRole('region', { name: 'Deliveries' }).getByRole('list').getByRole('listitem')
const status = () => page.getByRole('region', { name: 'Facts' })

test('a webhook is created, its secret shown once, and a test arrives signed', async ({
  project,
  receiver,
}) => {
  await visit(activityPath(project.id))
  await follow(page.getByRole('link', { name: 'Webhooks' }), webhookListPath(project.id))
  await expect.element(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
  await page.getByRole('button', { name: 'Create Webhook' }).last().click()
  const form = page.getByRole('dialog', { name: 'Create webhook' })
  await expect.element(form.getByRole('status')).toHaveTextContent(webhookTexts.urlMissing)
  await form.getByLabelText('URL').fill('http://192.168.0.1/')
  await form.getByRole('button', { name: 'Create Webhook' }).click()
  await expect.element(form.getByText(webhookTexts.urlHttps, { exact: false })).toBeVisible()
  await form.getByLabelText('URL').fill(receiver)
  await form.getByLabelText('Description').fill('alerts in chat')
  await form.getByRole('radio', { name: 'Only some' }).click()
  await expect
    .element(form.getByRole('status'))
    .toHaveTextContent('Choose an object or a kind, or enter an action')
  await form.getByRole('checkbox', { name: 'Disk', exact: true }).click()
  await form.getByRole('checkbox', { name: 'Failure' }).click()
  await form.getByRole('button', { name: 'Create Webhook' }).click()

  const shown = page.getByRole('dialog', { name: 'Webhook created' })
  await shown.getByRole('button', { name: 'Copy secret' }).click()
  await expect.poll(copied).toMatch(/^whsec_/)
  const secret = await copied()
  await expectAccessible()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expectCount(said(secret), 0)
  const row = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem')
  await expectText(row, 'Active', 'Disk; Failure')

  await row.getByRole('link', { name: 'alerts in chat' }).click()
  await expect.element(said('Nothing was sent yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Send a Test' }).click()
  await expectText(deliveries(), 'Delivered', 'webhook.test')
  await deliveries()
    .getByText(/Request of webhook\.test/)
    .click()
  await expectText(deliveries(), '"type": "webhook.test"')
  await expectAccessible()
  expect(await commands.firstSignature(receiver, secret)).toEqual({
    signature: expect.stringMatching(/^v1,\S+$/),
    isRight: true,
  })
})

test('a webhook is changed, paused, given a new secret and deleted', async ({ project, receiver }) => {
  const params = { projectId: project.id }
  const { id } = await call(webhookApi.create, { params, body: { url: receiver, description: 'chat' } })
  await visit(`${webhookListPath(project.id)}/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit webhook' })
  await form.getByLabelText('Description').fill('pager')
  await form.getByRole('radio', { name: 'Only some' }).click()
  await form.getByLabelText('Actions').fill('vm.error, disk.failed')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByRole('heading', { name: 'pager', level: 1 })).toBeVisible()
  await expectText(status(), 'vm.error, disk.failed')

  await page.getByRole('button', { name: 'Pause' }).click()
  await expectText(status(), 'Paused')
  await expect.element(said('What happens meanwhile is not sent, not even later.')).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expectText(status(), 'Active')

  await page.getByRole('button', { name: 'New Secret' }).click()
  await page.getByRole('button', { name: 'Create New Secret' }).click()
  const shown = page.getByRole('dialog', { name: 'New secret' })
  await expect.element(shown.getByText(/^whsec_/)).toBeVisible()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expectText(status(), 'Signs as well until')

  await page.getByRole('button', { name: 'Delete pager' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete webhook' })
  await follow(question.getByRole('button', { name: 'Delete Webhook' }), webhookListPath(project.id))
  await expect.element(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
})

test('what a receiver refuses is shown with the reason, and can be sent again', async ({
  project,
  addDisk,
  receiver,
}) => {
  await commands.setReceiver(receiver, 503)
  const params = { projectId: project.id }
  const body = { url: receiver, actions: ['disk.create'] }
  const { id } = await call(webhookApi.create, { params, body })
  await addDisk('ledger')
  await visit(`${webhookListPath(project.id)}/${id}`)
  await expect.element(page.getByText(/^Failing since/)).toBeVisible()
  await expectText(deliveries(), 'The receiver answered 503 Service Unavailable.', 'Waiting to be sent again')
  await expectAccessible()
  await commands.setReceiver(receiver, 200)
  await page.getByRole('button', { name: 'Send Again: disk.create' }).click()
  await expectText(deliveries(), 'Delivered')
  await expectText(status(), 'Active')
  await page.getByRole('button', { name: 'Failed', exact: true }).click()
  await expect.element(said('No delivery is failed.')).toBeVisible()
})

test('one that Slipway paused says why, and long texts fit', async ({ project, receiver }) => {
  const params = { projectId: project.id }
  const url = `${receiver}/${'long-path-'.repeat(60)}`
  const webhook = await call(webhookApi.create, { params, body: { url, description: 'x'.repeat(200) } })
  const { secret: _, ...rest } = webhook
  const paused: Webhook = {
    ...rest,
    paused: true,
    paused_reason: webhookTexts.gone,
    last_failure: 'The receiver answered 410 Gone.',
    waiting: 3,
  }
  answer(webhookApi.list, 200, [paused])
  await visit(webhookListPath(project.id))
  await expect.element(said(webhookTexts.gone)).toBeVisible()
  await page.getByRole('link', { name: /xxx/ }).click()
  await expect.element(said('What waits is sent when you resume it.')).toBeVisible()
  for (const width of [390, 1280]) {
    await page.viewport(width, 800)
    expect(document.documentElement.scrollWidth - window.innerWidth).toBeLessThanOrEqual(0)
  }
})

test('a webhook that is gone says so', async ({ project }) => {
  await visit(`${webhookListPath(project.id)}/none`)
  await expect.element(page.getByRole('heading', { name: 'This webhook does not exist' })).toBeVisible()
})

test('a viewer is told who may see webhooks, and an operator who may change them', async ({ project }) => {
  const params = { projectId: project.id }
  await call(webhookApi.create, { params, body: { url: 'https://hooks.invalid/', paused: true } })
  const asViewer = answer(projectApi.list, 200, [{ ...project, role: 'viewer' }])
  await visit(webhookListPath(project.id))
  await expect.element(said(accessTexts.operator)).toBeVisible()
  await asViewer.end()
  answer(projectApi.list, 200, [{ ...project, role: 'operator' }])
  await reload()
  await page.getByRole('link', { name: 'hooks.invalid' }).click()
  for (const name of ['Send a Test', 'Edit', 'Resume', 'New Secret', 'Delete hooks.invalid'])
    await expect.element(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
})
