import { shareApi } from '@slipway/contract'
import { vmPath } from '@slipway/e2e/paths'
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../screen/network.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'

const shares = () => page.getByRole('list', { name: 'Shared ports' })
const share = () => page.getByRole('button', { name: 'Share a port' })
const dialog = () => page.getByRole('dialog', { name: 'Share a port' })

test('ports are offered as soon as the guest tells of them, and nothing moves when they come', async ({
  makeVm,
}) => {
  const vm = await makeVm('web', 'running')
  const busy = answer(shareApi.ports, 200, { ports: null })
  await visit(vmPath(vm))
  await share().click()
  await expect
    .element(dialog().getByText('On which a program in the VM listens', { exact: false }))
    .toBeVisible()
  await expect.element(dialog().getByText('This VM does not report its open ports.')).toBeVisible()
  const until = dialog().getByRole('combobox', { name: 'Until' })
  await expect.element(until).toBeVisible()
  const before = until.element().getBoundingClientRect().top
  await busy.end()
  answer(shareApi.ports, 200, { ports: [8080] })
  const offer = dialog().getByRole('button', { name: '8080', exact: true })
  await expect.element(offer).toBeVisible()
  expect(until.element().getBoundingClientRect().top).toBe(before)
  await offer.click()
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
  await expectText(shares(), 'Port 5173')
})
