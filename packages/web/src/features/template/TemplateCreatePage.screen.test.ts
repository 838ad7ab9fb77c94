import { templateApi } from '@slipway/contract'
import { expect } from 'vitest'
import { commands, page, userEvent } from 'vitest/browser'
import { passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { address, choose, follow, press, test, visit } from '../../screen/screen.test-kit.ts'
import {
  expectCount,
  expectFailures,
  expectText,
  expectTexts,
  expectToast,
  toasts,
} from '../../screen/shown.test-kit.ts'
import { describeTemplate, submit } from './template-create.test-kit.ts'

const created = 'Template created successfully!'
const previewOf = () => page.getByRole('region', { name: 'Preview' })
const bootOf = () => page.getByRole('region', { name: 'What VMs boot' })

test('every user has the link to the screen, also without a project', async ({ user: _ }) => {
  await visit('/projects')
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
  await expect.element(sidebar.getByRole('heading', { name: 'Admin' })).toBeVisible()
  await follow(sidebar.getByRole('link', { name: 'Admin' }), '/admin/templates')
  await expect.element(page.getByRole('heading', { level: 1, name: 'Create Template' })).toBeVisible()
})

test('a template takes exactly the sizes there are', async ({ user: _ }) => {
  await visit('/admin/templates')
  for (const [label, options] of [
    ['Default CPU', ['1 core', '2 cores', '4 cores', '8 cores', '16 cores']],
    ['Default memory', ['512 MB', '1.0 GB', '2.0 GB', '4.0 GB', '8.0 GB', '16.0 GB']],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click()
    await expectTexts(page.getByRole('option'), [...options])
    await userEvent.keyboard('{Escape}')
  }
})

test('a template is sent with numbers, appears in the catalogue and becomes a VM', async ({
  sshKey: _,
  project: __,
}) => {
  const calls = callsOf(templateApi.create)
  await describeTemplate('Rust for VMs')
  await page.getByLabelText('Image URL').fill('https://example.org/rust.svg')
  await submit().click()
  await expect.poll(address).toBe('/templates')
  expect(calls.map(({ body }) => body)).toEqual([
    {
      name: 'Rust for VMs',
      description: 'Compiler and cargo',
      image_url: 'https://example.org/rust.svg',
      default_cpu: 4,
      default_memory_mb: 2048,
    },
  ])
  const card = page.getByRole('article', { name: 'Rust for VMs' })
  await expectText(card, 'Compiler and cargo')
  await expect.element(card.getByRole('definition').first()).toHaveTextContent('4 cores')
  await card.getByRole('link', { name: 'Use This Template: Rust for VMs' }).click()
  await expectText(page.getByRole('combobox', { name: 'Template' }), 'Rust for VMs')
  await page.getByLabelText('Name', { exact: true }).fill('ferris')
  await page.getByRole('button', { name: 'Create VM' }).click()
  await page.getByRole('link', { name: 'View Details of ferris' }).click()
  await expectText(page.getByRole('main'), 'Rust for VMs', '4 cores')
})

test('the good news stays two seconds before the catalogue opens', async ({ user: _ }) => {
  await describeTemplate('Patience')
  const { letGo } = hold(templateApi.create)
  await stopClock()
  await submit().click()
  await expect
    .element(page.getByRole('button', { name: 'Creating...' }))
    .toHaveAttribute('aria-disabled', 'true')
  letGo()
  await expectToast(created)
  await expect.element(submit()).toHaveAttribute('aria-disabled', 'true')
  await passTime(1_999)
  await expect.poll(address).toBe('/admin/templates')
  await passTime(1)
  await expect.poll(address).toBe('/templates')
  await expect.element(page.getByRole('article', { name: 'Patience' })).toBeVisible()
})

test('somebody who left meanwhile is not taken back', async ({ user: _ }) => {
  await describeTemplate('In passing')
  await stopClock()
  await submit().click()
  await expectText(toasts(), created)
  await follow(page.getByRole('link', { name: 'Projects' }), '/projects')
  await passTime(10_000)
  await expect.element(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  await expect.poll(address).toBe('/projects')
})

test('Cancel goes to the catalogue and adds nothing', async ({ user: _ }) => {
  await describeTemplate('Never mind')
  await follow(page.getByRole('link', { name: 'Cancel' }), '/templates')
  await expect.element(page.getByRole('article', { name: 'Starter Linux' })).toBeVisible()
  await expectCount(page.getByRole('article', { name: 'Never mind' }), 0)
})

test('the form asks for what is missing, in order, and not for a picture', async ({ user: _ }) => {
  await visit('/admin/templates')
  const form = page.getByRole('form', { name: 'Create Template' })
  const says = (text: string) => expect.element(form.getByRole('status')).toHaveTextContent(text)
  await says('Please enter a template name')
  await expect.element(submit()).toHaveAttribute('aria-disabled', 'true')
  await page.getByLabelText('Name').fill('Rust')
  await says('Please enter a template description')
  await page.getByLabelText('Description').fill('Compiler and cargo')
  await says('Please select a valid CPU count')
  await choose('Default CPU', '1 core')
  await says('Please select a valid memory size')
  await choose('Default memory', '512 MB')
  await says('')
  await expect.element(submit()).not.toHaveAttribute('aria-disabled')
})

test('Enter in an unfinished form says at each field what is wrong with it', async ({ user: _ }) => {
  const calls = callsOf(templateApi.create)
  await visit('/admin/templates')
  await page.getByLabelText('Image URL').fill('example')
  await userEvent.keyboard('{Enter}')
  const described = (label: string, text: string) =>
    expect.element(page.getByLabelText(label)).toHaveAccessibleDescription(text)
  await described('Name', 'Please enter a template name')
  await described('Description', 'Please enter a template description')
  await described('Image URL', 'Please enter a valid image URL')
  await expectTexts(page.getByRole('alert'), [
    'Please enter a template name',
    'Please enter a template description',
    'Please enter a valid image URL',
    'Please select a valid CPU count',
    'Please select a valid memory size',
  ])
  await expect.element(page.getByLabelText('Name')).toHaveFocus()
  await page.getByLabelText('Image URL').fill('https://example.org/disk.qcow2#sha256=123')
  await described(
    'Image URL',
    'End the image URL with #sha256= and 64 hexadecimal digits, or omit the checksum',
  )
  expect(calls).toHaveLength(0)
})

test('a failure is told in the words of the server, else in our own, and keeps what was typed', async ({
  user: _,
}) => {
  await describeTemplate('Unlucky')
  await expectFailures(
    templateApi.create,
    () => submit().click(),
    'Failed to create template. Please try again.',
    (text) => expect.element(page.getByRole('alert')).toHaveTextContent(text),
  )
  await expect.element(page.getByLabelText('Name')).toHaveValue('Unlucky')
  await submit().click()
  await expectText(toasts(), created)
  await expectCount(page.getByRole('alert'), 0)
})

test('the preview is the card as users will see it, and shows a picture once its address is typed', async ({
  user: _,
}) => {
  const rust = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'
  await commands.servePictures('http://pictures.test', { '/rust.svg': rust })
  const asked = () => commands.askedPictures('http://pictures.test')
  const checks = callsOf(templateApi.checkImage)
  await describeTemplate('Pictured')
  const card = previewOf().getByRole('article', { name: 'Pictured' })
  const picture = () => card.element().querySelector('img')
  await expectText(card, 'Compiler and cargo')
  await expect.element(card.getByRole('definition').first()).toHaveTextContent('4 cores')
  await expect.element(card.getByRole('definition').nth(1)).toHaveTextContent('2.0 GB')
  await expectText(bootOf(), 'VMs boot the built-in Debian image.')
  await stopClock()

  const field = page.getByLabelText('Image URL')
  await userEvent.type(field, 'http://pictures.test/rust.svg')
  await passTime(599)
  expect(picture()).toBeNull()
  expect(await asked()).toEqual([])
  await passTime(1)
  await expect.poll(() => picture()?.naturalWidth).toBe(9)
  expect(await asked()).toEqual(['http://pictures.test/rust.svg'])
  await expectText(bootOf(), 'The URL points to a picture for the card.')

  // Whoever leaves the field has typed it all. What does not load becomes the generic icon.
  await field.fill('http://pictures.test/gone.svg')
  await press(field, '{Tab}')
  await expect.poll(async () => (await asked()).at(-1)).toBe('http://pictures.test/gone.svg')
  await expect.poll(picture).toBeNull()
  expect(checks).toEqual([])
})

test('a boot image is looked at before the template is saved, and what VMs will boot is told', async ({
  user: _,
}) => {
  const checks = callsOf(templateApi.checkImage)
  await describeTemplate('Foreign')
  const field = page.getByLabelText('Image URL')
  await field.fill('https://images.example.org/debian-14.qcow2')
  await press(field, '{Tab}')
  await expectText(bootOf(), 'VMs boot debian-14.qcow2 from images.example.org.')
  await expectTexts(bootOf().getByRole('definition'), ['qcow2', '612 MB', '3.5 GB'])
  await expectText(previewOf().getByRole('article'), 'Downloaded after creation')
  expect(checks.map(({ body }) => body)).toEqual([
    { image_url: 'https://images.example.org/debian-14.qcow2' },
  ])

  const unknown = { boots: 'address', format: 'packed', download_bytes: null, disk_bytes: null }
  const packed = answer(templateApi.checkImage, 200, unknown)
  await field.fill('https://images.example.org/packed.img')
  await expectTexts(bootOf().getByRole('definition'), ['packed', 'Not available yet', 'Not available yet'])
  await packed.end()

  // What is refused says so at its field; that nobody could look at it is no fault of the address.
  await field.fill('https://images.example.org/fault-look.qcow2')
  await expect.element(field).toHaveAccessibleDescription(/^There is no file at this URL/)
  await expectText(previewOf().getByRole('article'), 'Cannot be used')
  for (const [status, body, text] of [
    [500, {}, 'The URL could not be checked. It will be checked again when you create the template.'],
    [403, { message: 'Admin access required' }, 'Admin access required'],
  ] as const) {
    const { end } = answer(templateApi.checkImage, status, body)
    await field.fill(`https://images.example.org/${status}.qcow2`)
    await expectText(bootOf(), text)
    await expectCount(page.getByRole('alert'), 0)
    await end()
  }
})

test('a boot image comes on the card of its template, or fails there with its reason', async ({
  user: _,
}) => {
  for (const [name, file, text] of [
    ['Foreign', 'debian-14.qcow2', 'Ready debian-14.qcow2 from images.example.org'],
    ['Hostile', 'fault-refused.qcow2', 'The image refers to another file, so it was refused (simulated).'],
  ] as const) {
    await describeTemplate(name)
    await page.getByLabelText('Image URL').fill(`https://images.example.org/${file}`)
    await submit().click()
    await expect.poll(address).toBe('/templates')
    await expectText(page.getByRole('article', { name }), text)
  }
  const hostile = page.getByRole('article', { name: 'Hostile' })
  await hostile.getByRole('button', { name: /^Try again/ }).click()
  await expect.element(hostile.getByRole('progressbar')).toBeInTheDocument()
  await expectText(hostile, 'Failed')
})

test('what the server has against a field is said there', async ({ user: _ }) => {
  await describeTemplate('Unlucky')
  const field = page.getByLabelText('Image URL')
  const { end } = answer(templateApi.create, 400, {
    message: 'Two things are wrong.',
    fields: { image_url: 'The image is too large.', description: 'Somebody else says the same.' },
  })
  await submit().click()
  await end()
  await expect.element(field).toHaveAccessibleDescription('The image is too large.')
  const description = page.getByLabelText('Description')
  await expect.element(description).toHaveAccessibleDescription('Somebody else says the same.')
  await expect.element(description).toHaveFocus()
  await expectCount(page.getByRole('alert'), 2)

  // The address is not looked at first when it is sent at once.
  await field.fill('https://images.example.org/fault-look.img')
  await userEvent.keyboard('{Enter}')
  await expect.element(field).toHaveAccessibleDescription(/^There is no file at this URL/)
  await expect.poll(address).toBe('/admin/templates')
})
