/** The size of the root disk of a VM, through the real app. */
import { quotaApi, rootDiskTooSmall, tooSmall, vmChangeTexts } from '@slipway/contract'
import { describe, expect, vi } from 'vitest'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { EngineError } from '../engine/engine.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { nextRootOf, rootArrived, rootOfCopy } from './vm.change.ts'

const gib = 1024 ** 3
/** What the template of the desk has. */
const templateGb = 4
const more = 30

/** How large the engine has it; asks for nothing that it does not have. */
const sizeIn = async (desk: Desk, vmId: string) => {
  const { sizeBytes } = await desk.app.engine.growRoot(vmId, 1)
  return sizeBytes / gib
}
const sizes = (root_disk_gb: number | null, next_root_disk_gb: number | null = null) => ({
  root_disk_gb,
  next_root_disk_gb,
})

describe('what is to be done about a root disk', () => {
  const has = (rootBytes: number | null, nextRootBytes: number | null = null) => ({
    rootBytes,
    nextRootBytes,
  })
  const least = tooSmall('20Gi')

  it.each([
    ['nothing was asked', has(null), undefined, 20 * gib, null],
    ['nothing was asked, and a wish is open', has(null, 9), undefined, null, 9],
    ['nobody knows what it has', has(null), 5, null, 5 * gib],
    ['it is larger', has(20 * gib), 21, null, 21 * gib],
    ['it is larger than that of the image', has(null), 21, 20 * gib, 21 * gib],
    ['it is what it has', has(20 * gib, 30 * gib), 20, null, null],
    ['it is what is shown of what it has', has(19.5 * gib), 20, null, null],
    ['it is what the image has', has(null), 20, 20 * gib, null],
    ['it is smaller', has(20 * gib), 19, null, least],
    ['it is smaller than that of the image', has(null), 1, 20 * gib, least],
    ['its own size counts before that of the image', has(30 * gib), 25, 20 * gib, tooSmall('30Gi')],
  ] as const)('%s', (_, vm, wanted, image, next) => {
    expect(nextRootOf(vm, wanted, image)).toBe(next)
  })

  it('is over when it is as large, and goes on when a larger one was asked for meanwhile', () => {
    expect(rootArrived(has(null, 5), 5)).toEqual(has(5))
    expect(rootArrived(has(null, 5), 6)).toEqual(has(6))
    expect(rootArrived(has(4, 7), 5)).toEqual(has(5, 7))
    expect(rootArrived(has(4), 5)).toEqual(has(5))
  })

  it('begins anew for a copy, whose disk may be of an earlier moment', () => {
    expect(rootOfCopy(has(null))).toEqual(has(null))
    expect(rootOfCopy(has(5))).toEqual(has(null, 5))
    expect(rootOfCopy(has(5, 6))).toEqual(has(null, 6))
  })
})

describe('the root disk of a new VM', () => {
  it('201 has the size that was asked for, from its first boot on', async ({ desk }) => {
    const creates = vi.spyOn(desk.app.engine, 'createMachine')
    const { status, body } = await desk.createVm('web', { root_disk_gb: more })
    expect({ status, body }).toMatchObject({ status: 201, body: sizes(null, more) })
    await desk.pass()
    expect(creates.mock.calls.map(([{ rootBytes }]) => rootBytes)).toEqual([more * gib])
    expect(await desk.vm(body.id)).toMatchObject({ status: 'running', ...sizes(more) })
    expect(await sizeIn(desk, body.id)).toBe(more)
  })

  it('201 without a size, with null or with that of the template is as the template has it', async ({
    desk,
  }) => {
    const creates = vi.spyOn(desk.app.engine, 'createMachine')
    for (const size of [{}, { root_disk_gb: null }, { root_disk_gb: templateGb }])
      expect(await desk.createVm('web', size)).toMatchObject({ status: 201, body: sizes(null) })
    await desk.pass()
    expect(creates.mock.calls.map(([{ rootBytes }]) => rootBytes)).toEqual([undefined, undefined, undefined])
  })

  it('400 names the field and what it can be', async () => {
    const desk = await deskWith({ maxDiskGb: 100 })
    const refused = (message: string) => refusal(400, message, 'root_disk_gb')
    for (const root_disk_gb of [0, -1, 1.5, '30', 1e9, true])
      expect(await desk.createVm('web', { root_disk_gb })).toMatchObject(refused(vmChangeTexts.rootDisk))
    const smaller = await desk.createVm('web', { root_disk_gb: templateGb - 1 })
    expect(smaller).toMatchObject(refused(rootDiskTooSmall(templateGb)))
    const larger = await desk.createVm('web', { root_disk_gb: 101 })
    expect(larger).toMatchObject(refused('Disk size cannot exceed 100Gi'))
  })
})

describe('a larger root disk', () => {
  it('200 is had by a running VM while it runs', async ({ desk }) => {
    const id = await desk.runningVm('web')
    desk.app.engine.poke({ machineId: id }, 'kept')
    expect(await desk.changeVm(id, { root_disk_gb: more })).toMatchObject({
      status: 200,
      body: sizes(null, more),
    })
    await desk.pass()
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ...sizes(more) })
    expect(await sizeIn(desk, id)).toBe(more)
    expect(desk.app.engine.peek({ machineId: id })).toBe('kept')
    expect((await desk.told(id)).slice(0, 2)).toEqual([
      `The root disk of VM web has a size of ${more}Gi`,
      `Enlarge the root disk of VM web to ${more}Gi requested`,
    ])
  })

  it('200 is had by a stopped VM at once, and root disks that start anew have it too', async ({ desk }) => {
    const id = await desk.stoppedVm('web', { persistent: false })
    await desk.done(desk.changeVm(id, { root_disk_gb: more }))
    expect(await desk.vm(id)).toMatchObject({ status: 'stopped', ...sizes(more) })
    const starts = vi.spyOn(desk.app.engine, 'startMachine')
    await desk.done(desk.act('start', id))
    expect(starts.mock.calls.map(([, { like, freshRoot }]) => [freshRoot, like?.rootBytes])).toEqual([
      [true, more * gib],
    ])
    expect(await desk.changeVm(id, { root_disk_gb: more + 1 })).toMatchObject({
      body: sizes(more, more + 1),
    })
    await desk.pass()
    expect(await desk.vm(id)).toMatchObject(sizes(more + 1))
  })

  it.for([
    ['what was asked for, after a server that was killed before it stored it', more],
    ['larger than anybody knew', 40],
  ] as const)('says how large it is where it is %s', async ([_, hasGb], { desk }) => {
    const id = await desk.runningVm('web')
    await desk.app.engine.growRoot(id, hasGb * gib)
    await desk.done(desk.changeVm(id, { root_disk_gb: more }))
    expect(await desk.vm(id)).toMatchObject(sizes(hasGb))
  })

  it('400 for a smaller one names the field and the least size, and changes nothing', async ({ desk }) => {
    const id = await desk.runningVm('web', { root_disk_gb: more })
    const message = tooSmall(`${more}Gi`)
    expect(await desk.changeVm(id, { root_disk_gb: more - 1, note: 'x' })).toMatchObject(
      refusal(400, message, 'root_disk_gb'),
    )
    for (const root_disk_gb of [0, 1.5, '30', null, 99_999])
      expect(await desk.changeVm(id, { root_disk_gb })).toMatchObject({ status: 400 })
    expect(await desk.vm(id)).toMatchObject({ note: '', ...sizes(more) })
  })

  it('409 while the VM is suspended or being created', async ({ desk }) => {
    const id = await desk.runningVm('web')
    await desk.done(desk.act('suspend', id))
    const refused = refusal(409, 'VM must be running or stopped')
    expect(await desk.changeVm(id, { root_disk_gb: more })).toMatchObject(refused)
    const { body } = await desk.createVm('new')
    expect(await desk.changeVm(body.id, { root_disk_gb: more })).toMatchObject(refused)
  })

  it('422 where the engine cannot, with what it says', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, growRootDisks: clusterLimits.growRootDisks } })
    const id = await desk.runningVm('web')
    expect(await desk.changeVm(id, { root_disk_gb: more })).toMatchObject(
      refusal(422, clusterLimits.growRootDisks),
    )
  })

  it('that cannot be had now says why and is tried again, unless it is taken back', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const busy = new EngineError('volume-busy', 'Somebody has it.', { retryable: true })
    const grows = vi.spyOn(desk.app.engine, 'growRoot').mockRejectedValue(busy)
    await desk.changeVm(id, { root_disk_gb: more })
    await desk.pass(1_000)
    expect(await desk.vm(id)).toMatchObject({
      status: 'running',
      ...sizes(null, more),
      status_message: expect.stringMatching(/^Somebody has it. Trying again in \d+ s\.$/),
    })
    await desk.pass()
    const tries = grows.mock.calls.length
    expect(tries).toBeGreaterThan(1)
    expect(await desk.changeVm(id, { root_disk_gb: templateGb })).toMatchObject({
      body: { status_message: null, ...sizes(null) },
    })
    await desk.pass()
    expect(grows.mock.calls.length).toBe(tries)
    grows.mockRestore()
    await desk.done(desk.changeVm(id, { root_disk_gb: more }))
    expect(await desk.vm(id)).toMatchObject({ status_message: null, ...sizes(more) })
  })

  it('that cannot be had at all leaves it as it is, and the log says why', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const never = new EngineError('unsupported', 'Nothing becomes larger here.')
    vi.spyOn(desk.app.engine, 'growRoot').mockRejectedValue(never)
    await desk.done(desk.changeVm(id, { root_disk_gb: more }))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ...sizes(null) })
    expect((await desk.told(id))[0]).toBe('The root disk of VM web could not be enlarged')
  })

  it('waits while the memory of its VM is kept', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const busy = new EngineError('volume-busy', 'Somebody has it.', { retryable: true })
    const grows = vi.spyOn(desk.app.engine, 'growRoot').mockRejectedValue(busy)
    await desk.changeVm(id, { root_disk_gb: more })
    await desk.done(desk.act('suspend', id))
    grows.mockRestore()
    await desk.pass(3_600_000)
    expect(await desk.vm(id)).toMatchObject({ status: 'suspended', ...sizes(null, more) })
    await desk.done(desk.act('start', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ...sizes(more) })
  })

  it('stays when its VM is put back to an earlier moment, and a fork has it', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const snapshotId = await desk.readyVmSnapshot(id)
    await desk.done(desk.changeVm(id, { root_disk_gb: more }))
    await desk.done(desk.restore(snapshotId, id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ...sizes(more) })
    expect(await sizeIn(desk, id)).toBe(more)
    const { body } = await desk.fork(id, { name: 'twin' })
    await desk.pass()
    const twin = String(body[0]?.id)
    expect(await desk.vm(twin)).toMatchObject({ status: 'running', ...sizes(more) })
    expect(await sizeIn(desk, twin)).toBe(more)
  })
})

describe('the quota of disk space', () => {
  it('counts root disks of a size of their own from the moment they are asked for, and no others', async () => {
    const desk = await deskWith({ projectQuota: { disk_bytes: (more + 15) * gib } })
    await desk.runningVm('plain')
    const id = await desk.runningVm('web', { root_disk_gb: more })
    const used = async () =>
      (await desk.ada.call(quotaApi.ofProject, { params: desk.params })).body.project.disk_bytes.used
    expect(await used()).toBe(more * gib)
    expect((await desk.createVm('second', { root_disk_gb: more })).status).toBe(409)
    expect((await desk.changeVm(id, { root_disk_gb: 2 * more })).status).toBe(409)
    expect(await desk.changeVm(id, { root_disk_gb: more + 10 })).toMatchObject({ status: 200 })
    expect(await used()).toBe((more + 10) * gib)
    await desk.pass()
    expect(await used()).toBe((more + 10) * gib)
    expect((await desk.fork(id)).status).toBe(409)
  })
})
