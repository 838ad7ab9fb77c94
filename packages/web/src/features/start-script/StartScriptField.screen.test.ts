import { startScriptTexts, templateApi, vmApi, vmPoolApi } from '@slipway/contract'
import { vmPoolCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { callsOf } from '../../screen/network.test-kit.ts'
import { address, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { script, startScriptSection } from './start-script.test-kit.ts'

const scriptField = page.getByLabelText('Script', { exact: true })
const submit = page.getByRole('button', { name: 'Create VM' })
const part = { exact: false }
const unfold = () => page.getByText('Start script (optional)', part).click()

async function openForm(): Promise<void> {
  await visit(`/create?template=${templateId}`)
  await page.getByLabelText('Name', { exact: true }).fill('loom')
  await expect.element(scriptField).not.toBeVisible()
  await unfold()
}

describe('a start script', () => {
  test('is typed in the form, which says at the field what is wrong, and is sent as it is', async ({
    project: _,
    sshKey: __,
  }) => {
    const calls = callsOf(vmApi.create)
    await openForm()
    await expect.element(page.getByText('0 bytes of 64 kB', part)).toBeVisible()
    await expect
      .element(page.getByText('Operators of the project and the guest itself can read it', part))
      .toBeVisible()
    await expectAccessible()
    await scriptField.fill('echo é')
    await expect.element(page.getByText('7 bytes of 64 kB', part)).toBeVisible()
    await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.form)
    await expect.element(submit).toBeDisabled()
    await expectAccessible()
    await scriptField.fill('#cloud-config\npackages: [nginx]\n')
    await submit.click()
    await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.noCloudInit)
    await scriptField.fill(script)
    await submit.click()
    await expect.poll(address).toBe('/')
    expect(calls.at(-1)?.body).toMatchObject({ name: 'loom', start_script: script })
  })

  test('comes from a file, unless that is too large', async ({ project: _, sshKey: __ }) => {
    await openForm()
    const file = page.getByLabelText('Start script file')
    await userEvent.upload(file, new File([script], 'up.sh', { type: 'text/plain' }))
    await expect.element(scriptField).toHaveValue(script)
    await userEvent.upload(file, new File(['x'.repeat(65_537)], 'disk', { type: 'text/plain' }))
    await expect
      .element(page.getByRole('alert').filter({ hasText: startScriptTexts.tooLarge }).first())
      .toBeVisible()
    await expect.element(scriptField).toHaveValue(script)
  })

  test('is kept while one looks after the keys', async ({ project: _ }) => {
    await openForm()
    await scriptField.fill(script)
    await page.getByRole('link', { name: 'Manage SSH Keys' }).click()
    await expect.poll(address).toBe('/ssh-keys')
    history.back()
    await expect.element(scriptField).toHaveValue(script)
  })
})

test('a start script is taken for all VMs of a pool', async ({ project, sshKey: _ }) => {
  const calls = callsOf(vmPoolApi.create)
  await visit(`${vmPoolCreatePath(project.id)}?template=${templateId}`)
  await unfold()
  await scriptField.fill('echo')
  await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.form)
  await scriptField.fill(script)
  await expectAccessible()
  await page.getByLabelText('Pool name').fill('crew')
  await page.getByRole('button', { name: 'Create VM Pool' }).click()
  await expect.poll(() => calls.length).toBe(1)
  expect(calls[0]?.body).toMatchObject({ name: 'crew', start_script: script })
})

test('a start script of a template runs in VMs that have none of their own', async ({
  project,
  sshKey: _,
}) => {
  const scripted = '#!/bin/sh\necho Of the template\n'
  const added = callsOf(templateApi.create)
  await visit('/admin/templates')
  await page.getByLabelText('Name', { exact: true }).fill('Weaver')
  await page.getByLabelText('Description').fill('With a loom')
  for (const [label, option] of [
    ['Default CPU', '1 core'],
    ['Default memory', '512 MB'],
  ] as const) {
    await page.getByRole('combobox', { name: label, exact: false }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await unfold()
  await expect.element(page.getByText('Every user of this installation can read it', part)).toBeVisible()
  await scriptField.fill('echo')
  await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.form)
  await expect.element(page.getByRole('button', { name: 'Create Template' })).toBeDisabled()
  await expectAccessible()
  const marked = page.getByText('Includes a start script', part)
  await scriptField.fill(' ')
  await expect.poll(() => marked.elements()).toHaveLength(0)
  await scriptField.fill(scripted)
  await expect
    .element(page.getByRole('region', { name: 'Preview' }).getByText('Includes a start script', part))
    .toBeVisible()
  await page.getByRole('button', { name: 'Create Template' }).click()
  await expect.poll(address).toBe('/templates')
  expect(added.at(-1)?.body).toMatchObject({ name: 'Weaver', start_script: scripted })

  const card = page.getByRole('article', { name: 'Weaver' })
  await expect.element(card.getByText('Includes a start script', part)).toBeVisible()
  await expect.poll(() => marked.elements()).toHaveLength(1)
  const calls = callsOf(vmApi.create)
  await card.getByRole('link', { name: 'Use This Template', exact: false }).click()
  await expect.element(page.getByText('The template Weaver has a start script', part)).toBeVisible()
  await page.getByText('Show the script of the template', part).click()
  await expect
    .element(page.getByRole('region', { name: 'Script of the template' }))
    .toMatchTextContent('echo Of the template')
  await expectAccessible()
  await unfold()
  await scriptField.fill(script)
  await expect.element(page.getByText('The script below runs instead', part)).toBeVisible()
  await scriptField.fill('')
  await page.getByLabelText('Name', { exact: true }).fill('shuttle')
  await submit.click()
  await page.getByRole('link', { name: 'View Details of shuttle' }).click()
  expect(calls.at(-1)?.body).not.toHaveProperty('start_script')
  await expect
    .element((await startScriptSection()).getByRole('region', { name: 'Output' }))
    .toMatchTextContent('Of the template')

  await visit(vmPoolCreatePath(project.id))
  await page.getByRole('combobox', { name: 'Template', exact: false }).click()
  const option = page.getByRole('option', { name: 'Weaver', exact: false })
  await expect.element(option).toMatchTextContent('1 core, 512 MB, start script')
  await expect
    .poll(() => page.getByRole('option').filter({ hasText: 'start script' }).elements())
    .toHaveLength(1)
  await option.click()
  await expect.element(page.getByText('The template Weaver has a start script', part)).toBeVisible()
  await expectAccessible()
})
