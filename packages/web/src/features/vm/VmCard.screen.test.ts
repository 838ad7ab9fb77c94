import { projectApi, type Vm, vmApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { browseWithoutClipboard, copied, refuseCopies } from '../../screen/clipboard.test-kit.ts'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, withoutStream } from '../../screen/network.test-kit.ts'
import {
  address,
  call,
  dismissToasts,
  reload,
  templateId,
  test,
  texts,
  toasts,
  visit,
} from '../../screen/screen.test-kit.ts'
import { cardOf, more, statusOf } from './vm.test-kit.ts'

const linesOfAlert = () => texts(toasts().getByRole('alert').first().getByRole('paragraph'))

describe('a card', () => {
  test('shows what the VM is, and leads to its page', async ({ project, sshKey, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await visit(vmListPath(project.id))
    const card = cardOf(vm.name)
    await expect.element(statusOf(vm.name, 'Running')).toBeVisible()
    await expect.element(card.getByText(vm.template_name)).toBeVisible()
    await expect
      .poll(() => texts(card.getByRole('term')))
      .toEqual(['CPU', 'RAM', 'Network', 'IP Address', 'SSH Key', 'Created'])
    await expect
      .poll(() => texts(card.getByRole('definition')))
      .toEqual([
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

  const kindsOfCopies = [
    {
      button: 'Copy IP address',
      success: 'IP address copied to clipboard!',
      text: (vm: Vm) => `${vm.ip_address}`,
    },
    {
      button: 'Copy SSH connection string',
      success: 'SSH connection string copied to clipboard!',
      text: (vm: Vm) => `ssh root@${vm.ip_address}`,
    },
  ]

  for (const { button, success, text } of kindsOfCopies) {
    test(`has a button that copies: ${button}`, async ({ project, makeVm }) => {
      const vm = await makeVm('engine', 'running')
      await visit(vmListPath(project.id))
      await page.getByRole('button', { name: button }).click()
      await expect.element(toasts().getByRole('status')).toHaveTextContent(success)
      expect(await copied()).toBe(text(vm))

      await navigator.clipboard.writeText('')
      const { giveBack } = browseWithoutClipboard()
      await reload()
      await page.getByRole('button', { name: button }).click()
      await expect.element(toasts().getByRole('status')).toHaveTextContent(success)
      expect(await copied()).toBe(text(vm))
      giveBack()

      refuseCopies()
      await reload()
      await page.getByRole('button', { name: button }).click()
      await expect.element(toasts().getByRole('alert')).toHaveTextContent('Failed to copy to clipboard.')
    })
  }

  test('copies the command with its port where that is not 22', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    answer(vmApi.list, 200, [{ ...vm, ip_address: '192.0.2.7', ssh_port: 2207 }])
    await visit(vmListPath(project.id))
    await page.getByRole('button', { name: 'Copy SSH connection string' }).click()
    await expect.poll(copied).toBe('ssh -p 2207 root@192.0.2.7')
  })

  test('copies nothing, and tells why there is no shell, while there is no address', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await visit(vmListPath(project.id))
    await expect.element(cardOf(vm.name).getByText('Inactive')).toBeVisible()
    await expect.poll(() => page.getByRole('button', { name: /^Copy/ }).elements()).toHaveLength(0)
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    const entry = page.getByRole('menuitem', { name: /SSH Connect/ })
    await expect.element(entry).toBeDisabled()
    await expect
      .element(entry)
      .toMatchTextContent('The VM has no address yet. It is assigned one when it runs.')
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
    ;(cardOf(vm.name).getByRole('button', { name: 'Start', exact: true }).element() as HTMLElement).focus()
    await userEvent.keyboard('{Tab}')
    await expect.element(button).toHaveFocus()
    await expect.poll(shown).toHaveLength(1)
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
    for (const { endpoint, button, failure, next } of [
      {
        endpoint: vmApi.stop,
        button: stop,
        failure: 'Failed to stop VM. Please try again.',
        next: 'Stopped',
      },
      {
        endpoint: vmApi.start,
        button: start,
        failure: 'Failed to start VM. Please try again.',
        next: 'Running',
      },
    ]) {
      for (const [status, body, lines] of [
        [409, { message: 'Not now' }, [failure, 'Not now']],
        [500, {}, [failure]],
        [null, {}, [failure]],
      ] as const) {
        const { end } = answer(endpoint, status, body)
        await button.click()
        await expect.poll(linesOfAlert).toEqual(lines)
        await dismissToasts()
        await end()
      }
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
      await expect.poll(() => button(other).elements()).toHaveLength(0)
    }
  })

  test('shows of a stopped VM that it has no address', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
    await visit(vmListPath(project.id))
    await expect.element(statusOf(vm.name, 'Stopped')).toBeVisible()
    const fact = (at: number) => cardOf(vm.name).getByRole('definition').nth(at)
    await expect.element(fact(2)).toHaveTextContent('Inactive')
    await expect.element(fact(3)).toHaveTextContent('None while stopped')
    await expect.poll(() => page.getByRole('button', { name: /^Copy/ }).elements()).toHaveLength(0)
  })

  test('deletes its VM after a question', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await makeVm('loom', 'running')
    await visit(vmListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await more(vm, 'Delete VM')
    await expect
      .element(question)
      .toMatchTextContent(
        'Are you sure you want to delete VM "engine"? Attached disks are kept. This action cannot be undone.',
      )
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(cardOf(vm.name)).toBeVisible()
    await more(vm, 'Delete VM')
    for (const [status, body, lines] of [
      [409, { message: 'Not now' }, ['Failed to delete VM. Please try again.', 'Not now']],
      [500, {}, ['Failed to delete VM. Please try again.']],
    ] as const) {
      const { end } = answer(vmApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete VM' }).click()
      await expect.poll(linesOfAlert).toEqual(lines)
      // The reason stays where one can act on it.
      await expect.element(question.getByRole('alert')).toHaveTextContent(lines.at(-1) ?? '')
      await end()
    }
    await question.getByRole('button', { name: 'Delete VM' }).click()
    await expect.element(toasts().getByRole('status')).toMatchTextContent('VM "engine" deleted successfully')
    await expect.poll(() => cardOf(vm.name).elements()).toHaveLength(0)
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveFocus()
    await expect.element(cardOf('loom')).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toMatchObject([{ name: 'loom' }])
    expect(await call(projectApi.list, {})).toHaveLength(1)
  })
})
