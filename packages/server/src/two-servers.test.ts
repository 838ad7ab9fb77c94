// @module-tag both-databases
/** Two servers on one database, and everybody at once: it ends as if the requests had come one after the other. */
import { diskApi, diskSnapshotApi, projectApi, sshKeyApi, vmApi, vmSnapshotApi } from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { newPublicKey } from './app.test-kit.ts'
import { deskWith } from './desk.test-kit.ts'
import { idFloor } from './lib/id.ts'

// Ids never go back: none of files before this one may be ahead of those of the server whose clock is fast.
vi.hoisted(() => vi.resetModules())

const times = <T>(count: number, each: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => each(i))

async function openBoth(options?: Parameters<typeof deskWith>[0]) {
  const desk = await deskWith(options)
  const here = desk.ada
  const there = (await desk.app.serverBeside()).client(here.cookie)
  const of = (i: number) => (i % 2 === 0 ? here : there)
  const vm = { template_id: 'starter', ssh_key_id: desk.keyId }
  return {
    desk,
    of,
    /** That many VMs at once, every other one at the other server. */
    createVms: (count: number) =>
      Promise.all(
        times(count, (i) =>
          of(i).call(vmApi.create, { params: desk.params, body: { ...vm, name: `vm-${i}` } }),
        ),
      ),
    vms: async () => (await desk.ada.call(vmApi.list, { params: desk.params })).body,
  }
}

/** How many answers had which status. */
const tally = (answers: readonly { status: number }[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, of]) => [
      status,
      of?.length ?? 0,
    ]),
  )

/** The statuses of the nth two answers. */
const pair = (answers: readonly { status: number }[], n: number): string =>
  answers
    .slice(2 * n, 2 * n + 2)
    .map(({ status }) => status)
    .join()

describe('two servers and a hundred requests at once', () => {
  it('keep the limit of a project', async () => {
    const { createVms, vms } = await openBoth({ maxVmsPerProject: 7 })
    expect(tally(await createVms(40))).toEqual({ 201: 7, 409: 33 })
    expect(await vms()).toHaveLength(7)
  })

  it('bring up fifty VMs that are created at once, each one once', async () => {
    const { desk, createVms, vms } = await openBoth()
    expect(tally(await createVms(50))).toEqual({ 201: 50 })
    const notUp = async () => (await vms()).filter(({ status }) => status !== 'running')
    for (let looks = 0; looks < 30 && (await notUp()).length > 0; looks++) await desk.pass()
    expect(await notUp()).toEqual([])
    const all = await vms()
    expect(all).toHaveLength(50)
    expect(new Set(all.map(({ ip_address, ssh_port }) => `${ip_address}:${ssh_port}`)).size).toBe(50)
    expect(new Set((await desk.app.engine.list()).keys())).toEqual(new Set(all.map(({ id }) => id)))
  })

  it('let a VM go or snapshot it, never both', async () => {
    const { desk, of } = await openBoth()
    const vmIds = await Promise.all(times(8, (i) => desk.stoppedVm(`vm-${i}`)))
    const answers = await Promise.all(
      vmIds.flatMap((vmId, n) => {
        const at = { params: { ...desk.params, vmId } }
        const body = { name: 's', snapshot_type: 'disk', retention_days: 1 }
        return [of(n).call(vmSnapshotApi.create, { ...at, body }), of(n + 1).call(vmApi.delete, at)]
      }),
    )
    for (let n = 0; n < vmIds.length; n++)
      expect(['201,409', '404,204', '409,204']).toContain(pair(answers, n))
  })

  it('make a disk of a snapshot or let the snapshot go, never both', async () => {
    const { desk, of } = await openBoth()
    const diskIds = await Promise.all(times(8, () => desk.readyDisk()))
    const snapshotIds = await Promise.all(
      diskIds.map((diskId, i) => desk.readyDiskSnapshot(diskId, { name: `s-${i}` })),
    )
    const answers = await Promise.all(
      snapshotIds.flatMap((diskSnapshotId, n) => [
        of(n).call(diskApi.create, {
          params: desk.params,
          body: { name: 'd', size: '1Gi', source: 'SNAPSHOT', disk_sansphot: `s-${n}` },
        }),
        of(n + 1).call(diskSnapshotApi.delete, { params: { ...desk.params, diskSnapshotId } }),
      ]),
    )
    for (let n = 0; n < snapshotIds.length; n++)
      expect(['201,409', '400,204', '409,204']).toContain(pair(answers, n))
  })

  it('answer to whoever was slower than the end of the project', async () => {
    const { desk, of } = await openBoth()
    const ends = of(0).call(projectApi.delete, { params: desk.params })
    const made = times(20, (i) =>
      of(i).call(diskApi.create, {
        params: desk.params,
        body: { name: `d-${i}`, size: '1Gi', source: 'EMPTY' },
      }),
    )
    for (const { status } of await Promise.all([ends, ...made]))
      expect([200, 201, 204, 404]).toContain(status)
    expect((await ends).status).toBeLessThan(300)
  })

  it('have one default key for an account', async () => {
    const { desk, of } = await openBoth()
    const answers = await Promise.all(
      times(20, (i) =>
        of(i).call(sshKeyApi.create, {
          body: { key_name: `k-${i}`, ssh_public_key: newPublicKey(), is_default: true },
        }),
      ),
    )
    expect(tally(answers)).toEqual({ 201: 20 })
    const { body } = await desk.ada.call(sshKeyApi.list)
    expect(body.filter((key) => key.is_default)).toHaveLength(1)
  })

  it('record every change of a VM once, in an order that nobody who reads on misses anything of', async () => {
    const { desk, of } = await openBoth()
    const vmId = await desk.runningVm('web')
    const at = { params: { ...desk.params, vmId } }
    const log = (after: string) =>
      desk.app.db.selectFrom('activity').selectAll().where('id', '>', after).orderBy('id').execute()
    const read: string[] = []
    let isOver = false
    const reading = (async () => {
      for (;;) {
        const isLast = isOver
        read.push(...(await log(read.at(-1) ?? '')).map(({ id }) => id))
        if (isLast) return
        await new Promise(setImmediate)
      }
    })()
    const answers = await Promise.all(
      times(100, (i) => {
        const act = [vmApi.restart, vmApi.stop, vmApi.start][i % 3] ?? vmApi.start
        return of(i).call(act, { ...at, body: {} })
      }),
    )
    isOver = true
    await reading
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const all = await log('')
    expect(read).toEqual(all.map(({ id }) => id))
    const told = all.filter(
      ({ kind, action }) => kind === 'wish' && /^vm\.(restart|stop|start)$/.test(action),
    )
    expect(told).toHaveLength(answers.filter(({ status }) => status < 300).length)
  })

  it('record behind what a server with a faster clock recorded', async () => {
    const { desk } = await openBoth()
    const ahead = `${idFloor(desk.app.clock.now() + 60_000)}-7fff-bfff-ffffffffffff`
    const [any] = await desk.app.db.selectFrom('activity').selectAll().limit(1).execute()
    if (any)
      await desk.app.db
        .insertInto('activity')
        .values({ ...any, id: ahead })
        .execute()
    await desk.createDisk({})
    const later = await desk.app.db.selectFrom('activity').select('action').where('id', '>', ahead).execute()
    expect(later).toContainEqual({ action: 'disk.create' })
  })
})
