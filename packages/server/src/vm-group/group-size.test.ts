/** Processors, memory and root disks of the VMs of pools and sets, through the real app. */
import {
  groupSnapshotTexts,
  keptRootDiskTooSmall,
  quotaApi,
  rollOutTexts,
  rootDiskTooSmall,
  templateApi,
  vmChangeTexts,
} from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { type GroupDesk, groupDesk } from '../group-desk.test-kit.ts'

const gib = 1024 ** 3
/** The root disks of the template of the desk, and of another one. */
const templateGb = 4
const otherTemplateGb = 20
const large = { cpu: 6, memory_mb: 3072, root_disk_gb: 30 }
const pool = { min_size: 1, desired_size: 2, max_size: 5, auto_scaling: false, persistent: false }
const set = { name: 'trio', replicas: 1 }

const sizesOf = (group: { vms: { cpu: number; memory_mb: number; root_disk_gb: number | null }[] }) =>
  group.vms.map(({ cpu, memory_mb, root_disk_gb }) => ({ cpu, memory_mb, root_disk_gb }))
const sizeOfTemplate = async ({ ada }: GroupDesk) => {
  const template = (await ada.call(templateApi.list)).body.find(({ id }) => id === 'starter')
  const { default_cpu: cpu, default_memory_mb: memory_mb } = template ?? expect.fail('it is there')
  return { cpu, memory_mb, root_disk_gb: null }
}
const used = async ({ ada, params }: GroupDesk) => {
  const { processors, memory_mb, disk_bytes } = (await ada.call(quotaApi.ofProject, { params })).body.project
  return { processors: processors.used, memory_mb: memory_mb.used, disk_bytes: disk_bytes.used }
}
const taken = (count: number) => ({
  processors: count * large.cpu,
  memory_mb: count * large.memory_mb,
  disk_bytes: count * large.root_disk_gb * gib,
})
const refused = (field: string, message: string) => ({
  status: 400,
  body: { message, fields: { [field]: message } },
})

describe('the size of the VMs of a pool or set', () => {
  it('201 is what was asked for, also of VMs that are created later and of replacements', async () => {
    const { app, pools, sets, pass, deleteVm } = await groupDesk()
    const creates = vi.spyOn(app.engine, 'createMachine')
    const { status, body } = await pools.create({ ...pool, ...large })
    expect({ status, body }).toMatchObject({ status: 201, body: large })
    await pass(60_000)
    await pools.resize(body.id, 3)
    await pass(60_000)
    await deleteVm((await pools.get(body.id)).vms[0]?.id ?? '')
    await pass(60_000)
    expect(creates.mock.calls.map(([{ cpu, memoryMb, rootBytes }]) => [cpu, memoryMb, rootBytes])).toEqual(
      Array(4).fill([large.cpu, large.memory_mb, large.root_disk_gb * gib]),
    )
    const grown = await pools.get(body.id)
    expect(grown).toMatchObject({ status: 'active', ...large })
    expect(sizesOf(grown)).toEqual([large, large, large])
    const trio = await sets.create({ ...set, ...large })
    expect(trio).toMatchObject({ status: 201, body: large })
    await pass()
    expect(sizesOf(await sets.get(trio.body.id))).toEqual([large])
  })

  it('201 is that of the template where it is left out, or is no other', async () => {
    const desk = await groupDesk()
    const ofTemplate = await sizeOfTemplate(desk)
    const { cpu, memory_mb } = large
    for (const own of [{}, { cpu }, { memory_mb }])
      for (const root of [{}, { root_disk_gb: null }, { root_disk_gb: templateGb }]) {
        const made = await desk.sets.made({ ...set, ...own, ...root })
        expect(made).toMatchObject({ status: 'active', ...ofTemplate, ...own })
        expect(sizesOf(made)).toEqual([{ ...ofTemplate, ...own }])
      }
    expect(await used(desk)).toMatchObject({ disk_bytes: 0 })
  })

  it('400 names the field and what it can be', async () => {
    const { pools, sets } = await groupDesk({ maxDiskGb: 100 })
    for (const [field, values, message] of [
      ['cpu', [0, 1.5, 65, '2', null], vmChangeTexts.cpu],
      ['memory_mb', [127, 512.5, 262_145, '512', null], vmChangeTexts.memory],
      ['root_disk_gb', [0, 1.5, '30', 1e9], vmChangeTexts.rootDisk],
      ['root_disk_gb', [templateGb - 1], rootDiskTooSmall(templateGb)],
      ['root_disk_gb', [101], 'Disk size cannot exceed 100Gi'],
    ] as const)
      for (const value of values)
        for (const answer of [
          await pools.create({ ...pool, [field]: value }),
          await sets.create({ ...set, [field]: value }),
        ])
          expect(answer).toMatchObject(refused(field, message))
    expect([await pools.list(), await sets.list()]).toEqual([[], []])
  })

  it('201 also where the engine cannot enlarge disks: they are created so large', async () => {
    const { pools } = await groupDesk({ cannot: { ...noLimits, growDisks: clusterLimits.growDisks } })
    expect(sizesOf(await pools.made({ ...pool, ...large }))).toEqual([large, large])
  })

  it('is that of the VM of a snapshot they are made of, and no other can be asked for', async () => {
    const desk = await groupDesk()
    const { pools, sets } = desk
    const vmId = await desk.runningVm('db', large)
    const snapshot_id = await desk.readyVmSnapshot(vmId, { snapshot_type: 'full' })
    const { machineSize, rootDisk } = groupSnapshotTexts
    for (const [field, value] of Object.entries(large))
      for (const answer of [
        await pools.create({ ...pool, snapshot_id, persistent: true, [field]: value }),
        await sets.create({ ...set, snapshot_id, [field]: value }),
      ])
        expect(answer).toMatchObject(refused(field, field === 'root_disk_gb' ? rootDisk : machineSize))
    const copies = await sets.made({ ...set, snapshot_id })
    expect(copies).toMatchObject({ status: 'active', ...large })
    expect(sizesOf(copies)).toEqual([large])
    expect(await used(desk)).toEqual(taken(2))
  })
})

describe('the quota', () => {
  it.each(['processors', 'memory_mb', 'disk_bytes'] as const)(
    'of %s counts it for each VM before any is created, and while the group scales, is in the bin and comes back',
    async (resource) => {
      const desk = await groupDesk({ projectQuota: { [resource]: taken(3)[resource] } })
      const { pools, sets, pass } = desk
      expect((await pools.create({ ...pool, ...large, desired_size: 4 })).status).toBe(409)
      expect((await sets.create({ ...large, replicas: 4 })).status).toBe(409)
      expect(await desk.vms()).toEqual([])
      expect(await used(desk)).toEqual(taken(0))
      const { id } = (await pools.create({ ...pool, ...large })).body
      expect(await used(desk)).toEqual(taken(2))
      await pass(60_000)
      expect(await used(desk)).toEqual(taken(2))
      expect((await pools.resize(id, 4)).status).toBe(409)
      expect((await pools.resize(id, 3)).status).toBe(200)
      expect(await used(desk)).toEqual(taken(3))
      await pass(60_000)
      expect(await used(desk)).toEqual(taken(3))
      await pools.remove(id)
      await pass(60_000)
      expect(await used(desk)).toEqual(taken(0))
      const vmId = await desk.runningVm('other', large)
      expect((await desk.restoreItem(id)).status).toBe(409)
      await desk.deleteVm(vmId)
      expect((await desk.restoreItem(id)).status).toBe(200)
      expect(await used(desk)).toEqual(taken(3))
    },
  )

  it('of disk space counts what a roll-out adds to each VM', async () => {
    const desk = await groupDesk({ projectQuota: { disk_bytes: taken(2).disk_bytes + 35 * gib } })
    const { pools, pass } = desk
    const { id } = await pools.made({ ...pool, ...large })
    expect((await pools.rollOut(id, { root_disk_gb: 50 })).status).toBe(409)
    expect((await pools.rollOut(id, { root_disk_gb: 25 })).status).toBe(200)
    await pass(240_000)
    expect(await used(desk)).toMatchObject({ disk_bytes: 2 * 25 * gib })
  })
})

describe('rolling out another size', () => {
  it('200 replaces nothing for what the VMs have, takes a smaller root disk, and can go back to the template', async () => {
    const desk = await groupDesk()
    const { pools, pass } = desk
    const { id, vms } = await pools.made({ ...pool, ...large })
    for (const same of [large, { root_disk_gb: null }, { root_disk_gb: undefined }])
      expect(await pools.rollOut(id, same)).toMatchObject({
        status: 409,
        body: { message: rollOutTexts.nothing },
      })
    expect(await pools.rollOut(id, { root_disk_gb: 20 })).toMatchObject({
      status: 200,
      body: { root_disk_gb: 20, roll_out: { revision: 2, state: 'running', renewed_vms: 0 } },
    })
    await pass(240_000)
    const smaller = await pools.get(id)
    expect(smaller).toMatchObject({ status: 'active', roll_out: { state: 'none', renewed_vms: 2 } })
    expect(sizesOf(smaller)).toEqual(Array(2).fill({ ...large, root_disk_gb: 20 }))
    expect(smaller.vms.some((vm) => vms.some((before) => before.id === vm.id))).toBe(false)
    expect((await pools.history(id)).events.map(({ message }) => message)).toContain(
      'By Ada Lovelace: root disk 30Gi to 20Gi',
    )
    const ofTemplate = await sizeOfTemplate(desk)
    const back = await pools.rollOut(id, { ...ofTemplate, root_disk_gb: templateGb })
    expect(back).toMatchObject({ status: 200, body: ofTemplate })
    await pass(240_000)
    const rolled = await pools.get(id)
    expect(rolled).toMatchObject({ status: 'active', ...ofTemplate, roll_out: { state: 'none' } })
    expect(sizesOf(rolled)).toEqual([ofTemplate, ofTemplate])
  })

  it('400 for less than the template needs, also where only that is another one', async () => {
    const { ada, pools } = await groupDesk({ maxDiskGb: 100 })
    const before = await pools.made({ ...pool, root_disk_gb: 10 })
    const template_id = (await ada.call(templateApi.list)).body.find(({ id }) => id !== 'starter')?.id
    for (const [change, message] of [
      [{ root_disk_gb: templateGb - 1 }, rootDiskTooSmall(templateGb)],
      [{ root_disk_gb: 101 }, 'Disk size cannot exceed 100Gi'],
      [{ root_disk_gb: 0 }, vmChangeTexts.rootDisk],
      [{ template_id, root_disk_gb: otherTemplateGb - 1 }, rootDiskTooSmall(otherTemplateGb)],
      [{ template_id }, keptRootDiskTooSmall(otherTemplateGb)],
    ] as const)
      expect(await pools.rollOut(before.id, change)).toMatchObject(refused('root_disk_gb', message))
    expect(await pools.get(before.id)).toEqual(before)
    const taken = await pools.rollOut(before.id, { template_id, root_disk_gb: otherTemplateGb })
    expect(taken).toMatchObject({ status: 200, body: { template_id, root_disk_gb: null } })
  })
})
