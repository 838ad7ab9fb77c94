import { vmApi } from '@slipway/contract'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { copied, expectCopied } from '../../screen/clipboard.test-kit.ts'
import { answer } from '../../screen/network.test-kit.ts'
import { call, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectDisabled, expectText, said } from '../../screen/shown.test-kit.ts'
import { more } from './vm.test-kit.ts'

const facts = () => page.getByRole('region', { name: 'Facts' })

describe('the page of a VM', () => {
  test('says why a VM failed and what to do', async ({ project, makeVm }) => {
    const full = await makeVm('fault-no-space', 'failed')
    const crashed = await makeVm('fault-crash', 'failed')
    await visit(vmListPath(project.id))
    await expectText(
      page.getByRole('article', { name: full.name }),
      /Why.*no disk space left.*delete this VM and create it again/,
    )
    await page.getByRole('link', { name: crashed.name }).click()
    const why = page.getByRole('main').getByRole('alert')
    await expectText(why, /^Failed since \w{3} \d/)
    await expectText(
      why,
      'The guest crashed while it was booting (simulated). Delete this VM and create it again.',
    )
    await expectCount(page.getByRole('listitem').filter({ hasText: ', failed' }), 1)
    const start = page.getByRole('button', { name: 'Start', exact: true })
    await expectDisabled(start, 'VM cannot be started while it is failed')
    await expect
      .element(page.getByRole('paragraph').filter({ hasText: 'A failed VM has no address.' }))
      .toBeVisible()
  })

  test('restarts, stops and starts', async ({ makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmPath(vm))
    const is = (word: string) =>
      expect.element(facts().getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))).toBeVisible()
    await is('Running')
    await expectText(facts(), `SSH Key${sshKey.name}`)
    await page.getByRole('button', { name: 'Restart' }).click()
    // On its way it is too quick for a busy browser to show each status.
    const hasRestarted = async () => {
      const { status, status_since } = await call(vmApi.get, {
        params: { projectId: vm.project_id, vmId: vm.id },
      })
      return status === 'running' && status_since !== vm.status_since
    }
    await expect.poll(hasRestarted).toBe(true)
    await is('Running')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await is('Stopped')
    await expect.element(page.getByText('The VM is stopped. It has an address while it runs.')).toBeVisible()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await is('Running')
    await expectCopied(page.getByRole('button', { name: 'Copy ID' }), vm.id)
  })

  test('cuts off a guest that ignores the power button', async ({ makeVm }) => {
    const vm = await makeVm('fault-deaf', 'running')
    await visit(vmPath(vm))
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect.element(said('Waiting for the guest to power down')).toBeVisible()
    await expect
      .element(page.getByRole('button', { name: 'Restart' }))
      .toHaveAccessibleDescription('VM cannot be restarted while it is stopping')
    await more(vm, 'Force stop')
    await expect.element(facts().getByText('Stopped', { exact: true })).toBeVisible()
  })

  test('gives the command that opens a shell', async ({ makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmPath(vm))
    const button = page.getByRole('button', { name: 'SSH Connect', exact: true })
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expectText(dialog, `ssh root@${vm.ip_address}`, `The key ${sshKey.name} is installed.`)
    await dialog.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect.element(page.getByText('SSH connection string copied to clipboard!')).toBeVisible()
    expect(await copied()).toBe(`ssh root@${vm.ip_address}`)
    await expect.element(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(button).toHaveFocus()
  })

  test('of which there is none leads back to the list', async ({ project }) => {
    await visit(vmPath({ project_id: project.id, id: 'none' }))
    await expect.element(page.getByRole('heading', { level: 1, name: 'VM not found' })).toBeVisible()
    await follow(page.getByRole('link', { name: 'View Virtual Machines' }), vmListPath(project.id))
  })
})

describe('suspending a VM', () => {
  const statusIs = (word: string) =>
    expect.element(page.getByRole('main').getByText(word, { exact: true }).first()).toBeVisible()

  test('comes by itself after the time without use that was chosen, is told before, and can be put off', async ({
    makeVm,
  }) => {
    const vm = await makeVm('loom', 'running')
    await visit(vmPath(vm))
    const choice = page.getByRole('combobox', { name: 'Suspend when unused' })
    await expect.element(choice).toHaveTextContent('Keep running')
    await choice.click()
    await page.getByRole('option', { name: 'Suspend after 30 minutes' }).click()
    await expect.element(page.getByText('Saved.')).toBeVisible()
    await expect.element(choice).toHaveTextContent('Suspend after 30 minutes')

    // Nobody waits half an hour here.
    const suspends_at = new Date(Date.now() + 10 * 60_000).toISOString()
    const counting = { ...vm, suspend_after_minutes: 30, suspends_at }
    answer(vmApi.get, 200, counting)
    await reload()
    await expect.element(choice).toHaveTextContent('Suspend after 30 minutes')
    const note = said('Nobody uses this VM. It will be suspended at')
    await expect.element(note).toBeVisible()
    await expectAccessible()
    answer(vmApi.get, 200, { ...counting, suspends_at: null })
    await page.getByRole('button', { name: 'Keep awake' }).click()
    await expect.element(note).not.toBeInTheDocument()
  })

  test('asks before the saved memory is discarded', async ({ project, makeVm }) => {
    const vm = await makeVm('loom', 'running')
    await call(vmApi.suspend, { params: { projectId: project.id, vmId: vm.id } })
    await visit(vmPath(vm))
    await statusIs('Suspended')
    await more(vm, 'Force stop')
    const question = page.getByRole('alertdialog', { name: 'Force stop VM' })
    await expectText(question, 'Its saved memory is discarded')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(question).not.toBeInTheDocument()
    await statusIs('Suspended')
    await more(vm, 'Force stop')
    await question.getByRole('button', { name: 'Force stop VM' }).click()
    await statusIs('Stopped')
  })

  test('that does not work leaves the VM running, and its page says why', async ({ makeVm }) => {
    const vm = await makeVm('fault-no-copies', 'running')
    await visit(vmPath(vm))
    await more(vm, 'Suspend')
    await expect.element(said('The VM could not be suspended and is still running.').first()).toBeVisible()
    await statusIs('Running')
  })
})
