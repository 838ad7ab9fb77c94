import {
  activityApi,
  adminAccountApi,
  binApi,
  diskApi,
  gibibyte,
  projectApi,
  projectBinApi,
  quotaApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type Desk, deskWith } from '../desk.test-kit.ts'

const gi = (count: number) => count * gibibyte
/** A desk of an administrator, whose bin keeps 10 GB. */
const limitedDesk = (limits: object = { bin_bytes: gi(10) }) =>
  deskWith({ accountQuota: limits, admins: ['person-1@slipway.test'] })

const namesInBin = async (desk: Desk) =>
  (await desk.ada.call(binApi.list, { params: desk.params })).body.map(({ name }) => name).sort()
const projectsInBin = async ({ ada }: Desk) => (await ada.call(projectBinApi.list)).body

const diskNamed = (desk: Desk, name: string, gb: number) => desk.readyDisk({ name, size: `${gb}Gi` })

/** Deletes a new disk, and lets everything come to rest. */
async function throwAway(desk: Desk, name: string, gb: number): Promise<void> {
  await desk.deleteDisk(await diskNamed(desk, name, gb))
  await desk.pass()
}

/** Why objects of a project left its bin before their time, by what the log calls them. */
async function reasons(desk: Desk): Promise<Record<string, string | null>> {
  const { body } = await desk.ada.call(activityApi.ofProject, { params: desk.params, query: {} })
  const over = body.entries.filter(({ action }) => action === 'bin.over')
  return Object.fromEntries(over.map(({ object, reason }) => [object.name, reason]))
}

/** Another project of Ada, with a disk. */
async function projectWith(desk: Desk, name: string, gb: number) {
  const { id: projectId } = (await desk.ada.call(projectApi.create, { body: { name, description: '' } })).body
  const { body: disk } = await desk.ada.call(diskApi.create, {
    params: { projectId },
    body: { name: 'data', size: `${gb}Gi`, source: 'EMPTY' },
  })
  await desk.pass()
  return { projectId, diskId: disk.id }
}

async function projectThrownAway(desk: Desk, name: string, gb: number): Promise<string> {
  const { projectId } = await projectWith(desk, name, gb)
  await desk.ada.call(projectApi.delete, { params: { projectId } })
  await desk.pass()
  return projectId
}

describe('the bin of an account', () => {
  it('keeps no more than its limit: the oldest goes for good, and the log says why', async () => {
    const desk = await limitedDesk()
    for (const name of ['a', 'b', 'c', 'd']) await throwAway(desk, name, 4)
    expect(await namesInBin(desk)).toEqual(['c', 'd'])
    expect(await desk.app.engine.listVolumes()).toHaveLength(2)
    expect(await reasons(desk)).toEqual({
      a: 'It made room for disk c: the bin keeps at most 10 GB of the account.',
      b: 'It made room for disk d: the bin keeps at most 10 GB of the account.',
    })
    const quota = (await desk.ada.call(quotaApi.ofProject, { params: desk.params })).body
    expect(quota.account.bin_bytes).toEqual({ used: gi(8), limit: gi(10) })
    expect(quota.project.bin_bytes).toEqual({ used: gi(8), limit: null })
  })

  it('keeps its limit with whole projects, in which everything counts that is in their own bins', async () => {
    const desk = await limitedDesk()
    const ids: string[] = []
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      ids.push(await projectThrownAway(desk, name, 10))
    expect((await projectsInBin(desk)).map(({ name }) => name)).toEqual(['five'])
    expect(await desk.app.engine.listVolumes()).toHaveLength(1)
    await throwAway(desk, 'small', 1)
    expect(await projectsInBin(desk)).toEqual([])
    const log = await desk.app.db
      .selectFrom('activity')
      .select('reason')
      .where('object_id', '=', ids[4] ?? '')
      .where('action', '=', 'projectBin.over')
      .execute()
    expect(log).toEqual([
      {
        reason:
          'It made room for what was deleted in another project: the bin keeps at most 10 GB of the account.',
      },
    ])
    // Its own bin goes along with a project.
    await desk.ada.call(projectApi.delete, { params: desk.params })
    await desk.pass()
    const { body: quota } = await desk.ada.call(quotaApi.ofAccount)
    expect(quota.bin_bytes).toEqual({ used: gi(1), limit: gi(10) })
  })

  it('does not keep what exceeds its limit alone, and everything else stays for that', async () => {
    const desk = await limitedDesk()
    await throwAway(desk, 'small', 4)
    await throwAway(desk, 'large', 11)
    expect(await namesInBin(desk)).toEqual(['small'])
    expect(await reasons(desk)).toEqual({
      large: 'It has 11 GB, and the bin keeps at most 10 GB of the account.',
    })
  })

  it('keeps as many VMs as the account may have, and disks stay beside them that are older', async () => {
    const desk = await limitedDesk({ vms: 2 })
    await throwAway(desk, 'data', 1)
    for (const name of ['a', 'b', 'c']) {
      await desk.deleteVm(await desk.runningVm(name))
      await desk.pass()
    }
    expect(await namesInBin(desk)).toEqual(['b', 'c', 'data'])
    expect(await reasons(desk)).toEqual({
      a: 'It made room for VM c: the bin keeps at most 2 VMs of the account.',
    })
  })

  it('keeps no VM of an account that may have none any more', async () => {
    const desk = await limitedDesk({ vms: 1 })
    const vmId = await desk.runningVm('a')
    await desk.app.db
      .insertInto('quota')
      .values({ account_id: desk.ada.id, resource: 'vms', amount: 0 })
      .execute()
    await desk.done(desk.deleteVm(vmId))
    expect(await namesInBin(desk)).toEqual([])
    expect(await reasons(desk)).toEqual({
      a: 'It has 1 VM, and the bin keeps at most 0 VMs of the account.',
    })
  })

  it('keeps its limit when two servers delete at once, and when nobody hears of it', async () => {
    const desk = await limitedDesk()
    const there = (await desk.app.serverBeside()).client(desk.ada.cookie)
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => diskNamed(desk, name, 4)))
    await desk.app.quietly(() =>
      Promise.all(
        ids.map((id, i) => (i % 2 === 0 ? desk.ada : there).call(diskApi.delete, desk.at('diskId', id))),
      ),
    )
    await desk.pass(60_000)
    expect(await namesInBin(desk)).toHaveLength(2)
    expect(await desk.app.engine.listVolumes()).toHaveLength(2)
  })

  it('goes on where a server was killed between the decision and the deletion', async () => {
    const desk = await limitedDesk()
    await throwAway(desk, 'a', 4)
    await desk.app.quietly(() =>
      desk.app.db.updateTable('bin').set({ leaves_why: 'It made room.' }).execute(),
    )
    await desk.app.restart()
    await desk.pass(60_000)
    expect(await namesInBin(desk)).toEqual([])
    expect(await reasons(desk)).toEqual({ a: 'It made room.' })
  })

  it('loses nothing when its limit is lowered, until something more is deleted', async () => {
    const desk = await limitedDesk()
    for (const name of ['a', 'b']) await throwAway(desk, name, 4)
    const { id: accountId } = await desk.app.db
      .selectFrom('account')
      .select('id')
      .where('email', '=', desk.ada.email)
      .executeTakeFirstOrThrow()
    await desk.ada.call(adminAccountApi.setLimits, { params: { accountId }, body: { bin_bytes: gi(3) } })
    await desk.pass(120_000)
    expect(await namesInBin(desk)).toEqual(['a', 'b'])
    await throwAway(desk, 'c', 1)
    expect(await namesInBin(desk)).toEqual(['c'])
  })

  it('keeps a project that is to leave for as long as a snapshot is under way in it', async () => {
    const desk = await limitedDesk()
    const { ada, params } = desk
    const vmId = await desk.stoppedVm('web')
    await diskNamed(desk, 'data', 8)
    const other = await projectWith(desk, 'other', 8)
    await desk.snapshotVm(vmId)
    await ada.raw('DELETE', `/api/projects/${params.projectId}?with_vms=true`)
    await ada.call(diskApi.delete, { params: other })
    await desk.app.idle()
    expect(await projectsInBin(desk)).toMatchObject([{ id: params.projectId }])
    await desk.pass(120_000)
    expect(await projectsInBin(desk)).toEqual([])
    expect(await desk.app.engine.listVolumes()).toEqual([other.diskId])
  })
})

describe('what a deletion would do to the bin', () => {
  const preview = async (desk: Desk, ids: string[]) =>
    (await desk.ada.call(binApi.preview, { params: desk.params, body: { ids } })).body

  it('is known before: what fits, what is pushed out, and what is too large', async () => {
    const desk = await limitedDesk()
    const ids: string[] = []
    for (const gb of [3, 7, 11]) ids.push(await diskNamed(desk, `d${gb}`, gb))
    const [small = '', medium = '', large = ''] = ids
    const limits = { limit_bytes: gi(10), limit_vms: null, vms: 0 }
    expect(await preview(desk, [medium])).toEqual({ ...limits, bytes: gi(7), fits: true, pushes_out: 0 })
    await throwAway(desk, 'a', 4)
    expect(await preview(desk, [small])).toMatchObject({ fits: true, pushes_out: 0 })
    expect(await preview(desk, [medium])).toMatchObject({ bytes: gi(7), fits: true, pushes_out: 1 })
    expect(await preview(desk, [large])).toMatchObject({ bytes: gi(11), fits: false, pushes_out: 0 })
    expect(await preview(desk, [small, medium])).toMatchObject({ bytes: gi(10), fits: true, pushes_out: 1 })
    // With what is in its bin.
    expect(await preview(desk, [desk.params.projectId])).toMatchObject({ bytes: gi(25), fits: false })
  })
})
