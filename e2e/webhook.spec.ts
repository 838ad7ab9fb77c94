import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { accessTexts, projectApi, type Webhook, webhookApi, webhookTexts } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { test as base, expect } from './fixtures.ts'
import { answer } from './network.ts'
import { activityPath, webhookListPath } from './paths.ts'

interface Request {
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** What takes requests on loopback, which the server of these tests may reach; it answers with `status`. */
interface Receiver {
  url: string
  requests: Request[]
  status: number
}

const test = base.extend<{ receiver: Receiver }>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Playwright asks for
  receiver: async ({}, use) => {
    const requests: Request[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      requests.push({ headers: request.headers, body })
      response.writeHead(receiver.status).end()
    })
    const receiver: Receiver = { url: '', requests, status: 204 }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slipway`
    await use(receiver)
    server.closeAllConnections()
    server.close()
  },
})

const deliveries = (page: Page) =>
  page.getByRole('region', { name: 'Deliveries' }).getByRole('list').getByRole('listitem')
const status = (page: Page) => page.getByRole('region', { name: 'Facts' })

test('a webhook is created, its secret shown once, and a test arrives signed', async ({
  page,
  project,
  receiver,
}) => {
  await page.goto(activityPath(project.id))
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await expect(page).toHaveURL(webhookListPath(project.id))
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create Webhook' }).last().click()
  const form = page.getByRole('dialog', { name: 'Create webhook' })
  await expect(form.getByRole('status')).toHaveText(webhookTexts.urlMissing)
  await form.getByLabel('URL').fill('http://192.168.0.1/')
  await form.getByRole('button', { name: 'Create Webhook' }).click()
  await expect(form.getByText(webhookTexts.urlHttps)).toBeVisible()
  await form.getByLabel('URL').fill(receiver.url)
  await form.getByLabel('Description').fill('alerts in chat')
  await form.getByRole('radio', { name: 'Only some' }).check()
  await expect(form.getByRole('status')).toHaveText('Choose an object or a kind, or enter an action')
  await form.getByRole('checkbox', { name: 'Disk', exact: true }).check()
  await form.getByRole('checkbox', { name: 'Failure' }).check()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create Webhook' }).click()

  const shown = page.getByRole('dialog', { name: 'Webhook created' })
  await shown.getByRole('button', { name: 'Copy secret' }).click()
  const secret = await copied(page)
  expect(secret).toMatch(/^whsec_/)
  await expectAccessible(page)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)
  const row = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem')
  await expect(row).toContainText('Active')
  await expect(row).toContainText('Disk; Failure')
  await expectAccessible(page)

  await row.getByRole('link', { name: 'alerts in chat' }).click()
  await expect(page.getByText('Nothing was sent yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Send a Test' }).click()
  await expect(deliveries(page)).toContainText('Delivered')
  await expect(deliveries(page)).toContainText('webhook.test')
  await deliveries(page).getByText('Request of webhook.test').click()
  await expect(deliveries(page)).toContainText('"type": "webhook.test"')
  await expectAccessible(page)
  const [request] = receiver.requests
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request?.headers ?? {}
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const right = createHmac('sha256', key).update(`${id}.${at}.${request?.body}`).digest('base64')
  expect(signature).toBe(`v1,${right}`)
})

test('a webhook is changed, paused, given a new secret and deleted', async ({
  page,
  project,
  call,
  receiver,
}) => {
  const params = { projectId: project.id }
  const { id } = await call(webhookApi.create, { params, body: { url: receiver.url, description: 'chat' } })
  await page.goto(`${webhookListPath(project.id)}/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit webhook' })
  await form.getByLabel('Description').fill('pager')
  await form.getByRole('radio', { name: 'Only some' }).check()
  await form.getByLabel('Actions').fill('vm.error, disk.failed')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'pager', level: 1 })).toBeVisible()
  await expect(status(page)).toContainText('vm.error, disk.failed')

  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(status(page)).toContainText('Paused')
  await expect(page.getByText('What happens meanwhile is not sent, not even later.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(status(page)).toContainText('Active')

  await page.getByRole('button', { name: 'New Secret' }).click()
  await page.getByRole('button', { name: 'Create New Secret' }).click()
  const shown = page.getByRole('dialog', { name: 'New secret' })
  await expect(shown.getByText(/^whsec_/)).toBeVisible()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(status(page)).toContainText('Signs as well until')

  await page.getByRole('button', { name: 'Delete pager' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete webhook' })
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Delete Webhook' }).click()
  await expect(page).toHaveURL(webhookListPath(project.id))
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
})

test('what a receiver refuses is shown with the reason, and can be sent again', async ({
  page,
  project,
  call,
  addDisk,
  receiver,
}) => {
  receiver.status = 503
  const params = { projectId: project.id }
  const body = { url: receiver.url, actions: ['disk.create'] }
  const { id } = await call(webhookApi.create, { params, body })
  await addDisk('ledger')
  await page.goto(`${webhookListPath(project.id)}/${id}`)
  await expect(page.getByText(/^Failing since/)).toBeVisible()
  await expect(deliveries(page)).toContainText('The receiver answered 503 Service Unavailable.')
  await expect(deliveries(page)).toContainText('Waiting to be sent again')
  await expectAccessible(page)
  receiver.status = 200
  await page.getByRole('button', { name: 'Send Again: disk.create' }).click()
  await expect(deliveries(page)).toContainText('Delivered')
  await expect(status(page)).toContainText('Active')
  await page.getByRole('button', { name: 'Failed', exact: true }).click()
  await expect(page.getByText('No delivery is failed.')).toBeVisible()
})

test('one that Slipway paused says why, and long texts fit', async ({ page, project, call, receiver }) => {
  const params = { projectId: project.id }
  const url = `${receiver.url}/${'long-path-'.repeat(60)}`
  const webhook = await call(webhookApi.create, { params, body: { url, description: 'x'.repeat(200) } })
  const { secret: _, ...rest } = webhook
  const paused: Webhook = {
    ...rest,
    paused: true,
    paused_reason: webhookTexts.gone,
    last_failure: 'The receiver answered 410 Gone.',
    waiting: 3,
  }
  await answer(page, webhookApi.list, 200, [paused])
  await page.goto(webhookListPath(project.id))
  await expect(page.getByText(webhookTexts.gone)).toBeVisible()
  await page.getByRole('link', { name: 'xxx' }).click()
  await expect(page.getByText('What waits is sent when you resume it.')).toBeVisible()
  await expectAccessible(page)
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  }
})

test('an error can be tried again, and what is gone says so', async ({ page, project }) => {
  const failing = await answer(page, webhookApi.list, 500)
  await page.goto(webhookListPath(project.id))
  await expect(page.getByText('Failed to load the webhooks.')).toBeVisible()
  await expectAccessible(page)
  await failing.end()
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: 'No webhooks yet' })).toBeVisible()
  await page.goto(`${webhookListPath(project.id)}/none`)
  await expect(page.getByRole('heading', { name: 'This webhook does not exist' })).toBeVisible()
})

test('a viewer is told who may see webhooks, and an operator who may change them', async ({
  page,
  project,
  call,
}) => {
  const params = { projectId: project.id }
  await call(webhookApi.create, { params, body: { url: 'https://hooks.invalid/', paused: true } })
  const asViewer = await answer(page, projectApi.list, 200, [{ ...project, role: 'viewer' }])
  await page.goto(webhookListPath(project.id))
  await expect(page.getByText(accessTexts.operator)).toBeVisible()
  await expectAccessible(page)
  await asViewer.end()
  await answer(page, projectApi.list, 200, [{ ...project, role: 'operator' }])
  await page.reload()
  await page.getByRole('link', { name: 'hooks.invalid' }).click()
  for (const name of ['Send a Test', 'Edit', 'Resume', 'New Secret', 'Delete hooks.invalid'])
    await expect(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
})
