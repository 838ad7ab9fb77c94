import { type Activity, type ActivityPage, activityApi, vmApi } from '@slipway/contract'
import { activityPath, vmPath } from '@slipway/e2e/paths'
import { expect, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, hold, type SeenCall } from '../../screen/network.test-kit.ts'
import { address, call, choose, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, texts } from '../../screen/shown.test-kit.ts'

const entry = (id: string, more: Partial<Activity> = {}): Activity => ({
  id,
  at: new Date(Date.now() - 60_000).toISOString(),
  kind: 'change',
  action: 'vm.running',
  actor: null,
  object: { type: 'vm', id: 'v', name: 'web-1' },
  project_id: 'p',
  message: `VM web-1 did thing ${id}`,
  reason: null,
  ...more,
})

test('what happens in a project is told as it happens, by whom and why, and leads to what is still there', async ({
  user,
  project,
  makeVm,
}) => {
  await visit(activityPath(project.id))
  await expect.element(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible()
  const today = page.getByRole('region', { name: 'Today' })
  const rows = today.getByRole('listitem')
  const engine = await makeVm('engine', 'running')
  // Without a reload.
  const running = rows.filter({ hasText: 'VM engine started' })
  await expectText(running, 'by Slipway')
  await expectText(rows.filter({ hasText: 'Create VM engine requested' }), `by ${user.name}`)
  const crashed = await makeVm('fault-crash', 'failed')
  const failure = rows.filter({ hasText: 'Failure' }).filter({ hasText: crashed.name })
  await expectText(failure, 'The guest crashed while it was booting (simulated).')

  await choose('Kind', 'Failure')
  await expect.poll(address).toBe(`${activityPath(project.id)}?kind=failure`)
  await expectCount(running, 0)
  await expect.element(failure).toBeVisible()
  await choose('By', 'People')
  await expect.element(page.getByRole('heading', { name: 'No activity found' })).toBeVisible()
  await reload()
  await expect.element(page.getByRole('heading', { name: 'No activity found' })).toBeVisible()
  await follow(page.getByRole('button', { name: 'Clear Filters' }), activityPath(project.id))
  await follow(running.getByRole('link', { name: 'engine' }), vmPath(engine))

  const own = page.getByRole('region', { name: 'Activity' })
  await expectText(own.getByRole('listitem').first(), 'VM engine started')
  await own.getByRole('link', { name: /^View all/ }).click()
  await expect.poll(address).toBe(`${activityPath(project.id)}?object=${engine.id}`)
  await expect.element(page.getByText('Only engine')).toBeVisible()
  await expectCount(rows.filter({ hasText: 'fault-crash' }), 0)
  await page.getByRole('button', { name: 'Remove the filter engine' }).click()
  await expect.element(failure).toBeVisible()
  await call(vmApi.delete, { params: { projectId: project.id, vmId: crashed.id } })
  await expect.element(rows.filter({ hasText: /fault-crash.*(gone|delete)/i }).first()).toBeVisible()
  await expect.element(failure).toBeVisible()
  await expectCount(failure.getByRole('link'), 0)
})
test('a long log comes page by page, none twice, and what is new waits while one reads further down', async ({
  project,
  addDisk,
}) => {
  const all = Array.from({ length: 70 }, (_, i) => entry(`e${String(70 - i).padStart(3, '0')}`))
  const fresh: Activity[] = []
  answer(activityApi.ofProject, 200, ({ query }: SeenCall): ActivityPage => {
    const before = query.get('before')
    const entries = [...fresh, ...all].filter(({ id }) => before === null || id < before).slice(0, 30)
    return { entries, next: entries.length === 30 ? (entries.at(-1)?.id ?? null) : null }
  })
  await visit(activityPath(project.id))
  const rows = page.getByRole('region', { name: 'Today' }).or(page.getByRole('region', { name: 'Yesterday' }))
  const items = rows.getByRole('listitem')
  await expectCount(items, 30)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expectCount(items, 60)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.element(page.getByText('All 70 entries.')).toBeVisible()
  await expectCount(items, 70)
  expect(new Set(texts(items)).size).toBe(70)

  await userEvent.wheel(page.getByRole('main'), { delta: { y: 1500 } })
  await expect.poll(() => window.scrollY).toBeGreaterThan(0)
  fresh.unshift(entry('e071'), entry('e072', { message: 'VM web-1 did something new' }))
  // Whatever happens to an object of the project lets the log be asked again.
  await addDisk('ledger')
  const news = page.getByRole('button', { name: /2 new/ })
  await expect.element(news).toBeVisible()
  await expectCount(items, 70)
  await news.click()
  await expectCount(items, 72)
  await expect.element(page.getByText(/did something new/)).toBeInViewport()
})
test('a log that is empty, on its way or not to be had says so', async ({ project }) => {
  const refused = answer(activityApi.ofProject, 503, { message: 'The server says why' })
  // After the answer: what was set up last comes first.
  const { letGo } = hold(activityApi.ofProject)
  await visit(activityPath(project.id))
  await expect.element(page.getByText('Loading activity...')).toBeVisible()
  letGo()
  await expectText(page.getByRole('main').getByRole('alert'), 'The server says why')
  await refused.end()
  answer(activityApi.ofProject, 200, { entries: [], next: null })
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect.element(page.getByRole('heading', { name: 'Nothing has happened yet' })).toBeVisible()
})
test('what happens again and again is folded, counted, and shown on request', async ({ project }) => {
  // Not over midnight: what happened on two days stands apart.
  const noon = new Date().setHours(12, 0, 0, 0)
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  onTestFinished(() => void vi.useRealTimers())
  const entries = [0, 1, 2, 3, 4].map((minutes) => ({
    ...entry(`e${9 - minutes}`, { kind: 'failure', action: 'vmPool.error', message: 'Pool web-1 failed' }),
    at: new Date(noon - minutes * 60_000).toISOString(),
  }))
  answer(activityApi.ofProject, 200, { entries, next: null })
  await visit(activityPath(project.id))
  const rows = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
  await expectCount(rows, 1)
  await page.getByRole('button', { name: '4 more times in the last hour' }).click()
  const more = page.getByRole('list', { name: '4 more times in the last hour' }).getByRole('listitem')
  await expectCount(more, 4)
})
