import type { Page } from '@playwright/test'
import { projectApi, type Vm, VmStatus, vmApi } from '@slipway/contract'
import { expectAccessible } from './a11y.ts'
import { browseWithoutClipboard, copied, refuseCopies } from './clipboard.ts'
import { shownMoment } from './dates.ts'
import { expect, templateId, test } from './fixtures.ts'
import { answer, callsOf, withoutStream } from './network.ts'
import { vmListPath, vmPath } from './paths.ts'
import { dismissToasts, toasts, trySignIn } from './sentences.ts'

const refreshingOf = (page: Page) => page.getByText('Auto-refresh every 5 s')
const searchOf = (page: Page) => page.getByRole('searchbox', { name: 'Search VMs' })
const updatedOf = (page: Page) => page.getByText(/^Last updated/)
const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const statusOf = (page: Page, name: string, word: string) =>
  cardOf(page, name).getByText(new RegExp(`^${word}(\\d+:\\d\\d)?$`))
const more = async (page: Page, { name }: Pick<Vm, 'name'>, entry: string) => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test.describe('the list that changes', () => {
  test('keeps an open dialog and its focus when a VM appears above', async ({ page, project, makeVm }) => {
    // One column: the rows move.
    await page.setViewportSize({ width: 390, height: 800 })
    const vm = await makeVm('engine', 'running')
    const { end } = await answer(page, vmApi.list, 200, [vm])
    await page.goto(vmListPath(project.id))
    await more(page, vm, 'Delete VM')
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await end()
    await answer(page, vmApi.list, 200, [{ ...vm, id: 'above', name: 'above' }, vm])
    await refetch(page)
    await expect(page.getByText('above', { exact: true })).toBeAttached()
    await expect(question).toBeVisible()
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: `More actions for ${vm.name}` })).toBeFocused()
  })

  test('holds still in two columns when nine VMs appear above at once', async ({ page, project, makeVm }) => {
    await page.setViewportSize({ width: 1000, height: 800 })
    const vm = await makeVm('engine', 'running')
    const some = (prefix: string, count: number): Vm[] =>
      // Some are higher than others: those say why they failed.
      Array.from({ length: count }, (_, i) => ({
        ...vm,
        id: `${prefix}-${i}`,
        name: `${prefix}-${i}`,
        ...(i % 5 === 2 && {
          status: 'failed' as const,
          ip_address: null,
          status_message: 'The guest crashed while it started, and its log says nothing of it. '.repeat(3),
        }),
      }))
    const old = some('old', 40)
    const { end } = await answer(page, vmApi.list, 200, old)
    await page.goto(vmListPath(project.id))
    await page.mouse.move(600, 400)
    // As one scrolls: rows are measured on the way.
    for (let way = 0; way < 10; way++) {
      await page.mouse.wheel(0, 250)
      await page.waitForTimeout(100)
    }
    /** Where the cards are that are drawn, in the window. */
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('[role=listitem] > article')].map((card) => ({
          name: card.getAttribute('aria-label') ?? card.querySelector('h2')?.textContent,
          top: Math.round(card.getBoundingClientRect().top),
          bottom: Math.round(card.getBoundingClientRect().bottom),
        })),
      )
    // Cards are mixed anew into rows of two, whose heights are then others: the first card in sight stays in its place.
    const looked = (await places()).find(({ bottom }) => bottom > 0)
    const moved = async () => {
      const now = (await places()).find(({ name }) => name === looked?.name)
      return Math.abs((now?.top ?? 9_999) - (looked?.top ?? 0))
    }
    expect(looked?.name).toMatch(/^old-/)
    await end()
    await answer(page, vmApi.list, 200, [...some('new', 9), ...old])
    await refetch(page)
    await expect(page.getByText('Showing 49 of 49 VMs')).toBeAttached()
    await expect.poll(moved).toBeLessThan(2)
    // And it stays when what is new above is drawn and measured.
    await expect(page.locator('article[aria-label]')).toHaveCount(0)
    expect(await moved()).toBeLessThan(2)
  })

  test('keeps in sight what is in sight, to the pixel, when VMs come and go above', async ({
    page,
    project,
    makeVm,
  }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    const vm = await makeVm('engine', 'running')
    const many = Array.from({ length: 30 }, (_, i) => ({ ...vm, id: `loom-${i}`, name: `loom-${i}` }))
    const { end } = await answer(page, vmApi.list, 200, many)
    await page.goto(vmListPath(project.id))
    const held = cardOf(page, 'loom-14')
    await expect(cardOf(page, 'loom-1')).toBeVisible()
    // What comes near is drawn a moment later, so a way that was too fast is gone once more.
    for (let y = 0; !(await held.isVisible()); y = (y + 400) % 16_000)
      await page.evaluate((to) => scrollTo(0, to), y)
    const place = async () => Math.round((await held.boundingBox())?.y ?? 0)
    // The first in sight, and a bit of it is not. What is drawn on the way there may still turn out higher or lower.
    await expect(async () => {
      await held.evaluate((card) => scrollBy(0, card.getBoundingClientRect().top + 20))
      await expect(held.getByText('Created')).toBeVisible()
      expect(await place()).toBe(-20)
    }).toPass()
    await end()
    const failed = {
      ...vm,
      id: 'failed',
      name: 'failed',
      status: 'failed',
      status_message: 'No. '.repeat(60),
    }
    const fewer = many.filter(({ id }) => !['loom-2', 'loom-13', 'loom-20'].includes(id))
    for (const list of [fewer, [failed, vm, ...many], many]) {
      const { end } = await answer(page, vmApi.list, 200, list)
      await refetch(page)
      await expect(held).toHaveAttribute('aria-labelledby')
      await expect.poll(() => held.locator('xpath=..').getAttribute('aria-setsize')).toBe(String(list.length))
      await expect.poll(place).toBe(-20)
      await end()
    }
    await page.evaluate(() => scrollTo(0, 0))
    await expect(cardOf(page, 'loom-0')).toBeInViewport()
  })

  test('says that a menu could not be loaded, and opens it when the server is back', async ({
    page,
    context,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    // Before anything is loaded in advance.
    await page.goto(vmListPath(project.id))
    const button = page.getByRole('button', { name: `More actions for ${vm.name}` })
    await expect(button).toBeVisible()
    await context.setOffline(true)
    await button.click()
    await expect(toasts(page).getByText('This part of the console could not be loaded.')).toBeVisible()
    await expect(cardOf(page, vm.name)).toBeVisible()
    await context.setOffline(false)
    // A browser that does not ask again for a file that failed loads the whole page anew.
    const entry = page.getByRole('menuitem', { name: 'Delete VM' })
    await expect(async () => {
      if (!(await entry.isVisible())) await button.click({ timeout: 1_000 })
      await entry.click({ timeout: 1_000 })
    }).toPass()
    await expect(page.getByRole('alertdialog', { name: 'Delete VM' })).toBeVisible()
  })

  test('has its search and its dialog in the URL: a reload keeps them, and Back closes', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const many = Array.from({ length: 12 }, (_, i) => ({ ...vm, id: `loom-${i}`, name: `loom-${i}` }))
    await answer(page, vmApi.list, 200, [...many, vm])
    await page.goto(vmListPath(project.id))
    await searchOf(page).pressSequentially('engi')
    await expect(page).toHaveURL(/\?search=engi$/)
    await more(page, vm, 'Delete VM')
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await expect(page).toHaveURL(new RegExp(`search=engi&dialog=delete-vm&of=${vm.id}$`))
    await page.reload()
    await expect(question).toBeVisible()
    await page.goBack()
    await expect(question).toBeHidden()
    await expect(searchOf(page)).toHaveValue('engi')
    await expect(page.getByRole('article')).toHaveCount(1)
    await page.getByRole('link', { name: vm.name }).click()
    await expect(page).toHaveURL(vmPath(vm))
    await page.goBack()
    await expect(searchOf(page)).toHaveValue('engi')
    await searchOf(page).fill('')
    await expect(page).toHaveURL(vmListPath(project.id))
  })

  test('is filtered by status and by tag, which the URL keeps', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running', { tags: ['prod'] })
    const off = { ...vm, status: 'stopped' as const, ip_address: null }
    const many = Array.from({ length: 12 }, (_, i) => ({
      ...off,
      id: `loom-${i}`,
      name: `loom-${i}`,
      tags: [],
    }))
    await answer(page, vmApi.list, 200, [
      ...many,
      vm,
      { ...vm, id: 'red', name: 'red', tags: ['team/red'] },
      { ...off, id: 'prod-off', name: 'prod-off' },
    ])
    await page.goto(vmListPath(project.id))
    const shown = page.getByRole('status').filter({ hasText: /^Showing/ })
    const choose = async (filter: string, option: string) => {
      await page.getByRole('combobox', { name: filter }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }
    await expect(shown).toHaveText('Showing 15 of 15 VMs')
    await choose('Status', 'Running')
    await expect(shown).toHaveText('Showing 2 of 15 VMs')
    await choose('Tag', 'prod')
    await expect(shown).toHaveText('Showing 1 of 15 VMs')
    await expect(page).toHaveURL(/\?status=running&tag=prod$/)
    await page.reload()
    await expect(page.getByRole('article')).toHaveCount(1)
    await expect(cardOf(page, 'engine')).toBeVisible()
    await expectAccessible(page)
    await choose('Status', 'Suspended')
    await expect(page.getByText('No VM matches these filters.')).toBeVisible()
    await choose('Status', 'All Status')
    await expect(page.getByRole('article')).toHaveCount(2)
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(shown).toHaveText('Showing 15 of 15 VMs')
    await expect(searchOf(page)).toBeFocused()
    await expect(page).toHaveURL(vmListPath(project.id))
  })

  test('closes a dialog about a VM that no longer exists, and says so', async ({ page, project, makeVm }) => {
    await makeVm('engine')
    await page.goto(`${vmListPath(project.id)}?dialog=delete-vm&of=nobody`)
    await expect(toasts(page).getByRole('status')).toHaveText('The VM no longer exists.')
    await expect(page).toHaveURL(vmListPath(project.id))
  })

  test('asks before a VM without persistent storage is stopped', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running', { persistent: false })
    await page.goto(vmListPath(project.id))
    await expect(cardOf(page, vm.name)).toContainText('Not persistent')
    await cardOf(page, vm.name).getByRole('button', { name: 'Stop', exact: true }).click()
    const question = page.getByRole('alertdialog', { name: 'Stop VM' })
    await expect(question).toContainText('everything on its root disk is lost')
    await question.getByRole('button', { name: 'Stop VM' }).click()
    await expect(question).toBeHidden()
    await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible()
  })
})

/** Has the page ask again, as when one comes back to its tab. */
async function refetch(page: Page): Promise<void> {
  // What is fresh is not asked for again.
  await page.waitForTimeout(1_100)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
}

test.describe('the list', () => {
  test('is empty at first and leads to the templates', async ({ page, project }) => {
    await page.goto(vmListPath(project.id))
    await expect(page.getByRole('heading', { level: 1, name: 'Virtual Machines' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
    for (const which of [0, 1]) {
      await page.getByRole('link', { name: 'Create VM' }).nth(which).click()
      await expect(page).toHaveURL('/templates')
      await page.goBack()
    }
  })

  test('counts, and shows that it refreshes only while a VM is on its way', async ({
    page,
    project,
    makeVm,
  }) => {
    await makeVm('engine', 'running')
    await page.goto(vmListPath(project.id))
    await expect(statusOf(page, 'engine', 'Running')).toBeVisible()
    await expect(refreshingOf(page)).toBeHidden()
    await expect(updatedOf(page)).toHaveText(/\d\d:\d\d:\d\d$/)
    await expectTotals(page, 'Total1', 'Running1', 'Stopped0')
    const stuck = await makeVm('fault-never-ready')
    await expect(refreshingOf(page)).toBeVisible()
    await expectTotals(page, 'Total2', 'Running1', 'Stopped0', 'Provisioning1')
    await more(page, stuck, 'Force stop')
    await expectTotals(page, 'Total2', 'Running1', 'Stopped1')
    await expect(refreshingOf(page)).toBeHidden()
  })

  test('counts the four words of the way up as provisioning, and four words only in the total', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine')
    const vms = VmStatus.options.map((status) => ({ ...vm, id: status, status }))
    await answer(page, vmApi.list, 200, vms)
    await page.goto(vmListPath(project.id))
    await expectTotals(page, 'Total11', 'Running1', 'Suspended1', 'Stopped1', 'Provisioning4')
  })

  test('is asked for again every 5 s to the millisecond while a VM is on its way, and then no more', async ({
    page,
    project,
    makeVm,
    call,
  }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    const cutOff = () =>
      call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
    await cutOff()
    await withoutStream(page)
    await page.clock.install()
    const lists = callsOf(page, vmApi.list)
    const singles = callsOf(page, vmApi.get)
    await page.goto(vmListPath(project.id))
    await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible()
    await page.clock.pauseAt(Date.now() + 60_000)
    const settled = lists.length
    await cardOf(page, vm.name).getByRole('button', { name: 'Start', exact: true }).click()
    // The answer to the click carries the new status, and from here on the list is asked for.
    await expect(statusOf(page, vm.name, 'Starting')).toBeVisible()
    await expect(refreshingOf(page)).toBeVisible()
    const asked = () => lists.length - settled
    for (const times of [1, 2, 3]) {
      const before = (await updatedOf(page).textContent()) ?? ''
      await page.clock.runFor(4_999)
      expect(asked()).toBe(times - 1)
      await page.clock.runFor(1)
      await expect.poll(asked).toBe(times)
      await expect(updatedOf(page)).not.toHaveText(before)
    }
    await cutOff()
    await expect(async () => {
      await page.clock.runFor(5_000)
      await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible({ timeout: 500 })
    }).toPass()
    await expect(refreshingOf(page)).toBeHidden()
    const last = lists.length
    await page.clock.runFor(30_000)
    expect(lists).toHaveLength(last)
    // The whole list at once, not VM by VM.
    expect(singles).toEqual([])
  })

  test('keeps what it has, and its time, when a poll fails', async ({ page, project, makeVm }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await page.clock.install()
    const lists = callsOf(page, vmApi.list)
    await page.goto(vmListPath(project.id))
    await expect(statusOf(page, vm.name, 'Provisioning')).toBeVisible()
    await page.clock.pauseAt(Date.now() + 60_000)
    const poll = async () => {
      const before = lists.length
      // A tick does nothing while the call before is under way.
      await expect
        .poll(async () => {
          await page.clock.runFor(5_000)
          return lists.length
        })
        .toBeGreaterThan(before)
      await lists.at(-1)?.response()
    }
    const atFirst = (await updatedOf(page).textContent()) ?? ''
    await poll()
    // What an answer changes is drawn a moment after it.
    await expect(updatedOf(page)).not.toHaveText(atFirst)
    const good = (await updatedOf(page).textContent()) ?? ''
    for (const status of [500, null]) {
      const { end } = await answer(page, vmApi.list, status)
      await poll()
      await expect(statusOf(page, vm.name, 'Provisioning')).toBeVisible()
      await expect(updatedOf(page)).toHaveText(good)
      await expect(toasts(page).getByRole('alert')).toHaveCount(0)
      await end()
    }
    await poll()
    await expect(updatedOf(page)).not.toHaveText(good)
  })

  test('is empty without a word when the first load fails', async ({ page, project, makeVm }) => {
    await makeVm('engine')
    for (const status of [500, null]) {
      const { end } = await answer(page, vmApi.list, status)
      await page.goto(vmListPath(project.id))
      await expect(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
      await expect(updatedOf(page)).toHaveCount(0)
      await expect(page.getByRole('alert')).toHaveCount(0)
      await end()
    }
  })

  test('shows every status, whatever its case, and an unknown one as it is', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
    const sent = VmStatus.options.flatMap((word) => [word, word.toUpperCase(), capital(word)])
    await answer(
      page,
      vmApi.list,
      200,
      [...sent, 'migrating', 'Paused'].map((status) => ({
        ...vm,
        id: status,
        name: `vm ${status}.`,
        status,
      })),
    )
    await page.goto(vmListPath(project.id))
    const search = page.getByRole('searchbox', { name: 'Search VMs' })
    for (const status of sent) {
      await search.fill(`vm ${status}.`)
      await expect(statusOf(page, `vm ${status}.`, capital(status.toLowerCase()))).toBeVisible()
    }
    for (const status of ['migrating', 'Paused']) {
      await search.fill(status)
      await expect(statusOf(page, `vm ${status}.`, status)).toBeVisible()
    }
    await expect(page.getByRole('status').filter({ hasText: 'Showing' })).toHaveText('Showing 1 of 35 VMs')
    await search.fill('nothing like it')
    await expect(page.getByText('No VM matches "nothing like it".')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect(page.getByText('Showing 35 of 35 VMs')).toBeVisible()
  })
})

test.describe('a card', () => {
  test('shows what the VM is, and leads to its page', async ({ page, project, sshKey, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmListPath(project.id))
    const card = cardOf(page, vm.name)
    await expect(statusOf(page, vm.name, 'Running')).toBeVisible()
    await expect(card.getByText(vm.template_name)).toBeVisible()
    await expect(card.getByRole('term')).toHaveText([
      'CPU',
      'RAM',
      'Network',
      'IP Address',
      'SSH Key',
      'Created',
    ])
    await expect(card.getByRole('definition')).toHaveText([
      '1 core',
      '256 MB',
      'Active',
      vm.ip_address ?? '',
      `${sshKey.name}SSH connection`,
      shownMoment(vm.created_at),
    ])
    await more(page, vm, 'View Details')
    await expect(page).toHaveURL(vmPath(vm))
  })

  test('tells the real size of its VM, and the sign of its template', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine')
    const of = (name: string, more: Partial<Vm>) => ({ ...vm, id: name, name, ...more })
    await answer(page, vmApi.list, 200, [
      of('starter', { cpu: 2, memory_mb: 4096, template_id: templateId }),
      of('own', { template_id: 'own' }),
      of('other', { template_id: 'other' }),
    ])
    await page.goto(vmListPath(project.id))
    await expect(cardOf(page, 'starter').getByRole('definition').nth(0)).toHaveText('2 cores')
    await expect(cardOf(page, 'starter').getByRole('definition').nth(1)).toHaveText('4.0 GB')
    const sign = (name: string) =>
      cardOf(page, name)
        .getByRole('paragraph')
        .filter({ hasText: vm.template_name })
        .locator('svg')
        .innerHTML()
    expect(await sign('own')).toBe(await sign('other'))
    expect(await sign('own')).not.toBe(await sign('starter'))
  })

  test.describe('for a German', () => {
    test.use({ locale: 'de-DE' })

    test('writes the date of its VM as the browser does', async ({ page, project, makeVm }) => {
      const vm = { ...(await makeVm('engine')), created_at: '2026-11-20T23:30:00.000Z' }
      await withoutStream(page)
      await answer(page, vmApi.list, 200, [vm])
      await page.goto(vmListPath(project.id))
      await expect(cardOf(page, vm.name).getByRole('definition').last()).toHaveText(
        '20. Nov. 2026, 23:30 UTC',
      )
    })
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
    test(`has a button that copies: ${button}`, async ({ page, context, project, makeVm }) => {
      const vm = await makeVm('engine', 'running')
      await page.goto(vmListPath(project.id))
      await page.getByRole('button', { name: button }).click()
      await expect(toasts(page).getByRole('status')).toHaveText(success)
      expect(await copied(page)).toBe(text(vm))

      const plain = await context.newPage()
      await browseWithoutClipboard(plain)
      await plain.goto(vmListPath(project.id))
      await page.evaluate(() => navigator.clipboard.writeText(''))
      await plain.getByRole('button', { name: button }).click()
      await expect(toasts(plain).getByRole('status')).toHaveText(success)
      await page.bringToFront()
      expect(await copied(page)).toBe(text(vm))

      await refuseCopies(page)
      await page.reload()
      await page.getByRole('button', { name: button }).click()
      await expect(toasts(page).getByRole('alert')).toHaveText('Failed to copy to clipboard.')
    })
  }

  test('copies the command with its port where that is not 22', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await answer(page, vmApi.list, 200, [{ ...vm, ip_address: '192.0.2.7', ssh_port: 2207 }])
    await page.goto(vmListPath(project.id))
    await page.getByRole('button', { name: 'Copy SSH connection string' }).click()
    expect(await copied(page)).toBe('ssh -p 2207 root@192.0.2.7')
  })

  test('copies nothing, and tells why there is no shell, while there is no address', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    await page.goto(vmListPath(project.id))
    await expect(cardOf(page, vm.name).getByText('Inactive')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Copy/ })).toHaveCount(0)
    await page.getByRole('button', { name: `More actions for ${vm.name}` }).click()
    const entry = page.getByRole('menuitem', { name: 'SSH Connect' })
    await expect(entry).toBeDisabled()
    await expect(entry).toContainText('The VM has no address yet. It is assigned one when it runs.')
  })

  test('opens the SSH commands', async ({ page, project, makeVm, sshKey }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmListPath(project.id))
    await more(page, vm, 'SSH Connect')
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog).toContainText(`ssh root@${vm.ip_address}`)
    await expect(dialog).toContainText(`The key ${sshKey.name} is installed.`)
    await expect(dialog.getByText(/^ssh engine\.engines@127\.0\.0\.1 -p \d+$/)).toBeVisible()
    await expect(dialog.getByText(/^SHA256:/)).toBeVisible()
    await dialog.getByText('Copy files and reach ports').click()
    await dialog.getByRole('button', { name: 'Copy the command: Look through its files' }).click()
    await expect(toasts(page).getByRole('status')).toHaveText('Copied to clipboard!')
    expect(await copied(page)).toBe(`sftp root@${vm.ip_address}`)
  })

  test('leads whoever is elsewhere through the gateway, by the name of its VM', async ({
    page,
    project,
    server,
    user,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    // An address of this machine by which only somebody elsewhere would call it.
    const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0')
    await page.goto(`${elsewhere}/signin`)
    await trySignIn(page, user)
    await expect(page).not.toHaveURL(/signin/)
    await page.goto(elsewhere + vmListPath(project.id))
    await page.getByRole('button', { name: 'Copy SSH connection string' }).click()
    const command = /^ssh engine\.engines@0\.0\.0\.0 -p \d+$/
    await expect(toasts(page).getByRole('status')).toHaveText('SSH connection string copied to clipboard!')
    await more(page, vm, 'SSH Connect')
    const dialog = page.getByRole('dialog', { name: 'SSH Connect' })
    await expect(dialog.getByRole('code').nth(0)).toHaveText(command)
    await expect(dialog.getByRole('code').nth(1)).toHaveText(`ssh root@${vm.ip_address}`)
    await expect(dialog.getByText("On the server's own machine only")).toBeVisible()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.goto(elsewhere + vmPath(vm))
    await expect(page.getByRole('code').first()).toHaveText(command)
  })

  test('says on focus why it has no console while its VM is off', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await answer(page, vmApi.list, 200, [{ ...vm, status: 'stopped', ip_address: null }])
    await page.goto(vmListPath(project.id))
    const reason = 'VM is not running'
    const button = cardOf(page, vm.name).getByRole('button', { name: 'Console' })
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription(reason)
    await expect(page.getByText(reason)).toBeHidden()
    await cardOf(page, vm.name).getByRole('button', { name: 'Start', exact: true }).focus()
    await page.keyboard.press('Tab')
    await expect(button).toBeFocused()
    await expect(page.getByText(reason)).toBeVisible()
  })

  test('stops and starts its VM, and tells when that fails', async ({ page, project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    await page.goto(vmListPath(project.id))
    const card = cardOf(page, vm.name)
    const stop = card.getByRole('button', { name: 'Stop', exact: true })
    const start = card.getByRole('button', { name: 'Start', exact: true })
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
        const { end } = await answer(page, endpoint, status, body)
        await button.click()
        await expect(toasts(page).getByRole('alert').first().getByRole('paragraph')).toHaveText([...lines])
        await dismissToasts(page)
        await end()
      }
      await button.click()
      // What is on its way up can only be stopped, and what is on its way down only started.
      const other = button === stop ? start : stop
      await expect(other).toBeDisabled()
      await expect(other).toHaveAccessibleDescription(
        button === stop
          ? 'VM cannot be started while it is stopping'
          : 'VM cannot be stopped while it is starting',
      )
      await expect(statusOf(page, vm.name, next)).toBeVisible()
    }
  })

  test('offers Stop while its VM is on its way up, and Start once it is off', async ({
    page,
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    const words = ['pending', 'starting', 'running', 'suspending', 'suspended', 'stopped'] as const
    await answer(
      page,
      vmApi.list,
      200,
      words.map((status) => ({ ...vm, id: status, name: status, status })),
    )
    await page.goto(vmListPath(project.id))
    for (const word of words) {
      const isDown = word === 'stopped' || word === 'suspended'
      const [offered, other] = isDown ? ['Start', 'Stop'] : ['Stop', 'Start']
      const button = (name: string | undefined) =>
        cardOf(page, word).getByRole('button', { name: name ?? '', exact: true })
      await expect(button(offered)).toBeVisible()
      await expect(button(other)).toHaveCount(0)
    }
  })

  test('shows of a stopped VM that it has no address', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('engine', 'running')
    await call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
    await page.goto(vmListPath(project.id))
    await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible()
    await expect(cardOf(page, vm.name).getByRole('definition').nth(2)).toHaveText('Inactive')
    await expect(cardOf(page, vm.name).getByRole('definition').nth(3)).toHaveText('None while stopped')
    await expect(page.getByRole('button', { name: /^Copy/ })).toHaveCount(0)
  })

  test('deletes its VM after a question', async ({ page, project, makeVm, call }) => {
    const vm = await makeVm('engine', 'running')
    await makeVm('loom', 'running')
    await page.goto(vmListPath(project.id))
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await more(page, vm, 'Delete VM')
    await expect(question).toContainText(
      'Are you sure you want to delete VM "engine"? Attached disks are kept. This action cannot be undone.',
    )
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(cardOf(page, vm.name)).toBeVisible()
    await more(page, vm, 'Delete VM')
    for (const [status, body, lines] of [
      [409, { message: 'Not now' }, ['Failed to delete VM. Please try again.', 'Not now']],
      [500, {}, ['Failed to delete VM. Please try again.']],
    ] as const) {
      const { end } = await answer(page, vmApi.delete, status, body)
      await question.getByRole('button', { name: 'Delete VM' }).click()
      await expect(toasts(page).getByRole('alert').first().getByRole('paragraph')).toHaveText([...lines])
      // The reason stays where one can act on it.
      await expect(question.getByRole('alert')).toHaveText(lines.at(-1) ?? '')
      await end()
    }
    await question.getByRole('button', { name: 'Delete VM' }).click()
    await expect(toasts(page).getByRole('status')).toContainText('VM "engine" deleted successfully')
    await expect(cardOf(page, vm.name)).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(cardOf(page, 'loom')).toBeVisible()
    expect(await call(vmApi.list, { params: { projectId: project.id } })).toMatchObject([{ name: 'loom' }])
    expect(await call(projectApi.list, {})).toHaveLength(1)
  })
})

test('what one page does, every other page shows without asking', async ({
  page,
  context,
  project,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const list = await context.newPage()
  await list.goto(vmListPath(project.id))
  await expect(statusOf(list, vm.name, 'Running')).toBeVisible()
  // From here on only the event stream can tell.
  await answer(list, vmApi.list, null)

  await page.goto(vmPath(vm))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(statusOf(list, vm.name, 'Stopped')).toBeVisible()
  const other = await makeVm('loom')
  await expect(cardOf(list, other.name)).toBeVisible()
  await more(page, vm, 'Delete VM')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete VM' }).click()
  await expect(cardOf(list, vm.name)).toHaveCount(0)
})

test('the poll alone is enough when the event stream is dead', async ({ page, project, makeVm }) => {
  const vm = await makeVm('fault-never-ready', 'provisioning')
  await withoutStream(page)
  await page.goto(vmListPath(project.id))
  await expect(statusOf(page, vm.name, 'Provisioning')).toBeVisible()
  await page.request.post(`/api${vmPath(vm)}/stop`, { data: { force: true } })
  await expect(statusOf(page, vm.name, 'Stopped')).toBeVisible()
})

async function expectTotals(page: Page, ...texts: string[]): Promise<void> {
  await expect(
    page.getByRole('main').getByText(/^(Total|Running|Suspended|Stopped|Provisioning)\d+$/),
  ).toHaveText(texts)
}
