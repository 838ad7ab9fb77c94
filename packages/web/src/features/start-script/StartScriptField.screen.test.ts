import { startScriptTexts, templateApi, vmApi, vmPoolApi } from '@slipway/contract'
import { vmPoolCreatePath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { callsOf } from '../../screen/network.test-kit.ts'
import { address, follow, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, said } from '../../screen/shown.test-kit.ts'
import { describeTemplate } from '../template/template-create.test-kit.ts'
import { script, startScriptSection } from './start-script.test-kit.ts'

const scriptField = page.getByLabelText('Script', { exact: true })
const submit = page.getByRole('button', { name: 'Create VM' })
const unfold = () => said('Start script (optional)').click()

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
    await expect.element(said('0 bytes of 64 kB')).toBeVisible()
    await expect.element(said('Operators of the project and the guest itself can read it')).toBeVisible()
    await scriptField.fill('echo é')
    await expect.element(said('7 bytes of 64 kB')).toBeVisible()
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
})

test('a start script is taken for all VMs of a pool', async ({ project, sshKey: _ }) => {
  const calls = callsOf(vmPoolApi.create)
  await visit(`${vmPoolCreatePath(project.id)}?template=${templateId}`)
  await unfold()
  await scriptField.fill('echo')
  await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.form)
  await scriptField.fill(script)
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
  await describeTemplate('Weaver')
  await unfold()
  await expect.element(said('Every user of this installation can read it')).toBeVisible()
  await scriptField.fill('echo')
  await expect.element(scriptField).toHaveAccessibleDescription(startScriptTexts.form)
  await expect.element(page.getByRole('button', { name: 'Create Template' })).toBeDisabled()
  const marked = said('Includes a start script')
  await scriptField.fill(' ')
  await expectCount(marked, 0)
  await scriptField.fill(scripted)
  await expect
    .element(
      page.getByRole('region', { name: 'Preview' }).getByText('Includes a start script', { exact: false }),
    )
    .toBeVisible()
  await follow(page.getByRole('button', { name: 'Create Template' }), '/templates')
  expect(added.at(-1)?.body).toMatchObject({ name: 'Weaver', start_script: scripted })

  const card = page.getByRole('article', { name: 'Weaver' })
  await expect.element(card.getByText('Includes a start script', { exact: false })).toBeVisible()
  await expectCount(marked, 1)
  const calls = callsOf(vmApi.create)
  await card.getByRole('link', { name: 'Use This Template', exact: false }).click()
  await expect.element(said('The template Weaver has a start script')).toBeVisible()
  await said('Show the script of the template').click()
  await expectText(page.getByRole('region', { name: 'Script of the template' }), 'echo Of the template')
  await expectAccessible()
  await unfold()
  await scriptField.fill(script)
  await expect.element(said('The script below runs instead')).toBeVisible()
  await scriptField.fill('')
  await page.getByLabelText('Name', { exact: true }).fill('shuttle')
  await submit.click()
  await page.getByRole('link', { name: 'View Details of shuttle' }).click()
  expect(calls.at(-1)?.body).not.toHaveProperty('start_script')
  await expectText((await startScriptSection()).getByRole('region', { name: 'Output' }), 'Of the template')

  await visit(vmPoolCreatePath(project.id))
  await page.getByRole('combobox', { name: 'Template', exact: false }).click()
  const option = page.getByRole('option', { name: 'Weaver', exact: false })
  await expectText(option, '4 cores, 2.0 GB, start script')
  await expectCount(page.getByRole('option').filter({ hasText: 'start script' }), 1)
  await option.click()
  await expect.element(said('The template Weaver has a start script')).toBeVisible()
})
