import type { Usage, VmUsage } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'

const app = await testApp()
const { ada, keyId, params, createVm } = await openDeskAt(app, (ms) => app.clock.advance(ms))
const at = `/api/projects/${params.projectId}`
const [vmId, idleId] = [(await createVm('busy')).body.id, (await createVm('idle')).body.id]
const group = async (path: string, more: object) => {
  const body = { template_id: 'starter', ssh_key_id: keyId, ...more }
  return ((await ada.raw('POST', `${at}/${path}`, body)).body as { id: string }).id
}
const poolId = await group('vmpools', { name: 'pool', desired_size: 2, auto_scaling: false })
const setId = await group('vmsets', { name: 'set', replicas: 1 })
await app.clock.advance(60_000)
app.engine.setLoad(vmId, 90)

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await app.clock.advance(10_000)
    await app.idle()
  }
}
const get = async <T>(path: string) => (await ada.raw('GET', `${at}${path}`)).body as T
const usage = (path: string) => get<Usage>(path)

describe('use', () => {
  it('of a VM is measured every ten seconds, and its mean kept every five minutes', async () => {
    await pass(6 * 60_000)
    const hour = await usage(`/vms/${vmId}/usage`)
    expect(hour).toMatchObject({ every_s: 10, cpu: 1, memory_mb: 256 })
    expect(hour.samples.length).toBeGreaterThan(30)
    const last = hour.samples.at(-1)
    expect(last).toMatchObject({ running: 1, cpu: 90 })
    for (const name of ['memory_mb', 'disk_read', 'disk_write', 'net_in', 'net_out'] as const)
      expect(last?.[name]).toBeGreaterThan(0)
    const day = await usage(`/vms/${vmId}/usage?range=day`)
    expect(day.every_s).toBe(300)
    expect(day.samples).toHaveLength(1)
    expect(day.samples[0]?.cpu).toBeGreaterThan(70)
  })

  it('of a project, a pool and a set is that of their VMs together', async () => {
    expect(await usage('/usage')).toMatchObject({ cpu: 5, memory_mb: 5 * 256 })
    const project = (await usage('/usage')).samples.at(-1)
    expect(project).toMatchObject({ running: 5, cpu: Math.round(((90 + 4 * 2) / 5) * 10) / 10 })
    expect((await usage(`/vmpools/${poolId}/usage`)).samples.at(-1)).toMatchObject({ running: 2, cpu: 2 })
    expect((await usage(`/vmsets/${setId}/usage`)).samples.at(-1)).toMatchObject({ running: 1, cpu: 2 })
    for (const path of ['/usage', `/vmpools/${poolId}/usage`, `/vmsets/${setId}/usage`])
      expect((await usage(`${path}?range=day`)).samples).toHaveLength(1)
  })

  it('of each VM has the last five minutes for a small drawing', async () => {
    const all = await get<VmUsage[]>('/usage/vms')
    expect(all).toHaveLength(5)
    const busy = all.find(({ vm_id }) => vm_id === vmId)
    expect(busy?.cpu).toHaveLength(10)
    expect(busy?.cpu.at(-1)).toBe(90)
  })

  it('ends with the VM, and what was used stays', async () => {
    await ada.raw('POST', `${at}/vms/${idleId}/stop`, { force: true })
    await pass(30_000)
    const before = (await usage(`/vms/${idleId}/usage`)).samples
    await pass(60_000)
    const ended = { every_s: 10, cpu: 0, memory_mb: 0, samples: before }
    expect(await usage(`/vms/${idleId}/usage`)).toEqual(ended)
    expect((await get<VmUsage[]>('/usage/vms')).map(({ vm_id }) => vm_id)).not.toContain(idleId)
  })

  it('of the day survives a restart of the server, and is forgotten after a day', async () => {
    const before = (await usage(`/vms/${vmId}/usage?range=day`)).samples
    await app.restart()
    expect((await usage(`/vms/${vmId}/usage?range=day`)).samples.slice(0, before.length)).toEqual(before)
    await app.db
      .updateTable('usage_sample')
      .set({ at: '2000-01-01T00:00:00.000Z' })
      .where('owner_id', '=', vmId)
      .execute()
    await pass(6 * 60_000)
    const left = await app.db.selectFrom('usage_sample').select('at').where('owner_id', '=', vmId).execute()
    expect(left).toHaveLength(1)
  })

  it('goes on to be measured after an engine did not answer', async () => {
    const { usage: measure } = app.engine
    let end = (): void => {}
    app.engine.usage = (what) =>
      new Promise((resolve, reject) => {
        end = () => void measure.call(app.engine, what).then(resolve, reject)
      })
    await app.clock.advance(10_000)
    app.engine.usage = measure
    const before = (await usage(`/vms/${vmId}/usage`)).samples.length
    await app.clock.advance(30_000)
    await pass(30_000)
    const after = (await usage(`/vms/${vmId}/usage`)).samples.length
    expect(after).toBeGreaterThan(before)
    // What it answers at last is of another time.
    end()
    await app.idle()
    expect((await usage(`/vms/${vmId}/usage`)).samples).toHaveLength(after)
  })

  it('400 for a range there is not', async () => {
    expect((await ada.raw('GET', `${at}/usage?range=year`)).status).toBe(400)
  })
})
