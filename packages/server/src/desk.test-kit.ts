/** A user with a project and a key on a server of their own, and what the tests of disks and snapshots do with it. */
import {
  ActivityPage,
  type Disk,
  type DiskCreate,
  type DiskSnapshot,
  type DiskSnapshotCreate,
  diskApi,
  diskSnapshotApi,
  operationApi,
  type UploadCreate,
  uploadApi,
  type VmSnapshot,
  type VmSnapshotCreate,
  type VmUpdate,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { it as base, onTestFinished } from 'vitest'
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

/** The same on any engine, for somebody new unless said; `pass` lets everything under way come to its end. */
export async function openDeskAt<A extends AnyApp>(
  app: A,
  pass: (ms: number) => Promise<void>,
  sshPublicKey = newPublicKey(),
  person?: Awaited<ReturnType<AnyApp['signedIn']>>,
) {
  const ada = person ?? (await app.signedIn())
  const projectId = await ada.make('/api/projects', { name: 'p' })
  const keyId = await ada.make('/api/user/ssh-keys', { key_name: 'k', ssh_public_key: sshPublicKey })
  const params = { projectId }
  const created: string[] = []
  app.subscribe(projectId, (event) => created.push(event))

  const at = <K extends string>(name: K, id: string) =>
    ({ params: { ...params, [name]: id } }) as { params: { projectId: string } & Record<K, string> }

  const desk = {
    app,
    ada,
    params,
    /** The parameters of a call about one object of the project. */
    at,
    keyId,
    /** Names of the events so far. */
    events: created,
    pass: (ms = settled) => pass(ms),
    /** Makes a call and lets all that it begins come to its end. */
    async done<T>(call: Promise<T>): Promise<T> {
      const answer = await call
      await desk.pass()
      return answer
    },
    /** What the activity of the project says, or of one thing in it, newest first. */
    told: async (objectId?: string) => {
      const query = objectId === undefined ? '' : `?object_id=${objectId}`
      const { body } = await ada.raw('GET', `/api/projects/${projectId}/activity${query}`)
      return ActivityPage.parse(body).entries.map(({ message }) => message)
    },
    operations: async () => (await ada.call(operationApi.list, { params })).body,
    cancel: (operationId: string) => ada.call(operationApi.cancel, at('operationId', operationId)),
    close: () => app.close(),
    /** Somebody new who is a member of the project. */
    member: (role?: 'viewer' | 'operator', name?: string) => app.member(ada, projectId, role, name),

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
    disks: async (query = '') =>
      (await ada.raw('GET', `/api/projects/${projectId}/disks${query}`)).body as Disk[],
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
    vms: async () => (await ada.call(vmApi.list, { params })).body,
    act: (action: 'start' | 'stop' | 'suspend' | 'restart', id: string, body?: { force: boolean }) =>
      ada.call(vmApi[action], { ...at('vmId', id), body }),
    changeVm: (id: string, body: VmUpdate | object) => ada.call(vmApi.update, { ...at('vmId', id), body }),
    fork: (id: string, body: object = {}) =>
      ada.call(vmApi.fork, { ...at('vmId', id), body: { name: 'copy', ...body } }),
    deleteVm: (id: string) => ada.call(vmApi.delete, at('vmId', id)),

    snapshotVm: (vmId: string, body: Partial<VmSnapshotCreate> | object = {}) =>
      ada.call(vmSnapshotApi.create, {
        ...at('vmId', vmId),
        body: { name: 'snap', snapshot_type: 'disk', retention_days: 30, ...body },
      }),
    vmSnapshots: async (query = '') =>
      (await ada.raw('GET', `/api/projects/${projectId}/snapshots${query}`)).body as VmSnapshot[],
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
      (await ada.raw('GET', `/api/projects/${projectId}/disksnapshots${query}`)).body as DiskSnapshot[],
    diskSnapshot: async (id: string) => (await desk.diskSnapshots()).find((one) => one.id === id),
    deleteDiskSnapshot: (id: string) => ada.call(diskSnapshotApi.delete, at('diskSnapshotId', id)),
    diskFrom: (id: string, body: object) =>
      ada.call(diskSnapshotApi.createDisk, { ...at('diskSnapshotId', id), body }),

    /** What the database holds, also when the session is long over. */
    namesIn: async (table: 'vm' | 'disk' | 'vm_snapshot' | 'disk_snapshot') =>
      (await app.db.selectFrom(table).select('name').orderBy('id').execute()).map(({ name }) => name),

    /** A disk that is ready. */
    async readyDisk(body: object = {}): Promise<string> {
      return (await desk.done(desk.createDisk(body))).body.id
    },
    async runningVm(name = 'vm', more: object = {}): Promise<string> {
      return (await desk.done(desk.createVm(name, more))).body.id
    },
    async vmWithDisk(name?: string): Promise<{ vmId: string; diskId: string }> {
      const diskId = await desk.readyDisk()
      return { vmId: await desk.runningVm(name, { disks: [{ disk_id: diskId }] }), diskId }
    },
    async stoppedVm(name = 'vm', more: object = {}): Promise<string> {
      const id = await desk.runningVm(name, more)
      await desk.done(desk.act('stop', id))
      return id
    },
    async readyVmSnapshot(vmId: string, body: object = {}): Promise<string> {
      return (await desk.done(desk.snapshotVm(vmId, body))).body.id
    },
    async readyDiskSnapshot(diskId: string, body: object = {}): Promise<string> {
      return (await desk.done(desk.snapshotDisk(diskId, body))).body.id
    },
  }
  return desk
}

/** For a test that needs its desk set up otherwise: it is cleared away with the test. */
export async function deskWith(options?: TestAppOptions): Promise<Desk> {
  const desk = await openDesk(options)
  onTestFinished(() => desk.close())
  return desk
}

/** Another project on the server of a desk, of somebody new unless said. */
export const deskBeside = ({ app, pass }: Desk, person?: Desk['ada']) =>
  openDeskAt(app, pass, newPublicKey(), person)

/** Tests that get a `desk` of their own. */
export const it = base.extend('desk', () => deskWith())

/** What a refused call answers; with a field, that is named as well. */
export const refusal = (status: number, message: unknown, field?: string) => ({
  status,
  body: { message, ...(field !== undefined && { fields: { [field]: message } }) },
})
