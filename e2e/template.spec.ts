import type { Page } from '@playwright/test'
import { templateApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, hold, imageIn, makeTemplate } from './network.ts'
import { choose, dismissToasts, toasts } from './sentences.ts'

const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

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
    await expect(card.getByRole('heading')).toHaveText(name)
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
    makeTemplate('a', { default_memory_mb: 1536, created_at: '2026-11-20T23:30:00.000Z' }),
    makeTemplate('b', { default_cpu: 1, default_memory_mb: 1024 }),
    makeTemplate('c', { default_memory_mb: 512, created_at: '2026-01-02T12:00:00.000Z' }),
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
    makeTemplate('picture', { image_url: '/picture.svg' }),
    makeTemplate('broken', { image_url: '/gone.svg' }),
    makeTemplate('none'),
    makeTemplate('disk', { image_url: '/disk.qcow2?x=1' }),
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
    // The first: the state of its image has a sign as well.
    cardOf(page, id).locator(part).first()
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
    ['a', 'b', 'c'].map((name) => makeTemplate(name)),
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

test.describe('the image of a template', () => {
  test('is told with its card: which it is, how it is with it, and why it failed', async ({
    page,
    user: _,
  }) => {
    const url = 'https://images.example.org/pub/debian%2014.qcow2?daily=1'
    await answer(page, templateApi.list, 200, [
      makeTemplate('ready'),
      makeTemplate('foreign', { image_url: url }),
      makeTemplate('absent', imageIn('absent')),
      makeTemplate('away', { image_url: url, ...imageIn('absent') }),
      makeTemplate('coming', imageIn('coming', { progress: 40, message: 'Building the Go image.' })),
      makeTemplate('begun', imageIn('coming', { message: 'Waiting for its turn.' })),
      makeTemplate('failed', imageIn('failed', { message: 'The mirror did not answer.' })),
    ])
    await page.goto('/templates')
    for (const [name, ...texts] of [
      ['ready', 'Ready Built-in image'],
      ['foreign', 'Ready debian 14.qcow2 from images.example.org'],
      ['absent', 'Built at first use Built-in image'],
      ['away', 'Downloaded at first use debian 14.qcow2 from images.example.org'],
      ['coming', 'Building the Go image: 40 %. Built-in image'],
      ['begun', 'Waiting for its turn. Built-in image'],
      ['failed', 'Failed Built-in image', 'The mirror did not answer.'],
    ] as const) {
      // After the description of the template.
      const lines = cardOf(page, name).getByRole('paragraph')
      await expect(lines).toHaveText([`All about ${name}`, ...texts])
    }
    await expect(page.getByTitle(url)).toHaveCount(2)
    const bar = (name: string) => cardOf(page, name).getByRole('progressbar')
    await expect(bar('coming')).toHaveAttribute('aria-valuenow', '40')
    await expect(bar('begun')).not.toHaveAttribute('aria-valuenow')
    await expect(page.getByRole('progressbar')).toHaveCount(2)
    await expect(page.getByRole('button', { name: 'Prepare now' })).toHaveCount(2)
    await expect(page.getByRole('button', { name: 'Try again: failed' })).toBeVisible()
    await expectAccessible(page)
  })

  test('is asked about every 2 s while one is coming, and not otherwise', async ({ page, user: _ }) => {
    await page.clock.install()
    const coming = await answer(page, templateApi.list, 200, [
      makeTemplate('a'),
      makeTemplate('b', imageIn('coming', { progress: 99, message: 'Fetching it.' })),
    ])
    const calls = callsOf(page, templateApi.list)
    await page.goto('/templates')
    await expect(cardOf(page, 'b')).toContainText('Fetching it: 99 %.')
    await page.clock.pauseAt(Date.now() + 60_000)
    await expect(cardOf(page, 'b')).toContainText('Fetching it: 99 %.')
    let asked = calls.length
    await page.clock.runFor(2_000)
    await expect.poll(() => calls.length).toBe(asked + 1)
    await coming.end()
    await answer(page, templateApi.list, 200, [makeTemplate('a'), makeTemplate('b')])
    // Once more, for the call may be the last one's that is still on its way.
    await page.clock.runFor(4_000)
    await expect(cardOf(page, 'b')).toContainText('Ready')
    await expect(page.getByText('The image of b is ready')).toBeAttached()
    asked = calls.length
    await page.clock.runFor(60_000)
    expect(calls).toHaveLength(asked)
  })

  test('is prepared on request, tried again after a failure, and refused with the words of the server', async ({
    page,
    user: _,
  }) => {
    const list = [
      makeTemplate('go', imageIn('absent')),
      makeTemplate('php', imageIn('failed', { message: 'No room.' })),
    ]
    await answer(page, templateApi.list, 200, list)
    await page.goto('/templates')
    const prepare = cardOf(page, 'go').getByRole('button', { name: 'Prepare now' })
    for (const [status, body, text] of [
      [403, { message: 'Admin access required' }, 'Admin access required'],
      [500, {}, 'Failed to prepare the image of "go". Please try again.'],
      [null, {}, 'Failed to prepare the image of "go". Please try again.'],
    ] as const) {
      const { end } = await answer(page, templateApi.prepare, status, body)
      await prepare.click()
      await expect(toasts(page).getByRole('alert')).toHaveText(text)
      await dismissToasts(page)
      await end()
    }
    for (const [name, button] of [
      ['go', 'Prepare now'],
      ['php', 'Try again'],
    ] as const) {
      const begun = makeTemplate(name, imageIn('coming', { message: `Building ${name}.` }))
      const { end } = await answer(page, templateApi.prepare, 202, begun)
      const calls = callsOf(page, templateApi.prepare)
      await cardOf(page, name).getByRole('button', { name: button }).click()
      await expect(cardOf(page, name)).toContainText(`Building ${name}.`)
      expect(calls.map((call) => new URL(call.url()).pathname)).toEqual([`/api/templates/${name}/prepare`])
      await end()
    }
  })

  test('is told where a template is chosen, as long as it is not ready', async ({
    page,
    project: _,
    addDisk,
  }) => {
    await addDisk('ledger')
    await answer(page, templateApi.list, 200, [
      makeTemplate(templateId),
      makeTemplate('absent', imageIn('absent')),
      makeTemplate('coming', imageIn('coming', { progress: 7, message: 'Building the Go image.' })),
      makeTemplate('failed', imageIn('failed', { message: 'The mirror did not answer.' })),
    ])
    const texts = [
      ['absent', 'The image will be built first, which takes a few minutes.'],
      ['coming', 'Building the Go image: 7 %. VMs start once it is ready.'],
      ['failed', 'The image could not be prepared. Slipway will try again. The mirror did not answer.'],
      [templateId, ''],
    ] as const
    const expectTexts = async () => {
      for (const [name, text] of texts) {
        await choose(page, 'Template', name)
        await expect(page.getByRole('combobox', { name: 'Template' })).toHaveAccessibleDescription(text)
      }
    }
    await page.goto('/create')
    await expectTexts()
    await page.getByRole('link', { name: 'Disks', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('main').getByRole('button', { name: 'Create VM' }).click()
    await expectTexts()
  })
})
