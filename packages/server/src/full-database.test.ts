/** A disk that gets full at each write of the database in turn, and servers that are killed then: nothing stays stuck. */
import { binApi } from '@slipway/contract'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Desk } from './desk.test-kit.ts'

const disk = vi.hoisted(() => ({ writes: 0, fullAt: (_: number): boolean => false }))
// Files before this one may have loaded what is to write to that disk.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('node:sqlite', async (original) => {
  const { onDatabase } = await import('./db/full-database.test-kit.ts')
  return onDatabase(await original<typeof import('node:sqlite')>(), disk)
})
const { onPostgres } = await import('./db/database.test-kit.ts')
const { openDesk } = await import('./desk.test-kit.ts')

interface Case {
  /** What there is before: ids of what `act` is about. */
  before: (desk: Desk) => Promise<string[]>
  act: (desk: Desk, ids: string[]) => Promise<{ status: number }>
  /** What it comes to, as if there had been room all the time. */
  after: (desk: Desk, ids: string[]) => Promise<void>
}

const stop = (force: boolean): Case => ({
  before: async (desk) => [await desk.runningVm()],
  act: (desk, [vm]) =>
    desk.ada.raw('POST', `/api/projects/${desk.params.projectId}/vms/${vm}/stop`, { force }),
  after: async (desk, [vm = '']) => expect(await desk.vm(vm)).toMatchObject({ status: 'stopped' }),
})
const remove = (desk: Desk, vm: string | undefined) =>
  desk.ada.raw('DELETE', `/api/projects/${desk.params.projectId}/vms/${vm}?for_good=true`)

const cases: Record<string, Case> = {
  'A stop': stop(false),
  'A forced stop': stop(true),
  'A deletion': {
    before: async (desk) => [await desk.runningVm()],
    act: (desk, [vm]) => remove(desk, vm),
    after: async (desk, [vm = '']) => expect(await desk.app.engine.inspect(vm)).toEqual({ power: 'absent' }),
  },
  'Emptying the bin': {
    async before(desk) {
      const vm = await desk.runningVm()
      const volume = await desk.readyDisk()
      await desk.deleteVm(vm)
      await desk.deleteDisk(volume)
      await desk.pass()
      return [vm, volume]
    },
    act: ({ ada, params }, ids) => ada.call(binApi.empty, { params, body: { ids } }),
    async after(desk, [vm = '', volume = '']) {
      expect((await desk.ada.call(binApi.list, { params: desk.params })).body).toEqual([])
      expect(await desk.app.engine.inspect(vm)).toEqual({ power: 'absent' })
      expect(await desk.app.engine.inspectVolume(volume)).toEqual({ state: 'absent' })
    },
  },
  'A snapshot': {
    before: async (desk) => [await desk.runningVm()],
    act: (desk, [vm = '']) => desk.snapshotVm(vm),
    async after(desk) {
      const [snapshot] = await desk.vmSnapshots()
      // Where it could not be noted that it is begun, nothing is, and its page says why.
      if (snapshot?.status === 'failed') expect(snapshot.status_message).toContain('no disk space left')
      else expect(snapshot).toMatchObject({ status: 'ready' })
    },
  },
  'A restore': {
    async before(desk) {
      const vm = await desk.stoppedVm()
      return [vm, await desk.readyVmSnapshot(vm)]
    },
    act: (desk, [vm = '', snapshot = '']) => desk.restore(snapshot, vm),
    async after(desk, [vm = '']) {
      expect(await desk.vm(vm)).toMatchObject({ status: 'stopped' })
      // The safety point beside the one that was restored, once.
      expect((await desk.vmSnapshots()).map(({ status }) => status)).toEqual(['ready', 'ready'])
    },
  },
  'An attachment': {
    before: async (desk) => [await desk.runningVm(), await desk.readyDisk()],
    act: (desk, [vm = '', volume = '']) => desk.attach(volume, vm),
    async after(desk, [vm = '', volume = '']) {
      expect(await desk.disk(volume)).toMatchObject({ status: 'attached', vm_id: vm })
    },
  },
}

describe.skipIf(onPostgres)('At whichever write the disk of the database gets full', () => {
  it.each(Object.keys(cases))('%s comes to its end once there is room', async (name) => {
    const { before, act, after } = cases[name] as Case
    const desk = await openDesk()
    const { engine } = desk.app
    /** Both ways: what the engine has belongs to something, and what is stored is there. */
    async function expectNoOrphans(): Promise<void> {
      const idsIn = async (table: 'vm' | 'disk') =>
        (await desk.app.db.selectFrom(table).select('id').execute()).map(({ id }) => id).sort()
      expect([...(await engine.list()).keys()].sort()).toEqual(await idsIn('vm'))
      expect((await engine.listVolumes()).sort()).toEqual(await idsIn('disk'))
      const made = (await desk.vmSnapshots()).filter(({ status }) => status !== 'failed')
      expect((await engine.listSnapshots('machine')).sort()).toEqual(made.map(({ id }) => id).sort())
    }
    try {
      for (let n = 1, met = true; met; n++) {
        const ids = await before(desk)
        disk.writes = 0
        disk.fullAt = (write) => write >= n
        const answer = await act(desk, ids)
        await desk.pass(40_000)
        met = disk.writes >= n
        disk.fullAt = () => false
        // What a killed server knew by heart is gone, too.
        if (n % 2 === 0) await desk.app.restart()
        await desk.pass(150_000)
        if (answer.status >= 400) {
          expect(answer.status).toBe(503)
          expect([200, 201, 202, 204]).toContain((await act(desk, ids)).status)
          await desk.pass()
        }
        await after(desk, ids)
        await expectNoOrphans()
        for (const id of (await desk.vmSnapshots()).map(({ id }) => id)) await desk.deleteVmSnapshot(id)
        for (const vm of await engine.list()) await remove(desk, vm[0])
        await desk.pass()
        for (const one of await desk.disks()) await desk.deleteDisk(one.id)
        for (const item of (await desk.ada.call(binApi.list, { params: desk.params })).body)
          await desk.ada.call(binApi.empty, { params: desk.params, body: { ids: [item.id] } })
        await desk.pass()
        expect([...(await engine.list()).keys(), ...(await engine.listVolumes())]).toEqual([])
      }
      expect(disk.writes).toBeGreaterThan(1)
    } finally {
      disk.fullAt = () => false
      await desk.close()
    }
  })
})
