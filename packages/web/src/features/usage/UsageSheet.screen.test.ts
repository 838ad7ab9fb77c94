import { type CallOutput, type UsageSample, usageApi, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { makeVmPool, makeVmSet } from '@slipway/e2e/objects'
import { vmListPath, vmPath, vmPoolPath, vmSetPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf, hold } from '../../screen/network.test-kit.ts'
import { reload, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectText, expectTexts } from '../../screen/shown.test-kit.ts'

const sample = (secondsAgo: number, more: Partial<UsageSample> = {}): UsageSample => ({
  at: new Date(Date.now() - secondsAgo * 1000).toISOString(),
  running: 1,
  cpu: 10,
  memory_mb: 100,
  disk_read: 4_200_000,
  disk_write: 0,
  net_in: null,
  net_out: null,
  ...more,
})

const usage = (...samples: UsageSample[]): CallOutput<typeof usageApi.ofVm> => ({
  every_s: 10,
  cpu: 1,
  memory_mb: 256,
  samples,
})

test('what a VM uses is measured while it runs, and shown on its page, its card and the dashboard', async ({
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const stopped = await makeVm('idle', 'running')
  await visit(vmPath(stopped))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect
    .element(page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }))
    .toBeVisible()
  await visit(vmPath(vm))
  const charts = page.getByRole('region', { name: 'Usage' })
  const chart = (name: RegExp) => charts.getByRole('img', { name })
  // The first sample is the difference to one before.
  await expect
    .element(chart(/^CPU now \d+%, highest \d+% at \d\d:\d\d\.$/), { timeout: 30_000 })
    .toBeVisible()
  await expect.element(chart(/^Memory now \d+ MB, highest/)).toBeVisible()
  await expect.element(chart(/^Disk read now .+; write now /)).toBeVisible()
  await charts.getByRole('button', { name: 'Day' }).click()
  await expect.element(charts.getByRole('button', { name: 'Day' })).toHaveAttribute('aria-pressed', 'true')

  const calls = callsOf(usageApi.ofVms)
  await visit(vmListPath(vm.project_id))
  const card = (name: string) => page.getByRole('article', { name, exact: true })
  await expect.element(card('engine').getByText(/^CPU \d+%$/)).toBeVisible()
  await expect.element(card('idle').getByText('Stopped', { exact: true })).toBeVisible()
  await expectCount(card('idle').getByText(/^CPU \d+%$/), 0)
  expect(calls).toHaveLength(1)

  await visit('/')
  const project = page.getByRole('region', { name: 'Usage of the last hour' })
  await expectText(project, /CPU\d+%of \d cores?/, /Memory\d+ MBof \d+ MB/)
})

describe('the charts of a VM', () => {
  test('wait, fail in words and try again, and tell where nothing is measured', async ({ makeVm }) => {
    const vm = await makeVm('engine', 'running')
    const charts = page.getByRole('region', { name: 'Usage' })
    const refused = answer(usageApi.ofVm, 500)
    const { letGo } = hold(usageApi.ofVm)
    await visit(vmPath(vm))
    await expectText(charts, 'Loading usage...')
    letGo()
    await expectText(charts, 'Usage could not be loaded.')
    await refused.end()
    const beginning = answer(usageApi.ofVm, 200, usage())
    await charts.getByRole('button', { name: 'Try Again' }).click()
    await expectText(charts, 'No measurements yet.')
    await beginning.end()
    answer(usageApi.ofVm, 200, usage())
    answer(vmApi.get, 200, { ...vm, status: 'stopped', ip_address: null })
    await reload()
    await expectText(charts, 'The VM was not running.')
  })

  test('show the present and the highest values, leave gaps, and say what the guest does not tell', async ({
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    answer(
      usageApi.ofVm,
      200,
      usage(sample(1200, { cpu: 80.4 }), sample(1190), sample(20), sample(10, { cpu: 12, disk_read: 500 })),
    )
    await visit(vmPath(vm))
    const charts = page.getByRole('region', { name: 'Usage' })
    await expect.element(charts.getByRole('img', { name: /^CPU now 12%, highest 80% at/ })).toBeVisible()
    const drawn = charts.getByRole('img', { name: /^CPU/ }).element().querySelector('canvas')
    expect(drawn?.checkVisibility()).toBe(true)
    await expect
      .element(charts.getByRole('img', { name: /^Disk read now 500 B\/s, highest 4\.2 MB\/s/ }))
      .toBeVisible()
    await expectText(charts, 'NetworkNot reported by the guest.')
    await expectTexts(charts.getByRole('heading'), ['Usage', 'CPU', 'Memory', 'Disk', 'Network'])
  })
})

test('a pool and a set show what their VMs use together', async ({ project }) => {
  const together = usage(sample(10, { memory_mb: 512, net_in: 2000, net_out: 1000 }))
  const pool = makeVmPool('web', { project_id: project.id })
  const set = makeVmSet('db', { project_id: project.id })
  answer(vmPoolApi.get, 200, { ...pool, vms: [] })
  answer(usageApi.ofVmPool, 200, { ...together, memory_mb: 1024 })
  answer(vmSetApi.get, 200, { ...set, vms: [] })
  answer(usageApi.ofVmSet, 200, usage())
  await visit(vmPoolPath(pool))
  const charts = page.getByRole('region', { name: 'Usage' })
  await expectTexts(charts.getByRole('heading'), ['Usage', 'Memory', 'Disk', 'Network'])
  await expect
    .element(charts.getByRole('img', { name: /^Network in now 2 kB\/s, highest .+; out/ }))
    .toBeVisible()
  await visit(vmSetPath(set))
  await expectText(charts, 'None of its VMs were running.')
  await expect.element(page.getByRole('heading', { level: 1, name: set.name })).toBeVisible()
})

test('a project in which nothing runs says so', async ({ makeVm, project }) => {
  await makeVm('fault-crash', 'failed')
  await visit('/')
  await expect.element(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible()
  const cells = page.getByRole('region', { name: 'Usage of the last hour' })
  await expect.element(cells).toHaveTextContent('CPUNo running VMsMemoryNo running VMs')
})
