import type { Page } from '@playwright/test'
import { templateApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { expect, test } from './fixtures.ts'
import { answer, callsOf, hold } from './network.ts'
import { choose, toasts } from './sentences.ts'
import { startServer } from './server.ts'

const created = 'Template created successfully!'

/** Fills everything that is required. */
async function describeTemplate(page: Page, name: string): Promise<void> {
  await page.goto('/admin/templates')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Description').fill('Compiler and cargo')
  await choose(page, 'Default CPU', '4 cores')
  await choose(page, 'Default memory', '2.0 GB')
}

const submit = (page: Page) => page.getByRole('button', { name: 'Create Template' })
const previewOf = (page: Page) => page.getByRole('region', { name: 'Preview' })
const bootOf = (page: Page) => page.getByRole('region', { name: 'What VMs boot' })

test('every user has the link to the screen, also without a project', async ({ page, user: _ }) => {
  await page.goto('/projects')
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  await expect(sidebar.getByRole('heading', { name: 'Admin' })).toBeVisible()
  await sidebar.getByRole('link', { name: 'Admin' }).click()
  await expect(page).toHaveURL('/admin/templates')
  await expect(page.getByRole('heading', { level: 1, name: 'Create Template' })).toBeVisible()
})

test('a template takes exactly the sizes there are', async ({ page, user: _ }) => {
  await page.goto('/admin/templates')
  for (const [label, options] of [
    ['Default CPU', ['1 core', '2 cores', '4 cores', '8 cores', '16 cores']],
    ['Default memory', ['512 MB', '1.0 GB', '2.0 GB', '4.0 GB', '8.0 GB', '16.0 GB']],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click()
    await expect(page.getByRole('option')).toHaveText([...options])
    await page.keyboard.press('Escape')
  }
})

test('a template is sent with numbers, appears in the catalogue and becomes a VM', async ({
  page,
  sshKey: _,
  project: __,
}) => {
  const calls = callsOf(page, templateApi.create)
  await describeTemplate(page, 'Rust for VMs')
  await page.getByLabel('Image URL').fill('https://example.org/rust.svg')
  await submit(page).click()
  await expect(page).toHaveURL('/templates')
  expect(calls.map((call) => call.postDataJSON())).toEqual([
    {
      name: 'Rust for VMs',
      description: 'Compiler and cargo',
      image_url: 'https://example.org/rust.svg',
      default_cpu: 4,
      default_memory_mb: 2048,
    },
  ])
  const card = page.getByRole('article', { name: 'Rust for VMs' })
  await expect(card).toContainText('Compiler and cargo')
  await expect(card.getByRole('definition').first()).toHaveText('4 cores')
  await card.getByRole('link', { name: 'Use This Template' }).click()
  await expect(page.getByRole('combobox', { name: 'Template' })).toContainText('Rust for VMs')
  await page.getByLabel('Name', { exact: true }).fill('ferris')
  await page.getByRole('button', { name: 'Create VM' }).click()
  await page.getByRole('link', { name: 'View Details of ferris' }).click()
  await expect(page.getByRole('main')).toContainText('Rust for VMs')
  await expect(page.getByRole('main')).toContainText('4 cores')
})

test('the good news stays two seconds before the catalogue opens', async ({ page, user: _ }) => {
  await describeTemplate(page, 'Patience')
  const { letGo } = await hold(page, templateApi.create)
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await submit(page).click()
  await expect(page.getByRole('button', { name: 'Creating...' })).toHaveAttribute('aria-disabled', 'true')
  letGo()
  await expect(toasts(page).getByRole('status')).toHaveText(created)
  await expect(submit(page)).toHaveAttribute('aria-disabled', 'true')
  await page.clock.runFor(1_999)
  await expect(page).toHaveURL('/admin/templates')
  await page.clock.runFor(1)
  await expect(page).toHaveURL('/templates')
  await expect(page.getByRole('article', { name: 'Patience' })).toBeVisible()
})

test('somebody who left meanwhile is not taken back', async ({ page, user: _ }) => {
  await describeTemplate(page, 'In passing')
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await submit(page).click()
  await expect(toasts(page)).toContainText(created)
  await page.getByRole('link', { name: 'Projects' }).click()
  await expect(page).toHaveURL('/projects')
  await page.clock.runFor(10_000)
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  await expect(page).toHaveURL('/projects')
})

test('Cancel goes to the catalogue and adds nothing', async ({ page, user: _ }) => {
  await describeTemplate(page, 'Never mind')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/templates')
  await expect(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'Never mind' })).toHaveCount(0)
})

test('the form asks for what is missing, in order, and not for a picture', async ({ page, user: _ }) => {
  await page.goto('/admin/templates')
  const form = page.getByRole('form', { name: 'Create Template' })
  const says = (text: string) => expect(form.getByRole('status')).toHaveText(text)
  await says('Please enter a template name')
  await page.getByLabel('Name').fill('  ')
  await says('Please enter a template name')
  await expect(submit(page)).toHaveAttribute('aria-disabled', 'true')
  await page.getByLabel('Name').fill('Rust')
  await says('Please enter a template description')
  await page.getByLabel('Description').fill('Compiler and cargo')
  await says('Please select a valid CPU count')
  await choose(page, 'Default CPU', '1 core')
  await says('Please select a valid memory size')
  await choose(page, 'Default memory', '512 MB')
  await says('')
  await expect(submit(page)).not.toHaveAttribute('aria-disabled')
})

test('Enter in an unfinished form says at each field what is wrong with it', async ({ page, user: _ }) => {
  const calls = callsOf(page, templateApi.create)
  await page.goto('/admin/templates')
  await page.getByLabel('Image URL').fill('example')
  await page.keyboard.press('Enter')
  const described = (label: string, text: string) =>
    expect(page.getByLabel(label)).toHaveAccessibleDescription(text)
  await described('Name', 'Please enter a template name')
  await described('Description', 'Please enter a template description')
  await described('Image URL', 'Please enter a valid image URL')
  await expect(page.getByRole('alert')).toHaveText([
    'Please enter a template name',
    'Please enter a template description',
    'Please enter a valid image URL',
    'Please select a valid CPU count',
    'Please select a valid memory size',
  ])
  await expect(page.getByLabel('Name')).toBeFocused()
  await page.getByLabel('Image URL').fill('https://example.org/disk.qcow2#sha256=123')
  await described(
    'Image URL',
    'End the image URL with #sha256= and 64 hexadecimal digits, or omit the checksum',
  )
  expect(calls).toHaveLength(0)
})

test('a failure is told in the words of the server, else in our own, and keeps what was typed', async ({
  page,
  user: _,
}) => {
  await describeTemplate(page, 'Unlucky')
  for (const [status, body, text] of [
    [503, { message: 'The server has no disk space left.' }, 'The server has no disk space left.'],
    [500, {}, 'Failed to create template. Please try again.'],
    [null, {}, 'Failed to create template. Please try again.'],
  ] as const) {
    const { end } = await answer(page, templateApi.create, status, body)
    await submit(page).click()
    await end()
    await expect(page.getByRole('alert')).toHaveText(text)
  }
  await expect(page.getByLabel('Name')).toHaveValue('Unlucky')
  await submit(page).click()
  await expect(toasts(page)).toContainText(created)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('the preview is the card as users will see it, and shows a picture once its address is typed', async ({
  page,
  user: _,
}) => {
  const asked: string[] = []
  await page.route('http://pictures.test/**', (route) => {
    const url = route.request().url()
    asked.push(url)
    if (url.endsWith('/gone.svg')) return route.fulfill({ status: 404 })
    return route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
    })
  })
  const checks = callsOf(page, templateApi.checkImage)
  await describeTemplate(page, 'Pictured')
  const card = previewOf(page).getByRole('article', { name: 'Pictured' })
  await expect(card).toContainText('Compiler and cargo')
  await expect(card.getByRole('definition').first()).toHaveText('4 cores')
  await expect(card.getByRole('definition').nth(1)).toHaveText('2.0 GB')
  await expect(bootOf(page)).toContainText('VMs boot the built-in Debian image.')
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)

  const address = page.getByLabel('Image URL')
  await address.pressSequentially('http://pictures.test/rust.svg')
  await page.clock.runFor(599)
  expect(asked).toEqual([])
  await page.clock.runFor(1)
  await expect(card.locator('img')).toHaveJSProperty('naturalWidth', 9)
  expect(asked).toEqual(['http://pictures.test/rust.svg'])
  await expect(bootOf(page)).toContainText('The URL points to a picture for the card.')

  // Whoever leaves the field has typed it all. What does not load becomes the generic icon.
  await address.fill('http://pictures.test/gone.svg')
  await address.press('Tab')
  await expect.poll(() => asked.at(-1)).toBe('http://pictures.test/gone.svg')
  await expect(card.locator('img')).toHaveCount(0)
  expect(checks).toEqual([])
})

test('a boot image is looked at before the template is saved, and what VMs will boot is told', async ({
  page,
  user: _,
}) => {
  const checks = callsOf(page, templateApi.checkImage)
  await describeTemplate(page, 'Foreign')
  const address = page.getByLabel('Image URL')
  await address.fill('https://images.example.org/debian-14.qcow2')
  await address.press('Tab')
  await expect(bootOf(page)).toContainText('VMs boot debian-14.qcow2 from images.example.org.')
  await expect(bootOf(page).getByRole('definition')).toHaveText(['qcow2', '612 MB', '3.5 GB'])
  await expect(previewOf(page).getByRole('article')).toContainText('Downloaded after creation')
  expect(checks.map((call) => call.postDataJSON())).toEqual([
    { image_url: 'https://images.example.org/debian-14.qcow2' },
  ])

  const unknown = { boots: 'address', format: 'packed', download_bytes: null, disk_bytes: null }
  const packed = await answer(page, templateApi.checkImage, 200, unknown)
  await address.fill('https://images.example.org/packed.img')
  await expect(bootOf(page).getByRole('definition')).toHaveText([
    'packed',
    'Not available yet',
    'Not available yet',
  ])
  await packed.end()

  // What is refused says so at its field; that nobody could look at it is no fault of the address.
  await address.fill('https://images.example.org/fault-look.qcow2')
  await expect(address).toHaveAccessibleDescription(/^There is no file at this URL/)
  await expect(previewOf(page).getByRole('article')).toContainText('Cannot be used')
  for (const [status, body, text] of [
    [500, {}, 'The URL could not be checked. It will be checked again when you create the template.'],
    [403, { message: 'Admin access required' }, 'Admin access required'],
  ] as const) {
    const { end } = await answer(page, templateApi.checkImage, status, body)
    await address.fill(`https://images.example.org/${status}.qcow2`)
    await expect(bootOf(page)).toContainText(text)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await end()
  }
})

test('a boot image comes on the card of its template, or fails there with its reason', async ({
  page,
  user: _,
}) => {
  for (const [name, file, text] of [
    ['Foreign', 'debian-14.qcow2', 'Ready debian-14.qcow2 from images.example.org'],
    ['Hostile', 'fault-refused.qcow2', 'The image refers to another file, so it was refused (simulated).'],
  ] as const) {
    await describeTemplate(page, name)
    await page.getByLabel('Image URL').fill(`https://images.example.org/${file}`)
    await submit(page).click()
    await expect(page).toHaveURL('/templates')
    await expect(page.getByRole('article', { name })).toContainText(text)
  }
  const hostile = page.getByRole('article', { name: 'Hostile' })
  await hostile.getByRole('button', { name: 'Try again' }).click()
  await expect(hostile.getByRole('progressbar')).toBeAttached()
  await expect(hostile).toContainText('Failed')
})

test('what the server has against a field is said there', async ({ page, user: _ }) => {
  await describeTemplate(page, 'Unlucky')
  const address = page.getByLabel('Image URL')
  const { end } = await answer(page, templateApi.create, 400, {
    message: 'Two things are wrong.',
    fields: { image_url: 'The image is too large.', description: 'Somebody else says the same.' },
  })
  await submit(page).click()
  await end()
  await expect(address).toHaveAccessibleDescription('The image is too large.')
  const description = page.getByLabel('Description')
  await expect(description).toHaveAccessibleDescription('Somebody else says the same.')
  await expect(description).toBeFocused()
  await expect(page.getByRole('alert')).toHaveCount(2)

  // The address is not looked at first when it is sent at once.
  await address.fill('https://images.example.org/fault-look.img')
  await page.keyboard.press('Enter')
  await expect(address).toHaveAccessibleDescription(/^There is no file at this URL/)
  await expect(page).toHaveURL('/admin/templates')
})

test.describe('where administrators are named', () => {
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    server: async ({}, use) => {
      const server = await startServer({ SLIPWAY_ADMINS: 'grace@example.com' })
      await use(server)
      await server.stop()
    },
  })

  test('the others see the screen and are told that it is not for them', async ({ page, user: _ }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Admin' }).click()
    await describeTemplate(page, 'Not mine to add')
    await submit(page).click()
    await expect(page.getByRole('alert')).toHaveText('Admin access required')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
    await expect(page.getByRole('article', { name: 'Not mine to add' })).toHaveCount(0)
  })
})

test('the screen is accessible, empty and with all its complaints', async ({ page, user: _ }) => {
  await page.goto('/admin/templates')
  await expect(page.getByRole('combobox', { name: 'Default memory' })).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Name').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toHaveCount(4)
  await expectAccessible(page)
})
