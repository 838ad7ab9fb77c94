/** What an engine cannot do: told in advance, refused with 422 and its sentence, and nothing is stored. */
import type { AddressInfo } from 'node:net'
import {
  diskSnapshotApi,
  fillPath,
  hostApi,
  type Limits,
  noLimits as noneOnTheWire,
  vmSnapshotApi,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type TestAppOptions, testApp } from './app.test-kit.ts'
import { atDesk, type Desk } from './desk.test-kit.ts'
import { clusterLimits, noLimits } from './engine/limits.ts'

const without = (cannot: Partial<typeof clusterLimits>): TestAppOptions => ({
  cannot: { ...noLimits, ...cannot },
})
const { memorySnapshots, hotPlug, incrementalSnapshots, screens } = clusterLimits

describe('what an engine cannot do is told', () => {
  const told = async (options?: TestAppOptions) =>
    (await (await testApp(options)).client().call(hostApi.get)).body

  it('as nothing of one that can do everything, whose addresses answer on this host', async () => {
    expect(await told()).toMatchObject({ cannot: noneOnTheWire, addresses: 'this-host' })
  })

  it('as it is known now: an engine may find out later that it can', async () => {
    const app = await testApp(without({ networks: 'Not yet.', ports: 'Only port 22.' }))
    const read = async () => (await app.client().call(hostApi.get)).body
    expect(await read()).toMatchObject({
      cannot: { networks: 'Not yet.' },
      sharing: { http: 'Only port 22.' },
    })
    app.engine.capabilities.cannot = noLimits
    expect(await read()).toMatchObject({ cannot: { networks: null, ports: null }, sharing: { http: null } })
    app.engine.capabilities.cannot = { ...noLimits, growDisks: 'Not now.', growRootDisks: 'Nor these.' }
    expect(await read()).toMatchObject({ cannot: { grow_disks: 'Not now.', grow_root_disks: 'Nor these.' } })
  })

  it('as a sentence each of one that can do none of it, and where its addresses answer', async () => {
    const { cannot, addresses } = await told({ cannot: clusterLimits, addresses: 'inside' })
    expect(cannot).toEqual({
      memory_snapshots: 'This cluster cannot save memory in a snapshot. Choose disk.',
      suspend: 'This cluster cannot suspend a VM. Stop the VM instead.',
      copies: 'This cluster cannot copy a VM. Create a VM from its template instead.',
      hot_plug: hotPlug,
      incremental_snapshots: incrementalSnapshots,
      screens,
      backups: clusterLimits.backups,
      networks: clusterLimits.networks,
      ports: clusterLimits.ports,
      disk_files: clusterLimits.diskFiles,
      grow_disks: clusterLimits.growDisks,
      grow_root_disks:
        'This cluster cannot enlarge the root disk of a VM. Create a VM with a larger root disk, or attach a data disk.',
      change_keys: clusterLimits.changeKeys,
    } satisfies Limits)
    expect(addresses).toBe('inside')
  })
})

async function runningVm(desk: Desk): Promise<string> {
  const { body } = await desk.createVm('web')
  await desk.pass()
  expect(await desk.vm(body.id)).toMatchObject({ status: 'running' })
  return body.id
}

describe('an engine that saves no memory', () => {
  const cannot = without({ memorySnapshots })
  const refused = {
    status: 422,
    body: { message: memorySnapshots, fields: { snapshot_type: memorySnapshots } },
  }

  it.each(['running', 'stopped'])(
    '422 for a full snapshot of a VM that is %s, and takes none in its place',
    (status) =>
      atDesk(async (desk) => {
        const vmId = await runningVm(desk)
        if (status === 'stopped') await desk.act('stop', vmId)
        await desk.pass()
        expect(await desk.snapshotVm(vmId, { snapshot_type: 'full' })).toMatchObject(refused)
        const more = { snapshot_type: 'full', skip_memory_snapshot: false }
        expect(await desk.snapshotVm(vmId, more)).toMatchObject(refused)
        expect((await desk.ada.call(vmSnapshotApi.list, { params: desk.params })).body).toEqual([])
      }, cannot)(),
  )

  it(
    '201 for one of the disks only, also where skipping wins over the type full',
    atDesk(async (desk) => {
      const vmId = await runningVm(desk)
      expect(await desk.snapshotVm(vmId, { snapshot_type: 'disk' })).toMatchObject({ status: 201 })
      await desk.pass()
      const skipped = await desk.snapshotVm(vmId, { snapshot_type: 'full', skip_memory_snapshot: true })
      expect(skipped).toMatchObject({ status: 201, body: { snapshot_type: 'disk' } })
    }, cannot),
  )

  it(
    '404 comes first, so that nobody learns of VMs of others',
    atDesk(async (desk) => {
      expect((await desk.snapshotVm('nobody', { snapshot_type: 'full' })).status).toBe(404)
    }, cannot),
  )
})

describe('an engine that saves no changes', () => {
  it(
    '422 for an incremental snapshot of a disk, also the first one, and 201 for a full one',
    atDesk(async (desk) => {
      const diskId = await desk.readyDisk({ name: 'data' })
      const body = { name: 's', disk_id: diskId, retention_days: 30 }
      const take = (snapshot_type: string) =>
        desk.ada.call(diskSnapshotApi.create, { params: desk.params, body: { ...body, snapshot_type } })
      expect(await take('incremental')).toMatchObject({
        status: 422,
        body: { message: incrementalSnapshots, fields: { snapshot_type: incrementalSnapshots } },
      })
      expect((await desk.ada.call(diskSnapshotApi.list, { params: desk.params })).body).toEqual([])
      expect(await take('full')).toMatchObject({ status: 201, body: { snapshot_type: 'full' } })
    }, without({ incrementalSnapshots })),
  )
})

describe('an engine that plugs nothing into a running guest', () => {
  const refused = { status: 422, body: { message: hotPlug } }

  it(
    '422 for attaching to a running VM and for detaching from it, 200 while it is stopped',
    atDesk(async (desk) => {
      const vmId = await runningVm(desk)
      const diskId = await desk.readyDisk({ name: 'data' })
      expect(await desk.attach(diskId, vmId)).toMatchObject(refused)
      expect(await desk.disk(diskId)).toMatchObject({ status: 'available', vm_id: null })

      await desk.act('stop', vmId)
      await desk.pass()
      expect(await desk.attach(diskId, vmId)).toMatchObject({ status: 200 })
      await desk.act('start', vmId)
      await desk.pass()
      expect(desk.app.engine.volumesOf(vmId)).toEqual([diskId])
      expect(await desk.detach(diskId)).toMatchObject(refused)
      expect(await desk.disk(diskId)).toMatchObject({ status: 'attached', vm_id: vmId })

      await desk.act('stop', vmId)
      await desk.pass()
      expect(await desk.detach(diskId)).toMatchObject({ status: 200, body: { vm_id: null } })
    }, without({ hotPlug })),
  )
})

describe('an engine without screens', () => {
  it(
    '422 for the screen of a VM, before its upgrade; 404 for that of somebody else',
    atDesk(async (desk) => {
      const vmId = await runningVm(desk)
      await desk.app.app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = desk.app.app.server.address() as AddressInfo
      const { cookie: bob } = await desk.app.signedIn('Bob')
      const open = (cookie: string | undefined) =>
        new Promise<unknown>((resolve) => {
          const path = fillPath('/api/projects/:projectId/vms/:vmId/console/screen', { ...desk.params, vmId })
          const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie: cookie ?? '' } })
          socket.on('error', () => {})
          socket.on('open', () => resolve({ status: 101 }))
          socket.on('unexpected-response', (_, response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () =>
              resolve({ status: response.statusCode, ...JSON.parse(Buffer.concat(chunks).toString()) }),
            )
          })
        })
      expect(await open(desk.ada.cookie)).toEqual({ status: 422, message: screens })
      expect(await open(bob)).toMatchObject({ status: 404 })
    }, without({ screens })),
  )
})
