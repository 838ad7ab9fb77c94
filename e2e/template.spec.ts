import { type Template, templateApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'

const template = (id: string, more: Partial<Template> = {}): Template => ({
  id,
  name: `Template ${id}`,
  description: 'Something to start from',
  image_url: null,
  default_cpu: 2,
  default_memory_mb: 1536,
  created_at: '2026-11-20T23:30:00.000Z',
  ...more,
})

test('each template is shown as the API has it', async ({ page, user: _, call }) => {
  const { letGo } = await hold(page, templateApi.list)
  await page.goto('/templates')
  await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading templates...')
  letGo()
  const templates = await call(templateApi.list, {})
  const cards = page.getByRole('article')
  await expect(cards).toHaveCount(templates.length)
  for (const [index, { name, description, default_cpu, default_memory_mb }] of templates.entries()) {
    const card = cards.nth(index)
    await expect(card.getByRole('heading', { name })).toBeVisible()
    await expect(card).toContainText(description)
    await expect(card.getByRole('term')).toHaveText(['CPU', 'Memory', 'Created'])
    await expect(card.getByRole('definition')).toHaveText([
      new RegExp(`^${default_cpu} cores?$`),
      new RegExp(
        default_memory_mb < 1024 ? `^${default_memory_mb} MB$` : `^${default_memory_mb / 1024}(\\.0)? GB$`,
      ),
      /^\w{3} \d{1,2}, \d{4}$/,
    ])
  }
})

test('a template leads to a form with it chosen', async ({ page, project: _ }) => {
  await page.goto('/templates')
  const card = page.getByRole('article', { name: 'Starter Linux' })
  await card.getByRole('link', { name: 'Use This Template' }).click()
  await expect(page).toHaveURL('/create?template=starter')
  await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
})

test('numbers and dates of a template are written the same for everybody', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [
    template('a'),
    template('b', { default_cpu: 1, default_memory_mb: 1024 }),
    template('c', { default_memory_mb: 512, created_at: '2026-01-02T12:00:00.000Z' }),
  ])
  await page.goto('/templates')
  const facts = page.getByRole('article').locator('dl')
  await expect(facts.nth(0).getByRole('definition')).toHaveText(['2 cores', '1.5 GB', 'Nov 20, 2026'])
  await expect(facts.nth(1).getByRole('definition')).toHaveText(['1 core', '1.0 GB', 'Nov 20, 2026'])
  await expect(facts.nth(2).getByRole('definition')).toHaveText(['2 cores', '512 MB', 'Jan 2, 2026'])
})

test('the catalogue that does not load can be tried again', async ({ page, user: _ }) => {
  const text = 'Failed to load templates. Please try again.'
  for (const [status, body, shown] of [
    [500, {}, text],
    [503, { message: 'The catalogue is being built.' }, `${text} The catalogue is being built.`],
    [null, {}, text],
  ] as const) {
    const { end } = await answer(page, templateApi.list, status, body)
    await page.goto('/templates')
    const alert = page.getByRole('alert')
    await expect(alert.getByRole('heading')).toHaveText('Error Loading Templates')
    await expect(alert.getByRole('paragraph')).toHaveText(shown)
    await end()
  }
  const calls = callsOf(page, templateApi.list)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
  expect(calls).toHaveLength(1)
})

test('an empty catalogue says so', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [])
  await page.goto('/templates')
  await expect(page.getByRole('heading', { name: 'No Templates Available' })).toBeVisible()
})

test('a template has its picture, or a drawing when there is none to show', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [
    template('picture', { image_url: '/picture.svg' }),
    template('broken', { image_url: '/gone.svg' }),
    template('none'),
    template('disk', { image_url: '/disk.qcow2?x=1' }),
  ])
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.route('**/picture.svg', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
    }),
  )
  await page.route('**/gone.svg', (route) => route.fulfill({ status: 404 }))
  await page.goto('/templates')
  const partOf = (id: string, part: 'img' | 'svg') =>
    page.getByRole('article', { name: `Template ${id}` }).locator(part)
  await expect(partOf('picture', 'img')).toHaveJSProperty('naturalWidth', 9)
  for (const id of ['broken', 'none', 'disk']) {
    await expect(partOf(id, 'svg')).toBeVisible()
    await expect(partOf(id, 'img')).toHaveCount(0)
  }
  expect(asked).toContain('/gone.svg')
  expect(asked).not.toContain('/disk.qcow2')
})

test('cards stand in one, two or three columns', async ({ page, user: _ }) => {
  await answer(
    page,
    templateApi.list,
    200,
    ['a', 'b', 'c'].map((id) => template(id)),
  )
  await page.goto('/templates')
  await expect(page.getByRole('article')).toHaveCount(3)
  for (const [width, columns] of [
    [375, 1],
    [800, 2],
    [1400, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    const cards = await page.getByRole('article').all()
    await expect
      .poll(
        async () => new Set(await Promise.all(cards.map(async (card) => (await card.boundingBox())?.x))).size,
      )
      .toBe(columns)
  }
})
