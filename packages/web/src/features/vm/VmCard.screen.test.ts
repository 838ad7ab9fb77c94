import { projectApi, type Vm, vmApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, withoutStream } from '../../screen/network.test-kit.ts'
import { address, call, press, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import {
  dismissToasts,
  expectCount,
  expectRefused,
  expectText,
  expectTexts,
  expectToast,
  toasts,
} from '../../screen/shown.test-kit.ts'
import { cardOf, more, statusOf } from './vm.test-kit.ts'

describe('a card', () => {
  test('shows what the VM is, and leads to its page', async ({ project, sshKey, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmListPath(project.id))
    const card = cardOf(vm.name)
    await expect.element(statusOf(vm.name, 'Running')).toBeVisible()
    await expect.element(card.getByText(vm.template_name)).toBeVisible()
    await expectTexts(card.getByRole('term'), ['CPU', 'RAM', 'Network', 'IP Address', 'SSH Key', 'Created'])
    await expectTexts(card.getByRole('definition'), [
      '1 core',
      '256 MB',
      'Active',
      vm.ip_address ?? '',
      `${sshKey.name}SSH connection`,
      shownMoment(vm.created_at),
    ])
    await more(vm, 'View Details')
    await expect.poll(address).toBe(vmPath(vm))
  })

  test('tells the real size of its VM, and the sign of its template', async ({ project, makeVm }) => {
    const vm = await makeVm('engine')
    const of = (name: string, more: Partial<Vm>) => ({ ...vm, id: name, name, ...more })
    answer(vmApi.list, 200, [
      of('starter', { cpu: 2, memory_mb: 4096, template_id: templateId }),
      of('own', { template_id: 'own' }),
      of('other', { template_id: 'other' }),
    ])
    await visit(vmListPath(project.id))
    const fact = (at: number) => cardOf('starter').getByRole('definition').nth(at)
    await expect.element(fact(0)).toHaveTextContent('2 cores')
    await expect.element(fact(1)).toHaveTextContent('4.0 GB')
    const sign = async (name: string) => {
      const template = cardOf(name).getByRole('paragraph').filter({ hasText: vm.template_name })
      await expect.element(template).toBeVisible()
      const picture = template.element().querySelector('svg')?.innerHTML
      expect(picture).toBeTruthy()
      return picture
    }
    expect(await sign('own')).toBe(await sign('other'))
    expect(await sign('own')).not.toBe(await sign('starter'))
  })

  test('has a button that copies: its address, and the command with its port where that is not 22', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const copies = async (button: string, text: string) => {
      await expectCopied(page.getByRole('button', { name: button }), text)
    }
    await visit(vmListPath(project.id))
    await copies('Copy IP address', `${vm.ip_address}`)
    await expectToast('IP address copied to clipboard!')
    await dismissToasts()
    await copies('Copy SSH connection string', `ssh root@${vm.ip_address}`)
    await expectToast('SSH connection string copied to clipboard!')
    answer(vmApi.list, 200, [{ ...vm, ip_address: '192.0.2.7', ssh_port: 2207 }])
    await visit(vmListPath(project.id))
    await copies('Copy SSH connection string', 'ssh -p 2207 root@192.0.2.7')
  })

  test('copies nothing, and tells why there is no shell, while there is no address', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await visit(vmListPath(project.id))
    await expect.element(cardOf(vm.name).getByText('Inactive')).toBeVisible()
    await expectCount(page.getByRole('button', { name: /^Copy/ }), 0)
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    const entry = page.getByRole('menuitem', { name: /SSH Connect/ })
    await expect.element(entry).toBeDisabled()
    await expectText(entry, 'The VM has no address yet. It is assigned one when it runs.')
  })

  test('says on focus why it has no console while its VM is off', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    answer(vmApi.list, 200, [{ ...vm, status: 'stopped', ip_address: null }])
    await visit(vmListPath(project.id))
    const reason = 'VM is not running'
    const button = cardOf(vm.name).getByRole('button', { name: 'Console' })
    const shown = () =>
      page
        .getByText(reason)
        .elements()
        .filter((element) => element.checkVisibility())
    await expect.element(button).toBeDisabled()
    await expect.element(button).toHaveAccessibleDescription(reason)
    expect(shown()).toHaveLength(0)
    await press(cardOf(vm.name).getByRole('button', { name: 'Start', exact: true }), '{Tab}')
    await expect.element(button).toHaveFocus()
    await expect.poll(shown).toHaveLength(1)
    const fact = (at: number) => cardOf(vm.name).getByRole('definition').nth(at)
    await expect.element(fact(2)).toHaveTextContent('Inactive')
    await expect.element(fact(3)).toHaveTextContent('None while stopped')
    await expectCount(page.getByRole('button', { name: /^Copy/ }), 0)
  })

  test('stops and starts its VM, and tells when that fails', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    // What comes next is then shown when the list is asked for again, and not before.
    withoutStream()
    await visit(vmListPath(project.id))
    const card = cardOf(vm.name)
    const stop = card.getByRole('button', { name: 'Stop', exact: true })
    const start = card.getByRole('button', { name: 'Start', exact: true })
    await expect.element(stop).toBeVisible()
    await stopClock()
    holdClock()
    for (const [endpoint, button, failure, next] of [
      [vmApi.stop, stop, 'Failed to stop VM. Please try again.', 'Stopped'],
      [vmApi.start, start, 'Failed to start VM. Please try again.', 'Running'],
    ] as const) {
      await expectRefused(endpoint, () => button.click(), failure)
      await button.click()
      // What is on its way up can only be stopped, and what is on its way down only started.
      const other = button === stop ? start : stop
      await expect.element(other).toBeDisabled()
      await expect
        .element(other)
        .toHaveAccessibleDescription(
          button === stop
            ? 'VM cannot be started while it is stopping'
            : 'VM cannot be stopped while it is starting',
        )
      await expect
        .poll(async () => {
          await passTime(5_000)
          return statusOf(vm.name, next).elements()
        })
        .toHaveLength(1)
      await expect.element(statusOf(vm.name, next)).toBeVisible()
    }
  })

  test('offers Stop while its VM is on its way up, and Start once it is off', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    const words = ['pending', 'starting', 'running', 'suspending', 'suspended', 'stopped'] as const
    answer(
      vmApi.list,
      200,
      words.map((status) => ({ ...vm, id: status, name: status, status })),
    )
    await visit(vmListPath(project.id))
    for (const word of words) {
      const isDown = word === 'stopped' || word === 'suspended'
      const [offered, other] = isDown ? (['Start', 'Stop'] as const) : (['Stop', 'Start'] as const)
      const button = (name: string) => cardOf(word).getByRole('button', { name, exact: true })
      await expect.element(button(offered)).toBeVisible()
      await expectCount(button(other), 0)
    }
  })

  test('deletes its VM after a question', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await makeVm('loom', 'running')
    await visit(vmListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await more(vm, 'Delete VM')
    await expectText(
      question,
      'Are you sure you want to delete VM "engine"? Attached disks are kept. This action cannot be undone.',
    )
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(cardOf(vm.name)).toBeVisible()
    await more(vm, 'Delete VM')
    const agree = () => question.getByRole('button', { name: 'Delete VM' }).click()
    // The reason stays where one can act on it.
    const why = question.getByRole('alert')
    await expectRefused(vmApi.delete, agree, 'Failed to delete VM. Please try again.', why)
    await agree()
    await expectText(toasts().getByRole('status'), 'VM "engine" deleted successfully')
    await expectCount(cardOf(vm.name), 0)
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveFocus()
    await expect.element(cardOf('loom')).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toMatchObject([{ name: 'loom' }])
    expect(await call(projectApi.list, {})).toHaveLength(1)
  })
})
