/** A user with a project and a key on a server of their own, and what the tests of disks and snapshots do with it. */
import {
  type DiskCreate,
  type DiskSnapshotCreate,
  diskApi,
  diskSnapshotApi,
  type UploadCreate,
  uploadApi,
  type VmSnapshotCreate,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { makeTestApp, type makeTestAppOver, newPublicKey, type TestAppOptions } from './app.test-kit.ts'
import type { HandClock } from './lib/hand-clock.ts'

/** Long enough for everything the simulated engine does. */
export const settled = 30_000

/** Of long spans only the last part in full: a day has thousands of looks, and none of them is what a test is about. */
const hour = 60 * 60_000
const coarse = [
  { aboveMs: 24 * hour, stepMs: hour },
  { aboveMs: hour, stepMs: hour / 6 },
]

async function passTime(clock: HandClock, ms: number): Promise<void> {
  let left = ms
  for (const { aboveMs, stepMs } of coarse) for (; left > aboveMs; left -= stepMs) await clock.suspend(stepMs)
  await clock.advance(left)
}

export type Desk = Awaited<ReturnType<typeof openDesk>>

export async function openDesk(options?: TestAppOptions) {
  const app = await makeTestApp(options)
  return openDeskAt(app, (ms) => passTime(app.clock, ms))
}

type AnyApp = Awaited<ReturnType<typeof makeTestAppOver>>

/** The same on any engine; `pass` lets everything under way come to its end. */
export async function openDeskAt<A extends AnyApp>(
  app: A,
  pass: (ms: number) => Promise<void>,
  sshPublicKey = newPublicKey(),
) {
  const ada = await app.signedIn()
  const idOf = async (url: string, body: object) =>
    ((await ada.raw('POST', url, body)).body as { id: string }).id
  const projectId = await idOf('/api/projects', { name: 'p' })
  const keyId = await idOf('/api/user/ssh-keys', { key_name: 'k', ssh_public_key: sshPublicKey })
  const params = { projectId }
  const created: string[] = []
  app.subscribe(projectId, (event) => created.push(event))

  const at = <K extends string>(name: K, id: string) =>
    ({ params: { ...params, [name]: id } }) as { params: { projectId: string } & Record<K, string> }

  const desk = {
    app,
    ada,
    params,
    keyId,
    /** Names of the events so far. */
    events: created,
    pass: (ms = settled) => pass(ms),
    close: () => app.close(),

    createDisk: (body: Partial<DiskCreate> | object) =>
      ada.call(diskApi.create, { params, body: { name: 'data', size: '1Gi', source: 'EMPTY', ...body } }),
    /** A file of 1 KiB that becomes a disk, unless something else is said. */
    createUpload: (body: Partial<UploadCreate> | object) =>
      ada.call(uploadApi.create, {
        params,
        body: { name: 'data', size: '1Gi', file_name: 'data.img', file_bytes: 1024, ...body },
      }),
    /** Sends bytes of a file. */
    sendPiece: (id: string, offset: number, bytes: Buffer, headers: Record<string, string> = {}) =>
      ada.raw('PUT', `/api/projects/${projectId}/uploads/${id}/content?offset=${offset}`, bytes, {
        'content-type': 'application/octet-stream',
        ...headers,
      }),
    disks: async () => (await ada.call(diskApi.list, { params })).body,
    disk: async (id: string) => (await desk.disks()).find((disk) => disk.id === id),
    deleteDisk: (id: string) => ada.call(diskApi.delete, at('diskId', id)),
    changeDisk: (id: string, body: object) => ada.call(diskApi.update, { ...at('diskId', id), body }),
    attach: (id: string, vmId: unknown) =>
      ada.call(diskApi.attach, { ...at('diskId', id), body: { vm_id: vmId } }),
    /** Time goes on while a guest is asked to let go. */
    async detach(id: string) {
      const answer = ada.call(diskApi.detach, at('diskId', id))
      await desk.pass()
      return answer
    },

    createVm: (name: string, more: object = {}) =>
      ada.call(vmApi.create, {
        params,
        body: { name, template_id: 'starter', ssh_key_id: keyId, ...more },
      }),
    vm: async (id: string) => (await ada.call(vmApi.get, at('vmId', id))).body,
    act: (action: 'start' | 'stop' | 'suspend' | 'restart', id: string) =>
      ada.raw('POST', `/api/projects/${projectId}/vms/${id}/${action}`),
    deleteVm: (id: string) => ada.call(vmApi.delete, at('vmId', id)),

    snapshotVm: (vmId: string, body: Partial<VmSnapshotCreate> | object = {}) =>
      ada.call(vmSnapshotApi.create, {
        ...at('vmId', vmId),
        body: { name: 'snap', snapshot_type: 'disk', retention_days: 30, ...body },
      }),
    vmSnapshots: async (query = '') =>
      (await ada.raw('GET', `/api/projects/${projectId}/snapshots${query}`)).body as Awaited<
        ReturnType<typeof ada.call<typeof vmSnapshotApi.list>>
      >['body'],
    vmSnapshot: async (id: string) => (await desk.vmSnapshots()).find((one) => one.id === id),
    restore: (id: string, vmId: unknown) =>
      ada.call(vmSnapshotApi.restore, { ...at('snapshotId', id), body: { vm_id: vmId } }),
    deleteVmSnapshot: (id: string) => ada.call(vmSnapshotApi.delete, at('snapshotId', id)),

    snapshotDisk: (diskId: unknown, body: Partial<DiskSnapshotCreate> | object = {}) =>
      ada.call(diskSnapshotApi.create, {
        params,
        body: { name: 'snap', snapshot_type: 'full', retention_days: 30, disk_id: diskId, ...body },
      }),
    diskSnapshots: async (query = '') =>
      (await ada.raw('GET', `/api/projects/${projectId}/disksnapshots${query}`)).body as Awaited<
        ReturnType<typeof ada.call<typeof diskSnapshotApi.list>>
      >['body'],
    diskSnapshot: async (id: string) => (await desk.diskSnapshots()).find((one) => one.id === id),
    deleteDiskSnapshot: (id: string) => ada.call(diskSnapshotApi.delete, at('diskSnapshotId', id)),
    diskFrom: (id: string, body: object) =>
      ada.call(diskSnapshotApi.createDisk, { ...at('diskSnapshotId', id), body }),

    /** What the database holds, also when the session is long over. */
    namesIn: async (table: 'disk' | 'vm_snapshot' | 'disk_snapshot') =>
      (await app.db.selectFrom(table).select('name').orderBy('id').execute()).map(({ name }) => name),

    /** A disk that is ready. */
    async readyDisk(body: object = {}): Promise<string> {
      const { body: disk } = await desk.createDisk(body)
      await desk.pass()
      return disk.id
    },
    async runningVm(name = 'vm', more: object = {}): Promise<string> {
      const { body: vm } = await desk.createVm(name, more)
      await desk.pass()
      return vm.id
    },
    async stoppedVm(name = 'vm', more: object = {}): Promise<string> {
      const id = await desk.runningVm(name, more)
      await desk.act('stop', id)
      await desk.pass()
      return id
    },
    async readyVmSnapshot(vmId: string, body: object = {}): Promise<string> {
      const { body: snapshot } = await desk.snapshotVm(vmId, body)
      await desk.pass()
      return snapshot.id
    },
    async readyDiskSnapshot(diskId: string, body: object = {}): Promise<string> {
      const { body: snapshot } = await desk.snapshotDisk(diskId, body)
      await desk.pass()
      return snapshot.id
    },
  }
  return desk
}

/** Opens a desk for one test and clears it away. */
export const atDesk =
  (test: (desk: Desk) => Promise<void>, options?: TestAppOptions): (() => Promise<void>) =>
  async () => {
    const desk = await openDesk(options)
    try {
      await test(desk)
    } finally {
      await desk.close()
    }
  }
