import {
  accountApi,
  diskApi,
  diskSnapshotApi,
  projectApi,
  sshKeyApi,
  templateApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
} from '@slipway/contract'
import { expect, often, templateId, test } from './fixtures.ts'
import { answer, callsOf } from './network.ts'
import {
  diskCreatePath,
  diskListPath,
  diskSnapshotCreatePath,
  vmListPath,
  vmPoolCreatePath,
  vmPoolListPath,
  vmSetListPath,
} from './paths.ts'
import { newPublicKey } from './person.ts'
import { fillSignUp, toasts } from './sentences.ts'

/** Promises of the catalogue that span pages, or that need the server's own answers where a feature's spec has stubs. */

test('the dashboard counts what the API lists, and has a place for recent VMs', async ({
  page,
  project,
  sshKey,
  addDisk,
  makeVm,
  call,
}) => {
  const params = { projectId: project.id }
  const body = { template_id: templateId, ssh_key_id: sshKey.id, name: 'web' }
  const sizes = { min_size: 1, desired_size: 1, max_size: 2, persistent: true, auto_scaling: false }
  const pool = await call(vmPoolApi.create, { params, body: { ...body, ...sizes } })
  const set = await call(vmSetApi.create, { params, body: { ...body, name: 'db', replicas: 2 } })
  await addDisk('ledger')
  await makeVm('engine', 'running')
  await expect
    .poll(async () => (await call(vmApi.list, { params })).map(({ status }) => status), often)
    .toEqual(Array(4).fill('running'))
  expect(await call(vmPoolApi.list, { params })).toMatchObject([{ id: pool.id, current_size: 1 }])
  expect(await call(vmSetApi.list, { params })).toMatchObject([{ id: set.id, vm_stats: { total_vms: 2 } }])
  expect(await call(diskApi.list, { params, query: {} })).toMatchObject([{ size_gb: 10 }])

  await page.goto('/')
  const cards = page.getByRole('main').getByRole('list').first().getByRole('listitem')
  // DASH-005
  await expect(cards).toHaveText([
    'Virtual Machines44 active',
    'VM Pools11 VM',
    'VM Sets12 VMs',
    'Storage1disk, 10Gi',
  ])
  // DASH-006
  await expect(page.getByRole('heading', { level: 2, name: 'Recent Virtual Machines' })).toBeVisible()
})

test('a pool and a set are changed in the list, and the server has what was saved and nothing of what was cancelled', async ({
  page,
  project,
  sshKey,
  call,
}) => {
  const params = { projectId: project.id }
  const body = { template_id: templateId, ssh_key_id: sshKey.id, name: 'web' }
  const sizes = { min_size: 1, desired_size: 1, max_size: 3, persistent: true, auto_scaling: false }
  const pool = await call(vmPoolApi.create, { params, body: { ...body, ...sizes } })
  const set = await call(vmSetApi.create, { params, body: { ...body, name: 'db', replicas: 1 } })

  await page.goto(vmPoolListPath(project.id))
  const poolCard = page.getByRole('article', { name: 'web', exact: true })
  const save = (card: typeof poolCard) => card.getByRole('button', { name: 'Save' })
  const fields = ['Min size', 'Desired size', 'Max size'] as const
  const fill = async (values: readonly string[]) => {
    for (const [i, label] of fields.entries()) await poolCard.getByLabel(label).fill(values[i] ?? '')
  }
  await poolCard.getByRole('button', { name: 'Edit web' }).click()
  for (const [values, text] of [
    [['3', '3', '2'], 'Minimum size cannot be greater than maximum size.'],
    [['1', '3', '2'], 'Desired size must be between minimum and maximum size.'],
  ] as const) {
    await fill(values)
    // POOL-029
    await expect(poolCard.getByRole('status')).toHaveText(text)
    await expect(save(poolCard)).toBeDisabled()
  }
  await fill(['2', '3', '4'])
  await poolCard.getByRole('checkbox', { name: 'Auto scaling' }).check()
  await poolCard.getByRole('button', { name: 'Cancel' }).click()
  await poolCard.getByRole('button', { name: 'Edit web' }).click()
  // POOL-004, POOL-005
  for (const [i, value] of ['1', '1', '3'].entries())
    await expect(poolCard.getByLabel(fields[i] ?? '')).toHaveValue(value)
  await expect(poolCard.getByRole('checkbox', { name: 'Auto scaling' })).not.toBeChecked()
  expect(await call(vmPoolApi.list, { params })).toMatchObject([{ ...sizes, id: pool.id }])
  await fill(['1', '2', '4'])
  await save(poolCard).click()
  await expect(toasts(page).getByText('VM Pool updated successfully')).toBeVisible()
  const changed = { min_size: 1, desired_size: 2, max_size: 4, auto_scaling: false }
  expect(await call(vmPoolApi.list, { params })).toMatchObject([changed])

  await page.goto(vmSetListPath(project.id))
  const setCard = page.getByRole('article', { name: 'db', exact: true })
  const replicas = setCard.getByLabel('Number of replicas')
  await setCard.getByRole('button', { name: 'Edit db' }).click()
  await replicas.fill('0')
  // SET-022
  await expect(setCard.getByRole('status')).toHaveText('Number of replicas must be at least 1')
  await expect(save(setCard)).toBeDisabled()
  await replicas.fill('3')
  await setCard.getByRole('button', { name: 'Cancel' }).click()
  await setCard.getByRole('button', { name: 'Edit db' }).click()
  // SET-015
  await expect(replicas).toHaveValue('1')
  await replicas.fill('2')
  await save(setCard).click()
  await expect(toasts(page).getByText('VM Set updated successfully')).toBeVisible()
  expect(await call(vmSetApi.list, { params })).toMatchObject([{ id: set.id, replicas: 2 }])
})

test('a VM from a disk begins with the first of several templates and of several keys', async ({
  page,
  project,
  sshKey: _,
  addDisk,
  call,
}) => {
  for (const [key_name, is_default] of [
    ['Older', false],
    ['Newer', true],
  ] as const)
    await call(sshKeyApi.create, { body: { key_name, is_default, ssh_public_key: newPublicKey() } })
  await addDisk('ledger')
  const [template, ...templates] = await call(templateApi.list, {})
  const [key, ...keys] = await call(sshKeyApi.list, {})
  expect([templates.length > 0, keys.length, key?.name]).toEqual([true, 2, 'Newer'])
  await page.goto(diskListPath(project.id))
  await page
    .getByRole('article', { name: 'ledger', exact: true })
    .getByRole('button', { name: 'Create VM' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Create VM from disk' })
  // DISK-045
  await expect(dialog.getByRole('combobox', { name: 'Template' })).toContainText(template?.name ?? '')
  await expect(dialog.getByRole('combobox', { name: 'SSH Key' })).toContainText('Newer')
})

test('sign-up sends nothing while the box of the terms is not checked, whatever else is right', async ({
  page,
  person,
}) => {
  await page.goto('/signup')
  const calls = callsOf(page, accountApi.signUp)
  await fillSignUp(page, person)
  const box = page.getByRole('checkbox', { name: 'I agree to' })
  const submit = page.getByRole('button', { name: 'Sign Up' })
  await box.uncheck()
  await page.getByLabel('Email', { exact: true }).press('Enter')
  await submit.click({ force: true })
  await page.getByLabel('Password', { exact: true }).press('Enter')
  await box.check()
  await submit.click()
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
  // AUTH-022
  expect(calls).toHaveLength(1)
  // G-035
  expect(Object.keys(calls[0]?.postDataJSON()).sort()).toEqual(['email', 'name', 'password'])
})

test('without its project no page offers to create or delete anything, and nothing is asked of the server', async ({
  page,
  project,
  makeVm,
}) => {
  await makeVm('web')
  await answer(page, projectApi.list, 200, [])
  const changes = [diskApi.create, diskApi.delete, diskSnapshotApi.create, vmPoolApi.create, vmApi.delete]
  const calls = changes.map((endpoint) => callsOf(page, endpoint))
  for (const path of [vmListPath, diskListPath, diskCreatePath, diskSnapshotCreatePath, vmPoolCreatePath]) {
    await page.goto(path(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Project not found' })).toBeVisible()
    // VML-027, DISK-028, DISK-047, DSNAP-025, POOL-022
    await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
    await page.keyboard.press('Enter')
  }
  expect(calls.flat()).toEqual([])
})
