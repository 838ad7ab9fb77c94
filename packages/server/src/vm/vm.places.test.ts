/** Whose places long work on VMs takes: those of the account that owns the project, however many projects it has. */
import { expect } from 'vitest'
import { deskBeside, it } from '../desk.test-kit.ts'
import type { JobWork } from '../lib/jobs.ts'

it.for(['restore', 'fork'] as const)(
  'the places for copies are shared out by owner for a %s',
  async (what, { desk }) => {
    const all = []
    for (const owner of [desk, await deskBeside(desk, desk.ada), await deskBeside(desk)]) {
      const vmId = await owner.stoppedVm()
      all.push({ owner, vmId, snapshotId: await owner.readyVmSnapshot(vmId) })
    }
    const begun: string[] = []
    const stay = (id: string, { signal }: JobWork) => {
      begun.push(id)
      return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    Object.assign(desk.app.engine, {
      prepareRestore: (id: string, _: unknown, work: JobWork) => stay(id, work),
      copyMachine: ({ id }: { id: string }, _: unknown, work: JobWork) => stay(id, work),
    })
    for (const { owner, vmId, snapshotId } of all) {
      const answer = await (what === 'restore' ? owner.restore(snapshotId, vmId) : owner.fork(vmId))
      expect(answer.status).toBe(202)
      // Time goes on, and whoever looks only waits.
      for (let i = 0; i < 5; i++) await desk.pass(1_000)
    }
    expect(begun).toHaveLength(2)
    if (what === 'restore') expect(begun).toEqual([all[0]?.vmId, all[2]?.vmId])
    expect(await all[1]?.owner.operations()).toMatchObject([{ state: 'waiting' }])
  },
)
