import { sshKeyApi, vmApi, vmSetApi } from '@slipway/contract'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { commands, page, userEvent } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { address, call, test, tick, visit } from '../../screen/screen.test-kit.ts'
import { expectText, said } from '../../screen/shown.test-kit.ts'
import { more } from './vm.test-kit.ts'

const dialog = () => page.getByRole('dialog', { name: 'Edit VM' })
const save = () => dialog().getByRole('button', { name: 'Save' })
const note = () => dialog().getByRole('status')

describe('a VM is changed', () => {
  test('in its dialog, and every page shows it at once', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await visit(vmPath(vm))
    await more(vm, 'Edit')
    await expect.element(save()).toBeDisabled()
    await expect.element(note()).toHaveTextContent('Nothing has changed.')
    await expect.element(dialog().getByLabelText('Root disk (GB)')).toHaveAttribute('placeholder', '4')
    await dialog().getByLabelText('VM Name').fill('shop')
    await dialog().getByLabelText('CPUs').fill('0')
    await expect.element(note()).toHaveTextContent('Enter a whole number of processors from 1 to 64')
    await dialog().getByLabelText('CPUs').fill('2')
    await dialog().getByLabelText('Tags').fill('Prod, team/red')
    await dialog().getByLabelText('Note').fill('Ask Ada before a restart.')
    const isProtected = dialog().getByLabelText('Protect against deletion', { exact: false })
    await tick(isProtected)
    await expectAccessible()
    await save().click()
    await expect.element(page.getByText('VM "shop" was changed. It gets 2 cores soon.')).toBeVisible()

    await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('shop')
    await expect.element(page.getByText('Ask Ada before a restart.')).toBeVisible()
    // Its guest takes them while it runs.
    await expect.element(page.getByText('2 cores', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'More actions for shop' }).click()
    const deletion = page.getByRole('menuitem', { name: /Delete VM/ })
    await expect.element(deletion).toBeDisabled()
    await expectText(deletion, /This VM is protected against deletion\./)
    await userEvent.keyboard('{Escape}')

    await more({ name: 'shop' }, 'Edit')
    await dialog().getByLabelText('CPUs').fill('1')
    await save().click()
    await expect
      .element(page.getByText('VM "shop" was changed. It gets 1 core at its next start.'))
      .toBeVisible()
    await expect.element(page.getByText('2 cores, 1 core at the next start')).toBeVisible()
    await page.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect.element(page.getByText('1 core', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'team/red' }).click()
    await expect.poll(address).toMatch(/\/vms\?tag=team%2Fred$/)
    await expectText(page.getByRole('article', { name: 'shop' }), 'prod')
    await expect.element(page.getByRole('combobox', { name: 'Tag' })).toHaveTextContent('team/red')
    await visit(`${vmListPath(project.id)}?search=ada`)
    await expect.element(page.getByRole('article', { name: 'shop' })).toBeVisible()
  })

  test('gets another SSH key, now or at its next start', async ({ project, makeVm, sshKey }) => {
    const desk = await call(sshKeyApi.create, {
      body: { key_name: 'desk', ssh_public_key: await commands.newPublicKey() },
    })
    const running = await makeVm('keyed', 'running')
    await visit(vmPath(running))
    const edit = async () => {
      await more(running, 'Edit')
      const field = dialog().getByRole('combobox', { name: 'SSH Key' })
      await expectText(field, sshKey.name)
      await field.click()
      await page.getByRole('option', { name: /desk/ }).click()
    }
    await edit()
    await save().click()
    await expect
      .element(page.getByText('VM "keyed" was changed. Its guest is getting the SSH key.'))
      .toBeVisible()
    await expect.element(said('Access is by the key desk only.')).toBeVisible()
    await expect.element(said('being installed')).not.toBeInTheDocument()

    const params = { projectId: project.id, vmId: running.id }
    await call(vmApi.update, { params, body: { ssh_key_id: sshKey.id } })
    await call(vmApi.stop, { params, body: { force: true } })
    await expect.element(page.getByRole('button', { name: 'Start', exact: true })).toBeEnabled()
    await edit()
    await save().click()
    await expect.element(said('desk, from the next start')).toBeVisible()
    await expect.element(said('The key is desk. The guest gets the key when it next starts.')).toBeVisible()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expect.element(said('desk, from the next start')).not.toBeInTheDocument()
    await call(sshKeyApi.delete, { params: { sshKeyId: desk.id } })
  })

  test('of a set only where it does not come from there', async ({ project, sshKey }) => {
    const params = { projectId: project.id }
    const body = { name: 'trio', template_id: 'starter', ssh_key_id: sshKey.id, replicas: 1 }
    await call(vmSetApi.create, { params, body })
    await expect.poll(async () => (await call(vmApi.list, { params })).length).toBe(1)
    await visit(vmListPath(project.id))
    await more({ name: 'trio-1' }, 'Edit')
    await expectText(dialog(), 'come from the pool or set that it is part of.')
    await expect.element(dialog().getByLabelText('VM Name', { exact: false })).not.toBeInTheDocument()
    await dialog().getByLabelText('Tags').fill('odd')
    await save().click()
    await expectText(page.getByRole('article', { name: 'trio-1' }), 'odd')
  })
})
