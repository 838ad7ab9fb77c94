/** Whose places long work on VMs takes: those of the account that owns the project, however many projects it has. */
import { vmApi, vmSnapshotApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, type TestApp } from '../app.test-kit.ts'
import { openDesk, settled } from '../desk.test-kit.ts'
import type { JobWork } from '../lib/jobs.ts'

type Person = Awaited<ReturnType<TestApp['signedIn']>>

/** A stopped VM in a project of its own, with a snapshot. */
async function stoppedVm(app: TestApp, person: Person, name: string) {
  const idOf = async (url: string, body: object) =>
    ((await person.raw('POST', url, body)).body as { id: string }).id
  const projectId = await idOf('/api/projects', { name })
  const ssh_key_id = await idOf('/api/user/ssh-keys', { key_name: name, ssh_public_key: newPublicKey() })
  const of = `/api/projects/${projectId}`
  const vmId = await idOf(`${of}/vms`, { name, template_id: 'starter', ssh_key_id })
  await app.clock.advance(settled)
  await person.raw('POST', `${of}/vms/${vmId}/stop`)
  await app.clock.advance(settled)
  const snapshot = { name, snapshot_type: 'disk', retention_days: 30 }
  const snapshotId = await idOf(`${of}/vms/${vmId}/snapshots`, snapshot)
  await app.clock.advance(settled)
  return { person, projectId, vmId, snapshotId }
}

describe('the places for copies', () => {
  it.each(['restore', 'fork'] as const)('are shared out by owner for a %s', async (what) => {
    const desk = await openDesk()
    const { app, ada } = desk
    try {
      const bob = await app.signedIn('Bob')
      const all = []
      for (const [person, name] of [
        [ada, 'one'],
        [ada, 'two'],
        [bob, 'three'],
      ] as const)
        all.push(await stoppedVm(app, person, name))
      const begun: string[] = []
      const stay = (id: string, { signal }: JobWork) => {
        begun.push(id)
        return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      Object.assign(app.engine, {
        prepareRestore: (id: string, _: unknown, work: JobWork) => stay(id, work),
        copyMachine: ({ id }: { id: string }, _: unknown, work: JobWork) => stay(id, work),
      })
      for (const { person, projectId, vmId, snapshotId } of all) {
        const answer =
          what === 'restore'
            ? await person.call(vmSnapshotApi.restore, {
                params: { projectId, snapshotId },
                body: { vm_id: vmId },
              })
            : await person.call(vmApi.fork, { params: { projectId, vmId }, body: { name: 'copy' } })
        expect(answer.status).toBe(202)
        // Time goes on, and whoever looks only waits.
        for (let i = 0; i < 5; i++) await app.clock.advance(1_000)
      }
      expect(begun).toHaveLength(2)
      if (what === 'restore') expect(begun).toEqual([all[0]?.vmId, all[2]?.vmId])
      const waiting = (await ada.raw('GET', `/api/projects/${all[1]?.projectId}/operations`)).body
      expect(waiting).toMatchObject([{ state: 'waiting' }])
    } finally {
      await desk.close()
    }
  })
})
