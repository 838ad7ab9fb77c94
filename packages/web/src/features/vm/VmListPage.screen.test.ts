import { type Vm, VmStatus, vmApi } from '@slipway/contract'
import { vmListPath, vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryClient } from '../../api/query.ts'
import { holdClock, passTime, stopClock } from '../../screen/clock.test-kit.ts'
import { answer, callsOf, withoutStream } from '../../screen/network.test-kit.ts'
import { address, back, call, choose, follow, reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectToast, texts, toasts } from '../../screen/shown.test-kit.ts'
import { cardOf, more, statusOf } from './vm.test-kit.ts'

const refreshing = () => page.getByText('Auto-refresh every 5 s')
const search = () => page.getByRole('searchbox', { name: 'Search VMs' })
const updated = () => page.getByText(/^Last updated/)
const shownCount = () => page.getByRole('status').filter({ hasText: /^Showing/ })
const alerts = () => page.getByRole('alert').elements()

/** Outlines stand for cards that are not drawn yet. */
const outlines = () => document.querySelectorAll('article[aria-label]')

/** Has the page ask again, as when one comes back to its tab. */
async function refetch(): Promise<void> {
  const calls = callsOf(vmApi.list)
  // What is fresh is not asked for again.
  await expect
    .poll(() => {
      if (calls.length === 0) window.dispatchEvent(new Event('visibilitychange'))
      return calls
    })
    .toHaveLength(1)
}

/** Several that differ in their names. */
const alike = (vm: Vm, count: number, prefix = 'loom'): Vm[] =>
  Array.from({ length: count }, (_, i) => ({ ...vm, id: `${prefix}-${i}`, name: `${prefix}-${i}` }))

/** Where the cards are that are drawn, in the window. */
const places = () =>
  [...document.querySelectorAll('[role=listitem] > article')].map((card) => ({
    name: card.getAttribute('aria-label') ?? card.querySelector('h2')?.textContent,
    top: Math.round(card.getBoundingClientRect().top),
    bottom: Math.round(card.getBoundingClientRect().bottom),
  }))

const expectTotals = (...totals: string[]) =>
  expect
    .poll(() =>
      texts(page.getByRole('main').getByText(/^(Total|Running|Suspended|Stopped|Provisioning)\d+$/)),
    )
    .toEqual(totals)

describe('the list that changes', () => {
  test('keeps an open dialog and its focus when a VM appears above', async ({ project, makeVm }) => {
    // One column: the rows move.
    await page.viewport(390, 800)
    const vm = await makeVm('engine', 'running')
    const { end } = answer(vmApi.list, 200, [vm])
    await visit(vmListPath(project.id))
    await more(vm, 'Delete VM')
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await end()
    answer(vmApi.list, 200, [{ ...vm, id: 'above', name: 'above' }, vm])
    await refetch()
    await expect.element(page.getByText('above', { exact: true })).toBeInTheDocument()
    await expect.element(question).toBeVisible()
    await expect.element(question.getByRole('button', { name: 'Cancel' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('button', { name: `More actions for ${vm.name}` })).toHaveFocus()
  })

  test('holds still in two columns when nine VMs appear above at once', async ({ project, makeVm }) => {
    await page.viewport(1000, 800)
    const vm = await makeVm('engine', 'running')
    const some = (prefix: string, count: number): Vm[] =>
      // Some are higher than others: those say why they failed.
      alike(vm, count, prefix).map((one, i) => ({
        ...one,
        ...(i % 5 === 2 && {
          status: 'failed' as const,
          ip_address: null,
          status_message: 'The guest crashed while it started, and its log says nothing of it. '.repeat(3),
        }),
      }))
    const old = some('old', 40)
    const { end } = answer(vmApi.list, 200, old)
    await visit(vmListPath(project.id))
    await expect.element(cardOf('old-0')).toBeVisible()
    // As one scrolls: rows are measured on the way.
    for (let way = 0; way < 10; way++) {
      const before = scrollY
      scrollBy(0, 250)
      expect(scrollY).toBeGreaterThan(before)
      await new Promise(requestAnimationFrame)
      await expect.poll(outlines).toHaveLength(0)
    }
    // Cards are mixed anew into rows of two, whose heights are then others: the first card in sight stays in its place.
    const looked = places().find(({ bottom }) => bottom > 0)
    const moved = () => {
      const now = places().find(({ name }) => name === looked?.name)
      return Math.abs((now?.top ?? 9_999) - (looked?.top ?? 0))
    }
    expect(looked?.name).toMatch(/^old-/)
    await end()
    answer(vmApi.list, 200, [...some('new', 9), ...old])
    await refetch()
    await expect.element(page.getByText('Showing 49 of 49 VMs')).toBeInTheDocument()
    await expect.poll(moved).toBeLessThan(2)
    // And it stays when what is new above is drawn and measured.
    await expect.poll(outlines).toHaveLength(0)
    expect(moved()).toBeLessThan(2)
  })

  test('keeps in sight what is in sight, to the pixel, when VMs come and go above', async ({
    project,
    makeVm,
  }) => {
    await page.viewport(390, 800)
    const vm = await makeVm('engine', 'running')
    const many = alike(vm, 30)
    const { end } = answer(vmApi.list, 200, many)
    await visit(vmListPath(project.id))
    const held = cardOf('loom-14')
    await expect.element(cardOf('loom-1')).toBeVisible()
    // What comes near is drawn a moment later, so a way that was too fast is gone once more.
    let y = 0
    await expect
      .poll(() => {
        if (held.elements().length > 0) return true
        scrollTo(0, y)
        y = (y + 400) % 16_000
        return false
      })
      .toBe(true)
    const top = () => held.element().getBoundingClientRect().top
    const place = () => Math.round(top())
    // The first in sight, and a bit of it is not. What is drawn on the way there may still turn out higher or lower.
    await expect
      .poll(() => {
        const drawn = held.getByText('Created').elements().length
        const found = place()
        if (found !== -20) scrollBy(0, top() + 20)
        return { drawn, found }
      })
      .toEqual({ drawn: 1, found: -20 })
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
      const { end } = answer(vmApi.list, 200, list)
      await refetch()
      await expect.element(held).toHaveAttribute('aria-labelledby')
      await expect
        .poll(() => held.element().parentElement?.getAttribute('aria-setsize'))
        .toBe(String(list.length))
      await expect.poll(place).toBe(-20)
      await end()
    }
    scrollTo(0, 0)
    await expect.element(cardOf('loom-0')).toBeInViewport()
  })

  test('has its search and its dialog in the URL: a reload keeps them, and Back closes', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    answer(vmApi.list, 200, [...alike(vm, 12), vm])
    await visit(vmListPath(project.id))
    await userEvent.type(search(), 'engi')
    await expect.poll(address).toMatch(/\?search=engi$/)
    await more(vm, 'Delete VM')
    const question = page.getByRole('alertdialog', { name: 'Delete VM' })
    await expect.poll(address).toMatch(new RegExp(`search=engi&dialog=delete-vm&of=${vm.id}$`))
    await reload()
    await expect.element(question).toBeVisible()
    await back()
    await expect.element(question).not.toBeInTheDocument()
    await expect.element(search()).toHaveValue('engi')
    await expectCount(page.getByRole('article'), 1)
    await follow(page.getByRole('link', { name: vm.name }), vmPath(vm))
    await back()
    await expect.element(search()).toHaveValue('engi')
    await search().fill('')
    await expect.poll(address).toBe(vmListPath(project.id))
  })

  test('is filtered by status and by tag, which the URL keeps', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running', { tags: ['prod'] })
    const off = { ...vm, status: 'stopped' as const, ip_address: null }
    answer(vmApi.list, 200, [
      ...alike({ ...off, tags: [] }, 12),
      vm,
      { ...vm, id: 'red', name: 'red', tags: ['team/red'] },
      { ...off, id: 'prod-off', name: 'prod-off' },
    ])
    await visit(vmListPath(project.id))
    await expect.element(shownCount()).toHaveTextContent('Showing 15 of 15 VMs')
    await choose('Status', 'Running')
    await expect.element(shownCount()).toHaveTextContent('Showing 2 of 15 VMs')
    await choose('Tag', 'prod')
    await expect.element(shownCount()).toHaveTextContent('Showing 1 of 15 VMs')
    await expect.poll(address).toMatch(/\?status=running&tag=prod$/)
    await reload()
    await expectCount(page.getByRole('article'), 1)
    await expect.element(cardOf('engine')).toBeVisible()
    await choose('Status', 'Suspended')
    await expect.element(page.getByText('No VM matches these filters.')).toBeVisible()
    await choose('Status', 'All Status')
    await expectCount(page.getByRole('article'), 2)
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect.element(shownCount()).toHaveTextContent('Showing 15 of 15 VMs')
    await expect.element(search()).toHaveFocus()
    await expect.poll(address).toBe(vmListPath(project.id))
  })

  test('closes a dialog about a VM that no longer exists, and says so', async ({ project, makeVm }) => {
    await makeVm('engine')
    await visit(`${vmListPath(project.id)}?dialog=delete-vm&of=nobody`)
    await expectToast('The VM no longer exists.')
    await expect.poll(address).toBe(vmListPath(project.id))
  })

  test('asks before a VM without persistent storage is stopped', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running', { persistent: false })
    await visit(vmListPath(project.id))
    await expectText(cardOf(vm.name), 'Not persistent')
    await cardOf(vm.name).getByRole('button', { name: 'Stop', exact: true }).click()
    const question = page.getByRole('alertdialog', { name: 'Stop VM' })
    await expectText(question, 'everything on its root disk is lost')
    await question.getByRole('button', { name: 'Stop VM' }).click()
    await expect.element(question).not.toBeInTheDocument()
    await expect.element(statusOf(vm.name, 'Stopped')).toBeVisible()
  })
})

describe('the list', () => {
  test('is empty at first and leads to the templates', async ({ project }) => {
    await visit(vmListPath(project.id))
    await expect.element(page.getByRole('heading', { level: 1, name: 'Virtual Machines' })).toBeVisible()
    for (const which of [0, 1]) {
      await expect.element(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
      await follow(page.getByRole('link', { name: 'Create VM' }).nth(which), '/templates')
      await back()
      await expect.poll(address).toBe(vmListPath(project.id))
    }
  })

  test('counts, and shows that it refreshes only while a VM is on its way', async ({ project, makeVm }) => {
    await makeVm('engine', 'running')
    await visit(vmListPath(project.id))
    await expect.element(statusOf('engine', 'Running')).toBeVisible()
    await expect.element(refreshing()).not.toBeInTheDocument()
    await expectText(updated(), /\d\d:\d\d:\d\d$/)
    await expectTotals('Total1', 'Running1', 'Stopped0')
    const stuck = await makeVm('fault-never-ready')
    await expect.element(refreshing()).toBeVisible()
    await expectTotals('Total2', 'Running1', 'Stopped0', 'Provisioning1')
    await more(stuck, 'Force stop')
    await expectTotals('Total2', 'Running1', 'Stopped1')
    await expect.element(refreshing()).not.toBeInTheDocument()
  })

  test('is asked for again every 5 s to the millisecond while a VM is on its way, and then no more', async ({
    project,
    makeVm,
  }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    const cutOff = () =>
      call(vmApi.stop, { params: { projectId: project.id, vmId: vm.id }, body: { force: true } })
    await cutOff()
    withoutStream()
    const lists = callsOf(vmApi.list)
    const singles = callsOf(vmApi.get)
    await visit(vmListPath(project.id))
    await expect.element(statusOf(vm.name, 'Stopped')).toBeVisible()
    await expect.element(refreshing()).not.toBeInTheDocument()
    await stopClock()
    holdClock()
    const settled = lists.length
    await cardOf(vm.name).getByRole('button', { name: 'Start', exact: true }).click()
    // The answer to the click carries the new status, and from here on the list is asked for.
    await expect.element(statusOf(vm.name, 'Starting')).toBeVisible()
    await expect.element(refreshing()).toBeVisible()
    const asked = () => lists.length - settled
    for (const times of [1, 2, 3]) {
      const before = updated().element().textContent
      await passTime(4_999)
      expect(asked()).toBe(times - 1)
      await passTime(1)
      await expect.poll(asked).toBe(times)
      await expect.element(updated()).not.toHaveTextContent(before)
    }
    await cutOff()
    await expect
      .poll(async () => {
        await passTime(5_000)
        return statusOf(vm.name, 'Stopped').elements()
      })
      .toHaveLength(1)
    await expect.element(refreshing()).not.toBeInTheDocument()
    const last = lists.length
    await passTime(30_000)
    expect(lists).toHaveLength(last)
    // The whole list at once, not VM by VM.
    expect(singles).toEqual([])
  })

  test('keeps what it has, and its time, when a poll fails', async ({ project, makeVm }) => {
    const vm = await makeVm('fault-never-ready', 'provisioning')
    const lists = callsOf(vmApi.list)
    await stopClock()
    holdClock()
    await visit(vmListPath(project.id))
    await expect.element(statusOf(vm.name, 'Provisioning')).toBeVisible()
    const poll = async () => {
      const before = lists.length
      // A tick does nothing while the call before is under way.
      await expect
        .poll(async () => {
          await passTime(5_000)
          return lists.length
        })
        .toBeGreaterThan(before)
      await expect.poll(() => queryClient.isFetching()).toBe(0)
    }
    const atFirst = updated().element().textContent
    await poll()
    // What an answer changes is drawn a moment after it.
    await expect.element(updated()).not.toHaveTextContent(atFirst)
    const good = updated().element().textContent
    for (const status of [500, null]) {
      const { end } = answer(vmApi.list, status)
      await poll()
      await expect.element(statusOf(vm.name, 'Provisioning')).toBeVisible()
      await expect.element(updated()).toHaveTextContent(good)
      await expectCount(toasts().getByRole('alert'), 0)
      await end()
    }
    await poll()
    await expect.element(updated()).not.toHaveTextContent(good)
  })

  test('is empty without a word when the first load fails', async ({ project, makeVm }) => {
    await makeVm('engine')
    for (const status of [500, null]) {
      const { end } = answer(vmApi.list, status)
      await visit(vmListPath(project.id))
      await expect.element(page.getByRole('heading', { name: 'No Virtual Machines Yet' })).toBeVisible()
      await expectCount(updated(), 0)
      await expect.poll(alerts).toHaveLength(0)
      await end()
    }
  })

  test('shows every status, whatever its case, and an unknown one as it is', async ({ project, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    const sent = ['RUNNING', 'Stopped', 'migrating', ...VmStatus.options]
    const name = (status: string) => `vm ${status}.`
    answer(
      vmApi.list,
      200,
      sent.map((status) => ({ ...vm, id: status, name: name(status), status })),
    )
    await visit(vmListPath(project.id))
    for (const status of sent) {
      await search().fill(name(status))
      const word = status.toLowerCase()
      const shown = status === 'migrating' ? status : word.charAt(0).toUpperCase() + word.slice(1)
      await expect.element(statusOf(name(status), shown)).toBeVisible()
    }
    await search().fill('nothing like it')
    await expect.element(page.getByText('No VM matches "nothing like it".')).toBeVisible()
    await page.getByRole('button', { name: 'Clear Filters' }).click()
    await expect.element(page.getByText(`Showing ${sent.length} of ${sent.length} VMs`)).toBeVisible()
  })
})
