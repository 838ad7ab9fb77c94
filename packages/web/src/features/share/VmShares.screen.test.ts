import { shareApi } from '@slipway/contract'
import { vmPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'

const shares = () => page.getByRole('list', { name: 'Shared ports' })
const share = () => page.getByRole('button', { name: 'Share a port' })
const dialog = () => page.getByRole('dialog', { name: 'Share a port' })

test('ports are offered as soon as the guest tells of them', async ({ makeVm }) => {
  const vm = await makeVm('web', 'running')
  const busy = answer(shareApi.ports, 200, { ports: null })
  await visit(vmPath(vm))
  await share().click()
  await expect
    .element(dialog().getByText('On which a program in the VM listens', { exact: false }))
    .toBeVisible()
  await busy.end()
  answer(shareApi.ports, 200, { ports: [8080] })
  await dialog().getByRole('button', { name: '8080', exact: true }).click()
  await expect.element(dialog().getByLabelText('Port', { exact: true })).toHaveValue('8080')
})

test('a refusal stays in the dialog with its reason', async ({ makeVm }) => {
  const vm = await makeVm('web', 'running')
  const { end } = answer(shareApi.create, 409, { message: 'This port is shared already' })
  await visit(vmPath(vm))
  await share().click()
  await dialog().getByLabelText('Port', { exact: true }).fill('5173')
  await dialog().getByRole('button', { name: 'Share Port' }).click()
  await expect.element(dialog().getByText('This port is shared already')).toBeVisible()
  await end()
  await dialog().getByRole('button', { name: 'Share Port' }).click()
  await expect.element(shares()).toMatchTextContent('Port 5173')
})
