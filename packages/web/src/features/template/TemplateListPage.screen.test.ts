import { formatCpu, formatMemory, templateApi } from '@slipway/contract'
import { imageIn, makeTemplate } from '@slipway/e2e/objects'
import { describe, expect } from 'vitest'
import { commands, page } from 'vitest/browser'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { call, choose, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import {
  expectCount,
  expectFailures,
  expectText,
  expectTexts,
  newestAlert,
} from '../../screen/shown.test-kit.ts'

const cards = page.getByRole('article')
const cardOf = (name: string) => page.getByRole('article', { name, exact: true })

test('each template is shown as the API has it', async ({ user: _ }) => {
  const { letGo } = hold(templateApi.list)
  await visit('/templates')
  await expect.element(page.getByRole('main').getByRole('status')).toHaveTextContent('Loading templates...')
  letGo()
  const templates = await call(templateApi.list, {})
  await expectCount(cards, templates.length)
  for (const [index, { name, description, default_cpu, default_memory_mb }] of templates.entries()) {
    const card = cards.nth(index)
    await expect.element(card.getByRole('heading')).toHaveTextContent(name)
    await expectText(card, description)
    await expectTexts(card.getByRole('term'), ['CPU', 'Memory', 'Created'])
    await expectTexts(card.getByRole('definition'), [
      formatCpu(default_cpu),
      formatMemory(default_memory_mb),
      // Short and American, wherever the browser is.
      expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/),
    ])
  }
})

test('the catalogue that does not load can be tried again', async ({ user: _ }) => {
  const text = 'Failed to load templates. Please try again.'
  for (const [status, body, shown] of [
    [500, {}, text],
    [503, { message: 'The catalogue is being built.' }, `${text} The catalogue is being built.`],
  ] as const) {
    const { end } = answer(templateApi.list, status, body)
    await visit('/templates')
    const alert = page.getByRole('alert')
    await expect.element(alert.getByRole('heading')).toHaveTextContent('Error Loading Templates')
    await expect.element(alert.getByRole('paragraph')).toHaveTextContent(shown)
    await end()
  }
  const calls = callsOf(templateApi.list)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect.element(cardOf('Starter Linux')).toBeVisible()
  expect(calls).toHaveLength(1)
})

test('an empty catalogue says so', async ({ user: _ }) => {
  answer(templateApi.list, 200, [])
  await visit('/templates')
  await expect.element(page.getByRole('heading', { name: 'No Templates Available' })).toBeVisible()
})

test('a template has its picture, or a drawing when there is none to show', async ({ user: _ }) => {
  const origin = 'https://pictures.test'
  await commands.servePictures(origin, {
    '/picture.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
  })
  answer(templateApi.list, 200, [
    makeTemplate('picture', { image_url: `${origin}/picture.svg` }),
    makeTemplate('broken', { image_url: `${origin}/gone.svg` }),
    makeTemplate('none'),
    makeTemplate('disk', { image_url: `${origin}/disk.qcow2?x=1` }),
  ])
  performance.clearResourceTimings()
  await visit('/templates')
  const partOf = (id: string, part: 'img' | 'svg') =>
    // The first: the state of its image has a sign as well.
    cardOf(id).query()?.querySelector(part) as HTMLImageElement | SVGElement | null
  await expect.poll(() => partOf('picture', 'img')).toHaveProperty('naturalWidth', 9)
  for (const id of ['broken', 'none', 'disk']) {
    await expect.poll(() => partOf(id, 'svg')).toBeVisible()
    await expect.poll(() => partOf(id, 'img')).toBeNull()
  }
  const asked = () => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  await expect.poll(asked).toContain('/gone.svg')
  expect(asked()).not.toContain('/disk.qcow2')
})

test('cards stand in one, two or three columns', async ({ user: _ }) => {
  answer(
    templateApi.list,
    200,
    ['a', 'b', 'c'].map((name) => makeTemplate(name)),
  )
  await visit('/templates')
  await expectCount(cards, 3)
  const columnsShown = () => new Set(cards.elements().map((card) => card.getBoundingClientRect().x)).size
  for (const [width, columns] of [
    [375, 1],
    [800, 2],
    [1400, 3],
  ] as const) {
    await page.viewport(width, 800)
    await expect.poll(columnsShown).toBe(columns)
  }
})

describe('the image of a template', () => {
  test('is told with its card: which it is, how it is with it, and why it failed', async ({ user: _ }) => {
    const url = 'https://images.example.org/pub/debian%2014.qcow2?daily=1'
    answer(templateApi.list, 200, [
      makeTemplate('ready'),
      makeTemplate('foreign', { image_url: url }),
      makeTemplate('absent', imageIn('absent')),
      makeTemplate('away', { image_url: url, ...imageIn('absent') }),
      makeTemplate('coming', imageIn('coming', { progress: 40, message: 'Building the Go image.' })),
      makeTemplate('begun', imageIn('coming', { message: 'Waiting for its turn.' })),
      makeTemplate('failed', imageIn('failed', { message: 'The mirror did not answer.' })),
    ])
    await visit('/templates')
    for (const [name, ...lines] of [
      ['ready', 'Ready Built-in image'],
      ['foreign', 'Ready debian 14.qcow2 from images.example.org'],
      ['absent', 'Built at first use Built-in image'],
      ['away', 'Downloaded at first use debian 14.qcow2 from images.example.org'],
      ['coming', 'Building the Go image: 40 %. Built-in image'],
      ['begun', 'Waiting for its turn. Built-in image'],
      ['failed', 'Failed Built-in image', 'The mirror did not answer.'],
    ] as const) {
      // After the description of the template.
      await expectTexts(cardOf(name).getByRole('paragraph'), [`All about ${name}`, ...lines])
    }
    expect(page.getByTitle(url).elements()).toHaveLength(2)
    const bar = (name: string) => cardOf(name).getByRole('progressbar')
    await expect.element(bar('coming')).toHaveAttribute('aria-valuenow', '40')
    await expect.element(bar('begun')).not.toHaveAttribute('aria-valuenow')
    expect(page.getByRole('progressbar').elements()).toHaveLength(2)
    expect(page.getByRole('button', { name: /^Prepare now/ }).elements()).toHaveLength(2)
    await expect.element(page.getByRole('button', { name: 'Try again: failed' })).toBeVisible()
  })

  test('is asked about every 2 s while one is coming, and not otherwise', async ({ user: _ }) => {
    await stopClock()
    holdClock()
    const coming = answer(templateApi.list, 200, [
      makeTemplate('a'),
      makeTemplate('b', imageIn('coming', { progress: 99, message: 'Fetching it.' })),
    ])
    const calls = callsOf(templateApi.list)
    await visit('/templates')
    await expectText(cardOf('b'), 'Fetching it: 99 %.')
    let asked = calls.length
    await passTime(2_000)
    await expect.poll(() => calls.length).toBe(asked + 1)
    await coming.end()
    answer(templateApi.list, 200, [makeTemplate('a'), makeTemplate('b')])
    const later = callsOf(templateApi.list)
    // Once more, for the call may be the last one's that is still on its way.
    await passTime(4_000)
    await expectText(cardOf('b'), 'Ready')
    await expect.element(page.getByText('The image of b is ready')).toBeInTheDocument()
    asked = later.length
    await passTime(60_000)
    expect(later).toHaveLength(asked)
  })

  test('is prepared on request, tried again after a failure, and refused with the words of the server', async ({
    user: _,
  }) => {
    answer(templateApi.list, 200, [
      makeTemplate('go', imageIn('absent')),
      makeTemplate('php', imageIn('failed', { message: 'No room.' })),
    ])
    await visit('/templates')
    const buttonOf = (name: string, text: RegExp) => cardOf(name).getByRole('button', { name: text })
    await expectFailures(
      templateApi.prepare,
      () => buttonOf('go', /^Prepare now/).click(),
      'Failed to prepare the image of "go". Please try again.',
      (text) => expect.element(newestAlert()).toHaveTextContent(text),
    )
    for (const [name, text] of [
      ['go', /^Prepare now/],
      ['php', /^Try again/],
    ] as const) {
      const begun = makeTemplate(name, imageIn('coming', { message: `Building ${name}.` }))
      const { end } = answer(templateApi.prepare, 202, begun)
      const calls = callsOf(templateApi.prepare)
      await buttonOf(name, text).click()
      await expectText(cardOf(name), `Building ${name}.`)
      expect(calls.map(({ path }) => path)).toEqual([`/api/templates/${name}/prepare`])
      await end()
    }
  })

  test('is told where a template is chosen, as long as it is not ready', async ({ project: _, addDisk }) => {
    await addDisk('ledger')
    answer(templateApi.list, 200, [makeTemplate(templateId), makeTemplate('absent', imageIn('absent'))])
    const told = [
      ['absent', 'The image will be built first, which takes a few minutes.'],
      [templateId, ''],
    ] as const
    const expectTold = async () => {
      for (const [name, text] of told) {
        await choose('Template', new RegExp(`^${name}`))
        await expect
          .element(page.getByRole('combobox', { name: 'Template' }))
          .toHaveAccessibleDescription(text)
      }
    }
    await visit('/create')
    await expectTold()
    await page.getByRole('link', { name: 'Disks' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Create VM/ })
      .click()
    await expectTold()
  })
})
