import { type Health, healthApi, healthTexts } from '@slipway/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeTestApp, testApp } from '../app.test-kit.ts'
import { deskWith, openDeskAt } from '../desk.test-kit.ts'
import { scrape } from '../metrics/scrape.test-kit.ts'

const app = await testApp({ admins: ['person-1@slipway.test'] })
const { ada: admin, runningVm } = await openDeskAt(app, (ms) => app.clock.advance(ms))
const other = await app.signedIn('Other')
const read = async () => (await admin.call(healthApi.get)).body

/** A VM that runs, so that every part has something to do. */
async function newVm(): Promise<string> {
  const vmId = await runningVm('web')
  await app.idle()
  return vmId
}

describe('the capacity of the host', () => {
  it('tells what the host has, what VMs were given and what is stored', async () => {
    const before = (await admin.call(healthApi.capacity)).body
    await newVm()
    const { body } = await admin.call(healthApi.capacity)
    expect(body.all.vms).toBe(before.all.vms + 1)
    expect(body.running.memory_mb).toBeGreaterThan(before.running.memory_mb)
    expect(body.free_memory_mb).toBe(
      (before.free_memory_mb ?? 0) - (body.running.memory_mb - before.running.memory_mb),
    )
    expect(body.processors).toBeGreaterThan(0)
    // A rate is known after an hour.
    expect(body.disk).toMatchObject({ growth_mb_per_day: null, full_at: null })
    expect(body.stored).toEqual({ disks_bytes: 0, vm_snapshots_bytes: 0, disk_snapshots_bytes: 0 })
    // The simulated engine keeps no guests ready.
    expect(body.reserve).toBe(null)
    const reserve = { take: () => null, held: () => ({ guests: 2, memoryMb: 180 }) }
    Object.assign(app.engine, { reserve })
    const { body: later } = await admin.call(healthApi.capacity)
    Object.assign(app.engine, { reserve: null })
    expect(later.reserve).toEqual({ guests: 2, memory_mb: 180 })
  })

  it('tells apart what is in bins, in those of whole projects too, in the metrics as well', async () => {
    const desk = await deskWith({ admins: ['person-1@slipway.test'] })
    const capacity = async () => (await desk.ada.call(healthApi.capacity)).body
    const metrics = async () =>
      (await scrape(desk.app)).text.split('\n').filter((line) => /^slipway_bin_/.test(line))
    const none = { vms: 0, disks_bytes: 0, vm_snapshots_bytes: 0, disk_snapshots_bytes: 0 }
    const disk = await desk.readyDisk({ size: '2Gi' })
    await desk.readyDisk({ name: 'other', size: '1Gi' })
    const vm = await desk.stoppedVm('web')
    const ofDisk = await desk.readyDiskSnapshot(disk)
    await desk.readyVmSnapshot(vm)
    const before = await capacity()
    expect(before.in_bins).toEqual(none)
    expect(before.stored.disk_snapshots_bytes).toBeGreaterThan(0)

    await desk.deleteVm(vm)
    await desk.deleteDiskSnapshot(ofDisk)
    await desk.deleteDisk(disk)
    const { in_bins, stored, all } = await capacity()
    const { disk_snapshots_bytes } = before.stored
    expect(in_bins).toEqual({ ...none, vms: 1, disks_bytes: 2 * 1024 ** 3, disk_snapshots_bytes })
    expect([stored, all.vms]).toEqual([before.stored, 0])
    expect(await metrics()).toEqual([
      'slipway_bin_vms 1',
      `slipway_bin_bytes{kind="disk"} ${2 * 1024 ** 3}`,
      'slipway_bin_bytes{kind="vm_snapshot"} 0',
      `slipway_bin_bytes{kind="disk_snapshot"} ${in_bins.disk_snapshots_bytes}`,
      'slipway_bin_pushed_out_total 0',
    ])

    await desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}?with_vms=true`)
    expect((await capacity()).in_bins).toEqual({ vms: 1, ...before.stored })
    await desk.ada.raw('DELETE', `/api/bin/${desk.params.projectId}`)
    await desk.pass()
    expect((await capacity()).in_bins).toEqual(none)
  })
})

describe('the health of the server', () => {
  it('is for administrators, and for nobody while none is named', async () => {
    const refused = { status: 403, body: { message: healthTexts.refused } }
    const without = await makeTestApp()
    onTestFinished(() => without.close())
    for (const person of [other, await without.signedIn()])
      for (const endpoint of [healthApi.get, healthApi.capacity])
        expect(await person.call(endpoint)).toMatchObject(refused)
  })

  it('tells what the engine has not found out about its host yet', async () => {
    const sentence = 'The host is busy. It is tried again every minute.'
    app.engine.capabilities.undecided = sentence
    expect(await read()).toMatchObject({ status: 'degraded', problems: [sentence] })
    app.engine.capabilities.undecided = null
    expect(await read()).toMatchObject({ status: 'ok', problems: [] })
  })

  it('tells of each reconciler what it did last, and of the process, the disk and the engine', async () => {
    await newVm()
    await app.clock.advance(30_000)
    const health = await read()
    expect(health.problems).toEqual([])
    expect(health.status).toBe('ok')
    expect(health.reconcilers.map(({ name }) => name).sort()).toEqual([
      'account-deletion',
      'batch',
      'bin-limit',
      'disk',
      'disk-snapshot',
      'mail',
      'network',
      'project',
      'vm',
      'vm-group',
      'vm-snapshot',
      'webhook',
    ])
    const vm = health.reconcilers.find(({ name }) => name === 'vm')
    expect(vm).toMatchObject({ working: 0, queued: 0, failing: 0, abandoned: 0, scans_failed_in_a_row: 0 })
    expect(vm?.looks).toBeGreaterThan(2)
    expect(Date.parse(vm?.last_scan_at ?? '')).toBeGreaterThan(app.clock.now() - 31_000)
    expect(health.measuring.failures_in_a_row).toBe(0)
    expect(health.process.memory_mb).toBeGreaterThan(10)
    expect(health.process.open_files).toBeGreaterThan(3)
    expect(health.data_directory?.size_mb).toBeGreaterThan(0)
    expect(health.engine).toMatchObject({ kind: 'simulated', answer_ms: expect.any(Number) })
  })

  it('is in the metrics as well', async () => {
    const { families } = await scrape(app)
    const scans = families.get('slipway_reconciler_last_scan_timestamp_seconds')
    expect(scans).toHaveLength(12)
    const looks = families.get('slipway_reconciler_looks_total') ?? []
    const succeeded = looks.find(
      ({ labels }) => labels?.reconciler === 'vm' && labels.outcome === 'succeeded',
    )
    expect(Number(succeeded?.value)).toBeGreaterThan(2)
    expect(families.get('slipway_degraded')).toEqual([{ value: '0' }])
    for (const name of ['slipway_event_loop_delay_seconds', 'slipway_data_free_bytes', 'process_open_fds'])
      expect(families.has(name)).toBe(true)
  })

  it('is degraded, with what to do, while a look hangs in the engine and after the engine stopped answering', async () => {
    const vmId = await newVm()
    const { inspect, freeMemoryMb } = app.engine
    const hung: (() => void)[] = []
    app.engine.inspect = (id) =>
      id === vmId ? new Promise((resolve) => hung.push(() => resolve(inspect(id)))) : inspect(id)
    app.engine.endRun(vmId, { how: 'clean' })
    await app.clock.advance(125_000)
    const health = await read()
    expect(health.status).toBe('degraded')
    expect(health.problems.join()).toContain('The vm reconciler abandoned')
    expect(health.reconcilers.find(({ name }) => name === 'vm')?.abandoned).toBeGreaterThan(0)
    expect((await scrape(app)).families.get('slipway_degraded')).toEqual([{ value: '1' }])

    app.engine.inspect = inspect
    for (const end of hung) end()
    await app.clock.advance(100_000)
    await app.idle()
    expect((await read()).problems).toEqual([])

    app.engine.freeMemoryMb = () => new Promise(() => {})
    const asked = read()
    await app.clock.advance(5_000)
    const unanswered: Health = await asked
    expect(unanswered.engine.answer_ms).toBeNull()
    expect(unanswered.problems.join()).toContain('The simulated engine does not respond.')
    app.engine.freeMemoryMb = freeMemoryMb
  })

  it('is degraded after the clock of the host jumped, and says until when nothing is deleted for its age', async () => {
    app.clock.set(app.clock.now() + 6 * 3_600_000)
    expect((await read()).problems.join()).toMatch(
      /jumped forward by about 6 h. Nothing is deleted because of its age/,
    )
    app.clock.set(app.clock.now() - 6 * 3_600_000)
    expect((await read()).problems.join()).not.toContain('jumped')
  })
})
