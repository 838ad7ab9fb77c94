/** What pools and sets do alike, each in its own words. */
import { vmPoolApi, vmSetApi } from '@slipway/contract'
import { makeVmPool, makeVmSet } from '@slipway/e2e/objects'
import {
  vmPoolCreatePath,
  vmPoolListPath,
  vmPoolPath,
  vmSetCreatePath,
  vmSetListPath,
  vmSetPath,
} from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf } from '../../screen/network.test-kit.ts'
import { address, call, follow, reload, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectBusy, expectFailures, expectText } from '../../screen/shown.test-kit.ts'
import { agree, alertOf, submitOf } from './vm-group.test-kit.ts'

const groups = [
  {
    noun: 'VM Pool',
    api: vmPoolApi,
    make: makeVmPool,
    listPathOf: vmPoolListPath,
    createPathOf: vmPoolCreatePath,
    pathOf: vmPoolPath,
    label: /^Pool name/,
    fresh: { min_size: 1, max_size: 3, desired_size: 1, persistent: true, auto_scaling: true },
    numbers: { 'Min size': 1, 'Desired size': 1, 'Max size': 3 },
    boxes: ['Auto scaling', 'Persistent storage'],
    created: 'VM Pool "web" created successfully with SSH key configured!',
    notCreated: 'Failed to create VM Pool. Please try again.',
    notLoaded: 'Failed to load VM Pool data. Please try again.',
  },
  {
    noun: 'VM Set',
    api: vmSetApi,
    make: makeVmSet,
    listPathOf: vmSetListPath,
    createPathOf: vmSetCreatePath,
    pathOf: vmSetPath,
    label: /^Name/,
    fresh: { replicas: 2, persistent: true },
    numbers: { 'Number of replicas': 2 },
    boxes: ['Persistent storage'],
    created: 'VM Set "web" created successfully with SSH key configured!',
    notCreated: 'Failed to create VM Set. Please try again.',
    notLoaded: 'Failed to load VM Set data. Please try again.',
  },
] as const

for (const {
  noun,
  api,
  make,
  listPathOf,
  createPathOf,
  pathOf,
  label,
  fresh,
  numbers,
  boxes,
  ...says
} of groups) {
  test(`the form of a ${noun} needs no more than a name; an alert says that it is there, then the list shows it`, async ({
    project,
    sshKey,
  }) => {
    const form = `${createPathOf(project.id)}?template=${templateId}`
    const calls = callsOf(api.create)
    await visit(form)
    await expect.element(page.getByRole('heading', { level: 1, name: `Create ${noun}` })).toBeVisible()
    await expect.element(page.getByLabelText('Description')).toHaveValue('')
    await expectText(page.getByRole('combobox', { name: 'Template' }), 'Starter Linux')
    await expectText(page.getByRole('combobox', { name: 'SSH Key' }), sshKey.name)
    for (const [field, value] of Object.entries(numbers))
      await expect.element(page.getByLabelText(field)).toHaveValue(value)
    for (const name of boxes) await expect.element(page.getByRole('checkbox', { name })).toBeChecked()
    await page.getByLabelText(label).fill(' web ')
    await expectBusy(api.create, () => submitOf().dblClick(), 'Creating...')
    await expect.element(alertOf()).toBeVisible()
    expect(address()).toBe(form)
    await agree(says.created)
    await expect.poll(address).toBe(listPathOf(project.id))
    const made = { name: 'web', description: '', template_id: templateId, ssh_key_id: sshKey.id, ...fresh }
    expect(calls.map(({ body }) => body)).toEqual([{ ...made, disks: [] }])
    const all = await call(api.list, { params: { projectId: project.id } })
    expect(all).toMatchObject([{ name: 'web', ssh_key_name: sshKey.name, ...fresh }])
  })

  test(`the form of a ${noun} says in an alert why none is created, and is left by Cancel without one`, async ({
    project,
    sshKey: _,
  }) => {
    const form = `${createPathOf(project.id)}?template=${templateId}`
    await visit(form)
    const name = page.getByLabelText(label)
    await name.fill('web')
    await expectFailures(api.create, () => submitOf().click(), says.notCreated, agree)
    expect(address()).toBe(form)
    await expect.element(name).toHaveValue('web')
    await expect.element(submitOf()).toBeEnabled()
    const calls = callsOf(api.create)
    await follow(page.getByRole('link', { name: 'Cancel' }), listPathOf(project.id))
    expect(calls).toEqual([])
  })

  test(`the page of a ${noun} alerts when it does not load; then there is none, and a way back`, async ({
    project,
  }) => {
    const group = make('some', { project_id: project.id })
    const notFound = page.getByRole('heading', { level: 1, name: `${noun} not found` })
    await visit(pathOf(group))
    await agree(says.notLoaded)
    await expect.element(notFound).toBeVisible()
    const { end } = answer(api.get, 503, { message: 'The server says why' })
    await reload()
    await expectText(alertOf(), 'The server says why')
    await agree(says.notLoaded)
    await expect.element(notFound).toBeVisible()
    await end()
    answer(api.get, 200, { ...group, vms: [], revisions: [] })
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect.element(page.getByRole('heading', { level: 1, name: 'some' })).toBeVisible()
    await follow(page.getByRole('link', { name: `Back to ${noun}s` }), listPathOf(project.id))
  })
}
