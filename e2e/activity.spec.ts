import { readFile } from 'node:fs/promises'
import { type Activity, type ActivityPage, activityApi, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { callWith, expect, join, newPerson, test } from './fixtures.ts'
import { answer, hold } from './network.ts'
import { activityPath, vmPath } from './paths.ts'
import { choose } from './sentences.ts'
import { startServer } from './server.ts'

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
  page,
  person,
  project,
  makeVm,
  call,
}) => {
  await page.goto(activityPath(project.id))
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible()
  const today = page.getByRole('region', { name: 'Today' })
  const rows = today.getByRole('listitem')
  const engine = await makeVm('engine', 'running')
  // Without a reload.
  const running = rows.filter({ hasText: 'VM engine started' })
  await expect(running).toContainText('by Slipway')
  await expect(rows.filter({ hasText: 'Create VM engine requested' })).toContainText(
    `by ${person.firstName} ${person.lastName}`,
  )
  const crashed = await makeVm('fault-crash', 'failed')
  const failure = rows.filter({ hasText: 'Failure' }).filter({ hasText: crashed.name })
  await expect(failure).toContainText('The guest crashed while it was booting (simulated).')

  await choose(page, 'Kind', 'Failure')
  await expect(page).toHaveURL(`${activityPath(project.id)}?kind=failure`)
  await expect(running).toHaveCount(0)
  await expect(failure).toBeVisible()
  await choose(page, 'By', 'People')
  await expect(page.getByRole('heading', { name: 'No activity found' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'No activity found' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear Filters' }).click()
  await expect(page).toHaveURL(activityPath(project.id))
  await running.getByRole('link', { name: 'engine' }).click()
  await expect(page).toHaveURL(vmPath(engine))

  const own = page.getByRole('region', { name: 'Activity' })
  await expect(own.getByRole('listitem').first()).toContainText('VM engine started')
  await own.getByRole('link', { name: 'View all' }).click()
  await expect(page).toHaveURL(`${activityPath(project.id)}?object=${engine.id}`)
  await expect(page.getByText('Only engine')).toBeVisible()
  await expect(rows.filter({ hasText: 'fault-crash' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove the filter engine' }).click()
  await expect(failure).toBeVisible()
  await call(vmApi.delete, { params: { projectId: project.id, vmId: crashed.id } })
  await expect(rows.filter({ hasText: /fault-crash.*(gone|delete)/i }).first()).toBeVisible()
  await expect(failure).toBeVisible()
  await expect(failure.getByRole('link')).toHaveCount(0)
})

test('a long log comes page by page, none twice, and what is new waits while one reads further down', async ({
  page,
  project,
  addDisk,
}) => {
  const all = Array.from({ length: 70 }, (_, i) => entry(`e${String(70 - i).padStart(3, '0')}`))
  const fresh: Activity[] = []
  await page.route(/\/api\/projects\/[^/]+\/activity/, async (route) => {
    const before = new URL(route.request().url()).searchParams.get('before')
    const entries = [...fresh, ...all].filter(({ id }) => before === null || id < before).slice(0, 30)
    const next = entries.length === 30 ? (entries.at(-1)?.id ?? null) : null
    await route.fulfill({ json: { entries, next } satisfies ActivityPage })
  })
  await page.goto(activityPath(project.id))
  const rows = page.getByRole('region', { name: 'Today' }).or(page.getByRole('region', { name: 'Yesterday' }))
  const items = rows.getByRole('listitem')
  await expect(items).toHaveCount(30)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(items).toHaveCount(60)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('All 70 entries.')).toBeVisible()
  await expect(items).toHaveCount(70)
  expect(new Set(await items.allInnerTexts()).size).toBe(70)

  await page.mouse.wheel(0, 1500)
  fresh.unshift(entry('e071'), entry('e072', { message: 'VM web-1 did something new' }))
  // Whatever happens to an object of the project lets the log be asked again.
  await addDisk('ledger')
  const news = page.getByRole('button', { name: '2 new' })
  await expect(news).toBeVisible()
  await expect(items).toHaveCount(70)
  await news.click()
  await expect(items).toHaveCount(72)
  await expect(page.getByText('did something new')).toBeInViewport()
})

test('a log that is empty, on its way or not to be had says so', async ({ page, project }) => {
  const refused = await answer(page, activityApi.ofProject, 503, { message: 'The server says why' })
  // After the answer: what was set up last comes first.
  const { letGo } = await hold(page, activityApi.ofProject)
  await page.goto(activityPath(project.id))
  await expect(page.getByText('Loading activity...')).toBeVisible()
  letGo()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('The server says why')
  await refused.end()
  await answer(page, activityApi.ofProject, 200, { entries: [], next: null })
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing has happened yet' })).toBeVisible()
})

test('the log of an account is in its menu; that of everybody is for administrators, who take it home', async ({
  page,
  user,
  playwright,
}) => {
  await page.goto('/templates')
  await page.getByRole('button', { name: `${user.firstName} ${user.lastName}` }).click()
  await page.getByRole('menuitem', { name: 'Your activity' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your activity' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Signed in' }).first()).toContainText('Access')
  // A user whom the server would refuse it is not offered it.
  await page.goto('/admin/templates')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Export activity')).toHaveCount(0)

  const boss = newPerson()
  const server = await startServer({ SLIPWAY_ADMINS: boss.email })
  try {
    const request = await playwright.request.newContext({ baseURL: server.url })
    await join(callWith(request), server, boss)
    const { cookies } = await request.storageState()
    await page.context().addCookies(cookies)
    await page.goto(`${server.url}/admin/templates`)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export activity' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export Activity' })
    await dialog.getByLabel('From').fill('2026-01-02')
    await dialog.getByLabel('Until').fill('2026-01-01')
    await expect(dialog.getByRole('status')).toHaveText('The last day is before the first one')
    await expectAccessible(page)
    await dialog.getByLabel('Until').fill('')
    await dialog.getByRole('radio', { name: 'CSV' }).check()
    await dialog.getByRole('button', { name: 'Export' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('slipway-activity.csv')
    expect(await readFile(await file.path(), 'utf8')).toMatch(/^"id","at",/)
    await expect(dialog).toHaveCount(0)
    await request.dispose()
  } finally {
    await server.stop()
  }
})

test('what happens again and again is folded, counted, and shown on request', async ({ page, project }) => {
  // Not over midnight: what happened on two days stands apart.
  await page.clock.setFixedTime(new Date().setHours(12, 0, 0, 0))
  const noon = new Date().setHours(12, 0, 0, 0)
  const entries = [0, 1, 2, 3, 4].map((minutes) => ({
    ...entry(`e${9 - minutes}`, { kind: 'failure', action: 'vmPool.error', message: 'Pool web-1 failed' }),
    at: new Date(noon - minutes * 60_000).toISOString(),
  }))
  await answer(page, activityApi.ofProject, 200, { entries, next: null })
  await page.goto(activityPath(project.id))
  const rows = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
  await expect(rows).toHaveCount(1)
  await page.getByRole('button', { name: '4 more times in the last hour' }).click()
  await expect(
    page.getByRole('list', { name: '4 more times in the last hour' }).getByRole('listitem'),
  ).toHaveCount(4)
})
