/** What an engine cannot do: told in advance, refused with 422 and its sentence, and nothing is stored. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostApi, type Limits, noLimits as noneOnTheWire } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type TestAppOptions, testApp } from './app.test-kit.ts'
import { deskWith } from './desk.test-kit.ts'
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

describe('an engine that saves no memory', () => {
  const cannot = without({ memorySnapshots })
  const refused = {
    status: 422,
    body: { message: memorySnapshots, fields: { snapshot_type: memorySnapshots } },
  }

  it.each(['running', 'stopped'])(
    '422 for a full snapshot of a VM that is %s, and takes none in its place',
    async (status) => {
      const desk = await deskWith(cannot)
      const vmId = status === 'running' ? await desk.runningVm() : await desk.stoppedVm()
      for (const more of [{}, { skip_memory_snapshot: false }])
        expect(await desk.snapshotVm(vmId, { snapshot_type: 'full', ...more })).toMatchObject(refused)
      expect(await desk.vmSnapshots()).toEqual([])
    },
  )

  it('201 for one of the disks only, also where skipping wins over the type full', async () => {
    const desk = await deskWith(cannot)
    const vmId = await desk.runningVm()
    expect(await desk.snapshotVm(vmId, { snapshot_type: 'disk' })).toMatchObject({ status: 201 })
    await desk.pass()
    const skipped = await desk.snapshotVm(vmId, { snapshot_type: 'full', skip_memory_snapshot: true })
    expect(skipped).toMatchObject({ status: 201, body: { snapshot_type: 'disk' } })
  })

  it('404 comes first, so that nobody learns of VMs of others', async () => {
    const desk = await deskWith(cannot)
    expect((await desk.snapshotVm('nobody', { snapshot_type: 'full' })).status).toBe(404)
  })
})

describe('an engine that saves no changes', () => {
  it('422 for an incremental snapshot of a disk, also the first one, and 201 for a full one', async () => {
    const desk = await deskWith(without({ incrementalSnapshots }))
    const diskId = await desk.readyDisk()
    expect(await desk.snapshotDisk(diskId, { snapshot_type: 'incremental' })).toMatchObject({
      status: 422,
      body: { message: incrementalSnapshots, fields: { snapshot_type: incrementalSnapshots } },
    })
    expect(await desk.diskSnapshots()).toEqual([])
    const full = { status: 201, body: { snapshot_type: 'full' } }
    expect(await desk.snapshotDisk(diskId, { snapshot_type: 'full' })).toMatchObject(full)
  })
})

describe('an engine that plugs nothing into a running guest', () => {
  const refused = { status: 422, body: { message: hotPlug } }

  it('422 for attaching to a running VM and for detaching from it, 200 while it is stopped', async () => {
    const desk = await deskWith(without({ hotPlug }))
    const vmId = await desk.runningVm()
    const diskId = await desk.readyDisk()
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
  })
})

describe('an engine without screens', () => {
  it('422 for the screen of a VM, before its upgrade; 404 for that of somebody else', async () => {
    const desk = await deskWith(without({ screens }))
    const vmId = await desk.runningVm()
    await desk.app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = desk.app.app.server.address() as AddressInfo
    const path = `/api/projects/${desk.params.projectId}/vms/${vmId}/console/screen`
    const open = async ({ cookie = '' }: { cookie: string | undefined }) => {
      const headers = { cookie }
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers }).on('error', () => {})
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
      return { status: response.statusCode, ...JSON.parse((await response.toArray()).join('')) }
    }
    expect(await open(desk.ada)).toEqual({ status: 422, message: screens })
    expect(await open(await desk.app.signedIn('Bob'))).toMatchObject({ status: 404 })
  })
})
