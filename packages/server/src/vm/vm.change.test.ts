/** What is changed of VMs that are there, through the real app. */
import { deleteProtected, networkApi, sshKeyApi, vmChangeTexts, vmSetApi } from '@slipway/contract'
import { describe, expect, vi } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { deskWith, it, refusal } from '../desk.test-kit.ts'
import { lacksSize, moreTaken, sizeArrived, sizeTaken } from './vm.change.ts'

describe('a name', () => {
  it('is changed at once for everybody who shows it, and in the guest from its next boot on', async ({
    desk,
  }) => {
    const id = await desk.runningVm('web')
    const diskId = await desk.readyDisk()
    await desk.done(desk.attach(diskId, id))
    const snapshotId = await desk.readyVmSnapshot(id)
    desk.events.length = 0
    const answer = await desk.done(desk.changeVm(id, { name: 'shop' }))
    expect(answer).toMatchObject({ status: 200, body: { name: 'shop' } })
    expect(desk.events).toEqual(expect.arrayContaining(['vm', 'disk', 'vm_snapshot']))
    expect((await desk.disk(diskId))?.vm_name).toBe('shop')
    expect((await desk.vmSnapshot(snapshotId))?.vm_name).toBe('shop')
    const network = (await desk.ada.call(networkApi.get, { params: desk.params })).body
    expect(JSON.stringify(network)).toContain('"shop"')
    const starts = vi.spyOn(desk.app.engine, 'startMachine')
    await desk.done(desk.act('restart', id))
    expect(starts.mock.calls.map(([, { like }]) => like?.hostname)).toEqual(['shop'])
    expect(await desk.told()).toContain('VM web renamed to shop')
  })
})

describe('a size', () => {
  it('is had at once by what does not run, and from its next boot on by a guest that takes nothing while it runs', async ({
    desk,
  }) => {
    const id = await desk.stoppedVm('fault-no-agent')
    const { cpu, memory_mb } = await desk.vm(id)
    await desk.done(desk.changeVm(id, { cpu: cpu + 1 }))
    expect(await desk.vm(id)).toMatchObject({ cpu: cpu + 1, next_cpu: null, status: 'stopped' })
    await desk.done(desk.act('start', id))
    expect(await desk.changeVm(id, { cpu: 4, memory_mb: memory_mb + 128 })).toMatchObject({
      body: {
        ...{ cpu: cpu + 1, memory_mb, next_cpu: 4, next_memory_mb: memory_mb + 128 },
        size_due: 'soon',
      },
    })
    await desk.pass(120_000)
    expect(await desk.vm(id)).toMatchObject({
      ...{ status: 'running', cpu: cpu + 1, next_cpu: 4 },
      size_due: 'next_start',
    })
    // Taken back in part: what it has is no change.
    expect(await desk.changeVm(id, { cpu: cpu + 1 })).toMatchObject({ body: { next_cpu: null } })
    await desk.done(desk.act('restart', id))
    expect(await desk.vm(id)).toMatchObject({
      status: 'running',
      cpu: cpu + 1,
      memory_mb: memory_mb + 128,
      next_cpu: null,
      next_memory_mb: null,
      size_due: null,
    })
  })

  it('waits while a VM is suspended: its memory fits no other one', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const { memory_mb } = await desk.vm(id)
    await desk.done(desk.act('suspend', id))
    await desk.done(desk.changeVm(id, { memory_mb: memory_mb / 2 }))
    expect(await desk.vm(id)).toMatchObject({
      status: 'suspended',
      memory_mb,
      next_memory_mb: memory_mb / 2,
    })
    await desk.done(desk.act('start', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', memory_mb })
    await desk.done(desk.act('restart', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', memory_mb: memory_mb / 2 })
  })

  it('counts for a quota from the moment it is asked for', () => {
    const vm = {
      ...{ cpu: 2, memoryMb: 1024, nextCpu: null, nextMemoryMb: 4096 },
      ...{ rootBytes: null, nextRootBytes: null },
    }
    const none = { processors: 0, memory_mb: 0, disk_bytes: 0 }
    expect(moreTaken(vm, { cpu: 4, memory_mb: 2048 }, null)).toEqual({ ...none, processors: 2 })
    expect(moreTaken(vm, { note: 'x' }, null)).toEqual(none)
    expect(moreTaken({ ...vm, nextCpu: 4 }, { cpu: 5 }, null)).toEqual({ ...none, processors: 1 })
    expect(moreTaken(vm, { root_disk_gb: 30 }, 30)).toEqual({ ...none, disk_bytes: 30 })
    expect(moreTaken({ ...vm, rootBytes: 20 }, { root_disk_gb: 30 }, 30)).toEqual({ ...none, disk_bytes: 10 })
    expect(moreTaken({ ...vm, rootBytes: 20, nextRootBytes: 30 }, { root_disk_gb: 20 }, null)).toEqual(none)
    expect(sizeArrived(vm)).toEqual({
      ...{ cpu: 2, memoryMb: 4096, nextCpu: null, nextMemoryMb: null },
      sizeDue: null,
    })
    expect(sizeArrived({ ...vm, nextMemoryMb: null })).toBeNull()
  })

  it('beyond the quota is refused and changes nothing', async () => {
    const desk = await deskWith({ projectQuota: { processors: 2 } })
    const id = await desk.runningVm('web')
    const before = await desk.vm(id)
    const answer = await desk.changeVm(id, { cpu: 4, note: 'large' })
    expect(answer.status).toBe(409)
    expect(JSON.stringify(answer.body)).toContain('3 more are requested')
    expect(await desk.vm(id)).toEqual(before)
    expect(await desk.changeVm(id, { cpu: 2 })).toMatchObject({ status: 200 })
    // What is to come is taken already.
    expect((await desk.createVm('second')).status).toBe(409)
  })
})

describe('a size that a guest gets while it runs', () => {
  const vm = { cpu: 2, memoryMb: 512, nextCpu: 4, nextMemoryMb: 1024, sizeDue: 'soon' } as const

  it('is lacked where it is more', () => {
    expect(lacksSize(vm)).toBe(true)
    expect(lacksSize({ ...vm, nextCpu: 1, nextMemoryMb: null })).toBe(false)
    expect(lacksSize({ ...vm, nextCpu: 1 })).toBe(true)
    expect(lacksSize({ ...vm, nextCpu: null, nextMemoryMb: 256 })).toBe(false)
  })

  it('leaves what could not be given', () => {
    expect(sizeTaken(vm, { cpu: 2, memoryMb: 512 })).toBeNull()
    expect(sizeTaken(vm, { cpu: 4, memoryMb: 1024 })).toEqual({
      ...{ cpu: 4, memoryMb: 1024, nextCpu: null, nextMemoryMb: null },
      sizeDue: null,
    })
    expect(sizeTaken(vm, { cpu: 4, memoryMb: 512 })).toEqual({
      ...{ cpu: 4, memoryMb: 512, nextCpu: null, nextMemoryMb: 1024 },
      sizeDue: 'soon',
    })
    expect(sizeTaken({ ...vm, nextMemoryMb: 256 }, { cpu: 4, memoryMb: 512 })).toMatchObject({
      nextMemoryMb: 256,
      sizeDue: 'next_start',
    })
    // Something else was wished for meanwhile.
    expect(sizeTaken({ ...vm, nextCpu: 8 }, { cpu: 4, memoryMb: 1024 })).toMatchObject({
      ...{ cpu: 4, nextCpu: 8 },
      sizeDue: 'soon',
    })
  })

  it('is had without a restart, and told', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const { cpu, memory_mb, status_since } = await desk.vm(id)
    expect(await desk.changeVm(id, { cpu: cpu + 1, memory_mb: memory_mb * 2 })).toMatchObject({
      body: { cpu, next_cpu: cpu + 1, size_due: 'soon' },
    })
    await desk.pass()
    expect(await desk.vm(id)).toMatchObject({
      ...{ status: 'running', status_since, cpu: cpu + 1, memory_mb: memory_mb * 2 },
      ...{ next_cpu: null, next_memory_mb: null, size_due: null },
    })
    expect(await desk.told()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^VM web has \d cores and .* of memory$/)]),
    )
    // Less waits for the next start, and nobody is asked about it.
    const asked = vi.spyOn(desk.app.engine, 'growMachine')
    expect(await desk.changeVm(id, { cpu })).toMatchObject({
      body: { cpu: cpu + 1, next_cpu: cpu, size_due: 'next_start' },
    })
    await desk.pass()
    expect(asked).not.toHaveBeenCalled()
  })

  it('waits for the next start where the host has no room for it, but processors are had', async ({
    desk,
  }) => {
    const id = await desk.runningVm('web')
    const { cpu, memory_mb } = await desk.vm(id)
    const free = vi.spyOn(desk.app.engine, 'freeMemoryMb').mockResolvedValue(memory_mb - 1)
    await desk.changeVm(id, { cpu: cpu + 1, memory_mb: memory_mb * 2 })
    await desk.pass(120_000)
    expect(await desk.vm(id)).toMatchObject({
      ...{ status: 'running', cpu: cpu + 1, next_cpu: null },
      ...{ memory_mb, next_memory_mb: memory_mb * 2, size_due: 'next_start' },
    })
    // It is tried again from time to time.
    free.mockRestore()
    await desk.pass(6 * 60_000)
    expect(await desk.vm(id)).toMatchObject({ memory_mb: memory_mb * 2, size_due: null })
  })

  it('is tried again when a guest did not take it in time', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const { cpu } = await desk.vm(id)
    vi.spyOn(desk.app.engine, 'growMachine').mockRejectedValueOnce(new Error('It did not answer'))
    await desk.changeVm(id, { cpu: cpu + 1 })
    await desk.pass(90_000)
    expect(await desk.vm(id)).toMatchObject({ cpu: cpu + 1, size_due: null })
  })

  it('waits for the next start on an engine that gives nothing to guests that run', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const { cpu } = await desk.vm(id)
    vi.spyOn(desk.app.engine, 'growMachine').mockResolvedValue(null)
    await desk.done(desk.changeVm(id, { cpu: cpu + 1 }))
    expect(await desk.vm(id)).toMatchObject({ cpu, next_cpu: cpu + 1, size_due: 'next_start' })
  })

  it('is had by a VM that is resumed, though it was wished for while that was suspended', async ({
    desk,
  }) => {
    const id = await desk.runningVm('web')
    const { cpu } = await desk.vm(id)
    await desk.done(desk.act('suspend', id))
    expect(await desk.changeVm(id, { cpu: cpu + 1 })).toMatchObject({ body: { size_due: 'next_start' } })
    const starts = vi.spyOn(desk.app.engine, 'startMachine')
    await desk.done(desk.act('start', id))
    // Its memory fits what it had.
    expect(starts.mock.calls.map(([, { like }]) => like?.cpu)).toEqual([cpu])
    expect(await desk.vm(id)).toMatchObject({ status: 'running', cpu: cpu + 1, next_cpu: null })
  })
})

describe('a protection', () => {
  it('keeps a VM until it is taken back', async ({ desk }) => {
    const id = await desk.runningVm('web')
    await desk.changeVm(id, { delete_protection: true })
    expect(await desk.deleteVm(id)).toMatchObject(refusal(409, deleteProtected))
    expect((await desk.vm(id)).status).toBe('running')
    await desk.changeVm(id, { delete_protection: false })
    expect((await desk.deleteVm(id)).status).toBe(204)
    expect(await desk.told()).toEqual(
      expect.arrayContaining([
        'VM web is protected against deletion',
        'VM web is not protected against deletion any more',
      ]),
    )
  })

  it('is there from the start where it was asked for, with note, tags and size', async ({ desk }) => {
    const asked = { note: 'Ask Ada.', tags: ['prod', 'db'], delete_protection: true, cpu: 2, memory_mb: 1024 }
    const { body } = await desk.createVm('db', asked)
    expect(body).toMatchObject({ ...asked, tags: ['db', 'prod'] })
    expect((await desk.deleteVm(body.id)).status).toBe(409)
  })
})

describe('note, tags and storage', () => {
  it('are changed one by one, and an entry tells of each', async ({ desk }) => {
    const id = await desk.stoppedVm('web')
    await desk.changeVm(id, { note: ' one\r\ntwo ', tags: ['b', 'a'], persistent: false })
    expect(await desk.vm(id)).toMatchObject({ note: 'one\ntwo', tags: ['a', 'b'], persistent: false })
    const before = (await desk.told()).length
    // The same again is no news.
    await desk.changeVm(id, { note: 'one\ntwo', tags: ['a', 'b'] })
    expect(await desk.told()).toHaveLength(before)
    await desk.changeVm(id, { tags: [] })
    expect(await desk.vm(id)).toMatchObject({ note: 'one\ntwo', tags: [] })
    expect(await desk.told()).toEqual(
      expect.arrayContaining([
        'Persistent storage of VM web turned off',
        'Note of VM web changed',
        'Tags of VM web changed to a, b',
        'Tags of VM web removed',
      ]),
    )
  })
})

describe('it is refused', () => {
  it('400 for nothing and for a bad value', async ({ desk }) => {
    const id = await desk.runningVm('web')
    expect(await desk.changeVm(id, {})).toMatchObject(refusal(400, vmChangeTexts.nothing))
    expect(await desk.changeVm(id, { cpu: 0 })).toMatchObject(refusal(400, vmChangeTexts.cpu))
  })

  it('409 for what a VM has of its pool or set; note and tags are its own', async ({ desk }) => {
    const body = { name: 'three', template_id: 'starter', ssh_key_id: desk.keyId, replicas: 1 }
    await desk.done(desk.ada.call(vmSetApi.create, { params: desk.params, body }))
    const [{ id } = { id: '' }] = await desk.vms()
    const key = { key_name: 'desk', ssh_public_key: newPublicKey() }
    const { body: other } = await desk.ada.call(sshKeyApi.create, { body: key })
    for (const change of [{ name: 'mine' }, { ssh_key_id: other.id }])
      expect(await desk.changeVm(id, change)).toMatchObject(refusal(409, vmChangeTexts.ofGroup))
    expect(await desk.changeVm(id, { tags: ['odd'] })).toMatchObject({ status: 200, body: { tags: ['odd'] } })
  })
})
