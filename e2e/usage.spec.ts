import { type CallOutput, type UsageSample, usageApi, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { expect, test } from './fixtures.ts'
import { answer, callsOf, hold, makeVmPool, makeVmSet } from './network.ts'
import { vmListPath, vmPath, vmPoolPath, vmSetPath } from './paths.ts'

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
  page,
  makeVm,
}) => {
  const vm = await makeVm('engine', 'running')
  const stopped = await makeVm('idle', 'running')
  await page.goto(vmPath(stopped))
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(
    page.getByRole('region', { name: 'Facts' }).getByText('Stopped', { exact: true }),
  ).toBeVisible()
  await page.goto(vmPath(vm))
  const charts = page.getByRole('region', { name: 'Usage' })
  const chart = (name: RegExp) => charts.getByRole('img', { name })
  // The first sample is the difference to one before.
  await expect(chart(/^CPU now \d+%, highest \d+% at \d\d:\d\d\.$/)).toBeVisible({ timeout: 30_000 })
  await expect(chart(/^Memory now \d+ MB, highest/)).toBeVisible()
  await expect(chart(/^Disk read now .+; write now /)).toBeVisible()
  await charts.getByRole('button', { name: 'Day' }).click()
  await expect(charts.getByRole('button', { name: 'Day' })).toHaveAttribute('aria-pressed', 'true')

  const calls = callsOf(page, usageApi.ofVms)
  await page.goto(vmListPath(vm.project_id))
  const card = (name: string) => page.getByRole('article', { name, exact: true })
  await expect(card('engine').getByText(/^CPU \d+%$/)).toBeVisible()
  await expect(card('idle').getByText('Stopped', { exact: true })).toBeVisible()
  await expect(card('idle').getByText(/^CPU \d+%$/)).toHaveCount(0)
  expect(calls).toHaveLength(1)

  await page.goto('/')
  const project = page.getByRole('region', { name: 'Usage of the last hour' })
  await expect(project).toContainText(/CPU\d+%of \d cores?/)
  await expect(project).toContainText(/Memory\d+ MBof \d+ MB/)
})

test.describe('the charts of a VM', () => {
  test('wait, fail in words and try again, and tell where nothing is measured', async ({ page, makeVm }) => {
    const vm = await makeVm('engine', 'running')
    const charts = page.getByRole('region', { name: 'Usage' })
    const refused = await answer(page, usageApi.ofVm, 500)
    const { letGo } = await hold(page, usageApi.ofVm)
    await page.goto(vmPath(vm))
    await expect(charts).toContainText('Loading usage...')
    letGo()
    await expect(charts).toContainText('Usage could not be loaded.')
    await refused.end()
    const beginning = await answer(page, usageApi.ofVm, 200, usage())
    await charts.getByRole('button', { name: 'Try Again' }).click()
    await expect(charts).toContainText('No measurements yet.')
    await beginning.end()
    await answer(page, usageApi.ofVm, 200, usage())
    await answer(page, vmApi.get, 200, { ...vm, status: 'stopped', ip_address: null })
    await page.reload()
    await expect(charts).toContainText('The VM was not running.')
  })

  test('show the present and the highest values, leave gaps, and say what the guest does not tell', async ({
    page,
    makeVm,
  }) => {
    const vm = await makeVm('engine', 'running')
    await answer(
      page,
      usageApi.ofVm,
      200,
      usage(sample(1200, { cpu: 80.4 }), sample(1190), sample(20), sample(10, { cpu: 12, disk_read: 500 })),
    )
    await page.goto(vmPath(vm))
    const charts = page.getByRole('region', { name: 'Usage' })
    await expect(charts.getByRole('img', { name: /^CPU now 12%, highest 80% at/ })).toBeVisible()
    await expect(charts.getByRole('img', { name: /^CPU/ }).locator('canvas')).toBeVisible()
    await expect(
      charts.getByRole('img', { name: /^Disk read now 500 B\/s, highest 4\.2 MB\/s/ }),
    ).toBeVisible()
    await expect(charts).toContainText('NetworkNot reported by the guest.')
    await expect(charts.getByRole('heading')).toHaveText(['Usage', 'CPU', 'Memory', 'Disk', 'Network'])
  })
})

test('a pool and a set show what their VMs use together', async ({ page, project }) => {
  const together = usage(sample(10, { memory_mb: 512, net_in: 2000, net_out: 1000 }))
  const pool = makeVmPool('web', { project_id: project.id })
  const set = makeVmSet('db', { project_id: project.id })
  await answer(page, vmPoolApi.get, 200, { ...pool, vms: [] })
  await answer(page, usageApi.ofVmPool, 200, { ...together, memory_mb: 1024 })
  await answer(page, vmSetApi.get, 200, { ...set, vms: [] })
  await answer(page, usageApi.ofVmSet, 200, usage())
  await page.goto(vmPoolPath(pool))
  const charts = page.getByRole('region', { name: 'Usage' })
  await expect(charts.getByRole('heading')).toHaveText(['Usage', 'Memory', 'Disk', 'Network'])
  await expect(charts.getByRole('img', { name: /^Network in now 2 kB\/s, highest .+; out/ })).toBeVisible()
  await page.goto(vmSetPath(set))
  await expect(charts).toContainText('None of its VMs were running.')
  await expect(page.getByRole('heading', { level: 1, name: set.name })).toBeVisible()
})

test('a project in which nothing runs says so', async ({ page, makeVm, project }) => {
  await makeVm('fault-crash', 'failed')
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible()
  const cells = page.getByRole('region', { name: 'Usage of the last hour' })
  await expect(cells).toHaveText('CPUNo running VMsMemoryNo running VMs')
})
