import { type Template, templateApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer, hold } from './network.ts'

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

test('a template shows what a VM gets from it, and leads to a form with it chosen', async ({
  page,
  project: _,
}) => {
  const { letGo } = await hold(page, templateApi.list)
  await page.goto('/templates')
  await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading templates...')
  letGo()
  const card = page.getByRole('article', { name: 'Starter Linux' })
  await expect(card).toContainText('A small Linux that answers SSH within seconds')
  await expect(card.getByRole('definition')).toHaveText(['1 core', '256 MB', /^\w{3} \d{1,2}, \d{4}$/])
  await card.getByRole('link', { name: 'Use This Template' }).click()
  await expect(page).toHaveURL('/create?template=starter')
  await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Starter Linux')
})

test('numbers and dates of a template are written the same for everybody', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [template('a'), template('b', { default_memory_mb: 1024 })])
  await page.goto('/templates')
  await expect(page.getByRole('definition')).toHaveText([
    '2 cores',
    '1.5 GB',
    'Nov 20, 2026',
    '2 cores',
    '1.0 GB',
    'Nov 20, 2026',
  ])
})

test('the catalogue that does not load can be tried again', async ({ page, user: _ }) => {
  for (const [status, body, text] of [
    [503, { message: 'The catalogue is being built' }, 'The catalogue is being built'],
    [500, {}, 'Failed to load templates. Please try again.'],
  ] as const) {
    const { end } = await answer(page, templateApi.list, status, body)
    await page.goto('/templates')
    await expect(page.getByRole('alert')).toContainText('Error Loading Templates')
    await expect(page.getByRole('alert')).toContainText(text)
    await end()
  }
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
})

test('an empty catalogue says so', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [])
  await page.goto('/templates')
  await expect(page.getByRole('heading', { name: 'No Templates Available' })).toBeVisible()
})

test('a picture of a template is asked for, a boot image is not', async ({ page, user: _ }) => {
  await answer(page, templateApi.list, 200, [
    template('picture', { image_url: '/picture.svg' }),
    template('broken', { image_url: '/gone.svg' }),
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
  const failed = page.waitForEvent('response', (response) => response.url().endsWith('/gone.svg'))
  await page.route('**/gone.svg', (route) => route.fulfill({ status: 404 }))
  await page.goto('/templates')
  await failed
  await expect(page.getByRole('article')).toHaveCount(3)
  expect(asked).toContain('/picture.svg')
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
