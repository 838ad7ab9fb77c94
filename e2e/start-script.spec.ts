import type { Page } from '@playwright/test'
import { startScriptTexts, templateApi, vmApi, vmPoolApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { copied } from './clipboard.ts'
import { expect, templateId, test } from './fixtures.ts'
import { callsOf } from './network.ts'
import { vmPath } from './paths.ts'

const script = '#!/bin/sh\necho Spinning up\nexit 3\n'

const scriptOf = (page: Page) => page.getByLabel('Script', { exact: true })
const submitOf = (page: Page) => page.getByRole('button', { name: 'Create VM' })
const sectionOf = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Start script' }) })

async function openForm(page: Page): Promise<void> {
  await page.goto(`/create?template=${templateId}`)
  await page.getByLabel('Name', { exact: true }).fill('loom')
  await expect(scriptOf(page)).toBeHidden()
  await page.getByText('Start script (optional)').click()
}

test.describe('a start script', () => {
  test('is typed in the form, which says at the field what is wrong, and is sent as it is', async ({
    page,
    project: _,
    sshKey: __,
  }) => {
    const calls = callsOf(page, vmApi.create)
    await openForm(page)
    await expect(page.getByText('0 bytes of 64 kB')).toBeVisible()
    await expect(page.getByText('Operators of the project and the guest itself can read it')).toBeVisible()
    await expectAccessible(page)
    await scriptOf(page).fill('echo é')
    await expect(page.getByText('7 bytes of 64 kB')).toBeVisible()
    await expect(scriptOf(page)).toHaveAccessibleDescription(startScriptTexts.form)
    await expect(submitOf(page)).toBeDisabled()
    await expectAccessible(page)
    await scriptOf(page).fill('#cloud-config\npackages: [nginx]\n')
    await submitOf(page).click()
    await expect(scriptOf(page)).toHaveAccessibleDescription(startScriptTexts.noCloudInit)
    await scriptOf(page).fill(script)
    await submitOf(page).click()
    await expect(page).toHaveURL('/')
    expect(calls.at(-1)?.postDataJSON()).toMatchObject({ name: 'loom', start_script: script })
  })

  test('comes from a file, unless that is too large', async ({ page, project: _, sshKey: __ }) => {
    await openForm(page)
    const file = page.getByLabel('Start script file')
    await file.setInputFiles({ name: 'up.sh', mimeType: 'text/plain', buffer: Buffer.from(script) })
    await expect(scriptOf(page)).toHaveValue(script)
    await file.setInputFiles({ name: 'disk', mimeType: 'text/plain', buffer: Buffer.alloc(65_537, 'x') })
    await expect(page.getByRole('alert').filter({ hasText: startScriptTexts.tooLarge }).first()).toBeVisible()
    await expect(scriptOf(page)).toHaveValue(script)
  })

  test('is kept while one looks after the keys', async ({ page, project: _ }) => {
    await openForm(page)
    await scriptOf(page).fill(script)
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect(page).toHaveURL('/ssh-keys')
    await page.goBack()
    await expect(scriptOf(page)).toHaveValue(script)
  })

  test('has run once, and its page shows how it ended and what it printed', async ({ page, makeVm }) => {
    const vm = await makeVm('loom', undefined, { start_script: script })
    await page.goto(vmPath(vm))
    const section = sectionOf(page)
    await expect(section.getByRole('status')).toHaveText(/^Failed *Exit code 3/)
    await expect(section.getByRole('region', { name: 'Output' })).toContainText('Spinning up')
    await section.getByRole('button', { name: 'Copy the output' }).click()
    expect(await copied(page)).toBe('Spinning up\n')
    await section.getByText('Show the script').click()
    await expect(section.getByRole('region', { name: 'Script' })).toContainText('echo Spinning up')
    await expectAccessible(page)
  })

  test('is not there where none was given', async ({ page, makeVm }) => {
    await page.goto(vmPath(await makeVm('loom', 'running')))
    await expect(page.getByRole('heading', { name: 'Last start' })).toBeVisible()
    await expect(sectionOf(page)).toHaveCount(0)
  })
})

test('a start script is taken for all VMs of a pool', async ({ page, project, sshKey: _ }) => {
  const calls = callsOf(page, vmPoolApi.create)
  await page.goto(`/projects/${project.id}/vmpools/create?template=${templateId}`)
  await page.getByText('Start script (optional)').click()
  await scriptOf(page).fill('echo')
  await expect(scriptOf(page)).toHaveAccessibleDescription(startScriptTexts.form)
  await scriptOf(page).fill(script)
  await expectAccessible(page)
  await page.getByLabel('Pool Name').fill('crew')
  await page.getByRole('button', { name: 'Create VM Pool' }).click()
  await expect.poll(() => calls.length).toBe(1)
  expect(calls[0]?.postDataJSON()).toMatchObject({ name: 'crew', start_script: script })
})

test('a start script of a template runs in VMs that have none of their own', async ({
  page,
  project,
  sshKey: _,
}) => {
  const scripted = '#!/bin/sh\necho Of the template\n'
  const added = callsOf(page, templateApi.create)
  await page.goto('/admin/templates')
  await page.getByLabel('Name').fill('Weaver')
  await page.getByLabel('Description').fill('With a loom')
  for (const [label, option] of [
    ['Default CPU', '1 core'],
    ['Default memory', '512 MB'],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.getByText('Start script (optional)').click()
  await expect(page.getByText('Every user of this installation can read it')).toBeVisible()
  await scriptOf(page).fill('echo')
  await expect(scriptOf(page)).toHaveAccessibleDescription(startScriptTexts.form)
  await expect(page.getByRole('button', { name: 'Create Template' })).toBeDisabled()
  await expectAccessible(page)
  const marked = 'Includes a start script'
  await scriptOf(page).fill(' ')
  await expect(page.getByText(marked)).toHaveCount(0)
  await scriptOf(page).fill(scripted)
  await expect(page.getByRole('region', { name: 'Preview' }).getByText(marked)).toBeVisible()
  await page.getByRole('button', { name: 'Create Template' }).click()
  await expect(page).toHaveURL('/templates')
  expect(added.at(-1)?.postDataJSON()).toMatchObject({ name: 'Weaver', start_script: scripted })

  const card = page.getByRole('article', { name: 'Weaver' })
  await expect(card.getByText(marked)).toBeVisible()
  await expect(page.getByText(marked)).toHaveCount(1)
  const calls = callsOf(page, vmApi.create)
  await card.getByRole('link', { name: 'Use This Template' }).click()
  await expect(page.getByText('The template Weaver has a start script')).toBeVisible()
  await page.getByText('Show the script of the template').click()
  await expect(page.getByRole('region', { name: 'Script of the template' })).toContainText(
    'echo Of the template',
  )
  await expectAccessible(page)
  await page.getByText('Start script (optional)').click()
  await scriptOf(page).fill(script)
  await expect(page.getByText('The script below runs instead')).toBeVisible()
  await scriptOf(page).fill('')
  await page.getByLabel('Name', { exact: true }).fill('shuttle')
  await submitOf(page).click()
  await page.getByRole('link', { name: 'View Details of shuttle' }).click()
  expect(calls.at(-1)?.postDataJSON()).not.toHaveProperty('start_script')
  await expect(sectionOf(page).getByRole('region', { name: 'Output' })).toContainText('Of the template')

  await page.goto(`/projects/${project.id}/vmpools/create`)
  await page.getByRole('combobox', { name: 'Template' }).click()
  const option = page.getByRole('option', { name: 'Weaver' })
  await expect(option).toContainText('1 core, 512 MB, start script')
  await expect(page.getByRole('option').filter({ hasText: 'start script' })).toHaveCount(1)
  await option.click()
  await expect(page.getByText('The template Weaver has a start script')).toBeVisible()
  await expectAccessible(page)
})
