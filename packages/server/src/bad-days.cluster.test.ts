// @module-tag full
/**
 * What people see when a cluster has a bad day: each fault with its sentence, that it heals when the cause is gone, and
 * that nothing is left of anything. Through the real app and database, on the cluster that SLIPWAY_TEST_KUBECONFIG names,
 * where that can be told to misbehave. The tests build on each other.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { type BadDays, openBadDays } from './bad-days.test-kit.ts'
import { kinds } from './engine/kubevirt/kinds.ts'
import type { At, Kind, KubeObject } from './engine/kubevirt/kube/objects.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
const annotation = process.env.SLIPWAY_TEST_FAULT_ANNOTATION
const command = process.env.SLIPWAY_TEST_FAULT_COMMAND
const canMisbehave = Boolean(kubeconfig && annotation && command)
if (!canMisbehave)
  console.log(
    'SKIPPED: "bad days of a cluster", because SLIPWAY_TEST_KUBECONFIG, SLIPWAY_TEST_FAULT_ANNOTATION and SLIPWAY_TEST_FAULT_COMMAND do not name one that misbehaves when told to',
  )

const minutes = 60_000
const newVm = 'Delete this VM and create it again.'
const lostRoot = 'Restore a snapshot of the VM, or delete the VM; its data disks are kept.'
const unreadable =
  'The state of this VM cannot be read at the moment. The VM is left unchanged until it can be read again.'

/** Status and sentence; `…` is what the cluster says, a number or a name. */
type Sight = readonly [status: string, sentence: string | null]

interface Fault {
  word: string
  /** While the fault lasts. */
  sees: Sight
  /** Where it does not end by then. */
  late?: { afterMs: number; sees: Sight }
  /** What it becomes when the cause is gone. */
  heals?: string
}

const noRoom = 'No node of the cluster has room for the VM. The cluster says: ….'
const noImage = 'The cluster cannot download the container image that VMs run in. The cluster says: ….'
const noRoot = 'The root disk could not be created. The cluster says: ….'
const rootComing = 'The root disk is being created.'
const notInTime = (why: string): NonNullable<Fault['late']> => ({
  afterMs: 11 * minutes,
  sees: ['failed', `The VM did not start within 10 minutes. ${why} ${newVm}`],
})
const notStarted: Sight = ['failed', `The guest could not be started. The cluster says: …. ${newVm}`]

const vms: Fault[] = [
  {
    word: 'unschedulable',
    sees: ['pending', noRoom],
    late: {
      afterMs: 61 * minutes,
      sees: ['failed', `No place was found for the VM in time. ${noRoom} ${newVm}`],
    },
  },
  { word: 'image-pull', sees: ['provisioning', noImage], late: notInTime(noImage), heals: 'running' },
  {
    word: 'never-ready',
    sees: ['provisioning', null],
    late: {
      afterMs: 11 * minutes,
      sees: [
        'failed',
        `The guest did not respond on port 22 in time, so the VM was stopped. ${newVm} If this happens again, the template may be damaged.`,
      ],
    },
    heals: 'running',
  },
  { word: 'crash-loop', sees: notStarted },
  { word: 'start-failed', sees: notStarted },
  {
    word: 'no-storage',
    sees: ['provisioning', `${rootComing} The cluster says: ….`],
    late: notInTime(`${rootComing} The cluster says: ….`),
    heals: 'running',
  },
  { word: 'import-stuck', sees: ['provisioning', rootComing], late: notInTime(rootComing), heals: 'running' },
  { word: 'import-error', sees: ['provisioning', noRoot], late: notInTime(noRoot), heals: 'running' },
  { word: 'import-failed', sees: ['provisioning', noRoot], late: notInTime(noRoot) },
  {
    word: 'refused',
    sees: [
      'failed',
      'The VM could not be created. The cluster refused it: … If this continues after you delete this VM and create it again, the operator can run npm run doctor.',
    ],
  },
]
const crashed: Sight = ['error', 'The guest crashed. Start it again.']
const forgetfulCrash: Sight = [
  'error',
  'The guest ended five times in a row within two minutes of its start. Start it again.',
]

const url = { source: 'HTTP', image_url: 'https://images.example.org/a.qcow2' }
const notFetched: Sight = ['failed', 'The cluster could not fetch it: ….']
const stuckDisk = 'The disk could not be made. The cluster has stopped working on it.'
const disks: (Fault & { body?: object; sinceMs?: number })[] = [
  { word: 'import-error', body: url, sees: notFetched },
  { word: 'import-failed', body: url, sees: notFetched },
  {
    word: 'no-storage',
    sinceMs: 1 * minutes,
    sees: ['creating', 'The disk could not be made. The cluster said: …. Trying again in … s.'],
    heals: 'available',
  },
  {
    word: 'import-stuck',
    sinceMs: 15 * minutes,
    sees: ['creating', `${stuckDisk} Trying again in … s.`],
    heals: 'available',
  },
]
const soon = disks.filter(({ sinceMs = 0 }) => sinceMs <= 1 * minutes)
const leftOut: Sight = ['failed', 'The snapshot could not be made. The cluster left a disk out of it.']
const notSaved: Sight = ['failed', 'The snapshot could not be made. ….']
const plug = {
  stuck: ['attached', 'The disk could not be attached. It took too long. Trying again in … s.'],
  kept: 'The VM did not release the disk. Stop the VM and try again.',
} as const

const stoppedByHand: Sight = ['error', 'The VM was stopped in the cluster, not by Slipway. Start it again.']
const byHand = {
  vm: ['error', `The VM was deleted in the cluster, not by Slipway, and its root disk with it. ${lostRoot}`],
  root: ['error', `The root disk was deleted in the cluster, and what it held is lost. ${lostRoot}`],
  claim: ['error', `The cluster does not have the disk any more. ${lostRoot}`],
  disk: [
    'error',
    'The data of this disk is missing or damaged on the host. Create a new disk from one of its snapshots.',
  ],
  snapshot: ['error', 'The data of this snapshot is missing or damaged on the host. Delete it.'],
} as const

const quota = {
  disk: [
    'creating',
    'The disk could not be made. The quota of the project in the cluster is used up. Trying again in … s.',
  ],
  vm: [
    'provisioning',
    'The root disk could not be created. The quota of the project in the cluster is used up.',
  ],
  start: ['starting', 'The quota of the project in the cluster is used up.'],
  growth: [
    'available',
    'The disk could not be enlarged. The quota of the project in the cluster is used up. Trying again in … s.',
  ],
} as const
const nodeLost: Sight = [
  'error',
  `${unreadable} The node on which the VM runs does not answer. An operator can bring it back, or remove it from the cluster so that the VM starts on another one.`,
]
const away: Sight = ['error', `${unreadable} The cluster does not answer.`]
const awayForNew: Sight = ['creating', '…The cluster does not answer. Trying again in … s.']

test('the documentation has each sentence that a bad day shows', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/kubevirt.md'), 'utf8')
  const sights: Sight[] = [
    ...[...vms, ...disks].flatMap(({ sees, late }) => [sees, ...(late ? [late.sees] : [])]),
    ...[crashed, forgetfulCrash, leftOut, notSaved, plug.stuck, stoppedByHand, nodeLost, away, awayForNew],
    ...[...Object.values(byHand), ...Object.values(quota), ['', plug.kept] as const],
  ]
  const missing = sights.flatMap(([, sentence]) =>
    sentence && !text.includes(sentence.replace(/^…/, '')) ? [sentence] : [],
  )
  expect(missing).toEqual([])
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Matches a sentence of the tables. */
const saying = (sentence: string | null) =>
  sentence === null
    ? null
    : expect.stringMatching(
        new RegExp(`^${sentence.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`),
      )

describe.skipIf(!canMisbehave)('bad days of a cluster', () => {
  let days: BadDays
  const ids = new Map<string, string>()
  const idOf = (name: string) => ids.get(name) ?? `nothing is called ${name}`
  const desk = () => days.desk
  const url = (path: string) => `/api/projects/${desk().params.projectId}/${path}`

  async function make(path: 'vms' | 'disks', name: string, more: object = {}): Promise<string> {
    const body =
      path === 'vms'
        ? (await desk().createVm(name, more)).body
        : (await desk().createDisk({ name, ...more })).body
    ids.set(`${path} ${name}`, body.id)
    return body.id
  }
  const vm = (name: string) => idOf(`vms ${name}`)
  const disk = (name: string) => idOf(`disks ${name}`)

  type Shown = { id: string; name: string; status: string; status_message: string | null }
  async function shown(path: string, id: string) {
    const all = (await desk().ada.raw('GET', url(path))).body as Shown[]
    return all.find((one) => one.id === id)
  }
  async function sees(path: string, id: string, [status, sentence]: Sight): Promise<void> {
    await vi.waitFor(
      async () => expect(await shown(path, id)).toMatchObject({ status, status_message: saying(sentence) }),
      { timeout: 25_000, interval: 50 },
    )
  }
  const becomes = (path: string, id: string, status: string) => sees(path, id, [status, null])
  /** Time that passes by and by, so that what is tried again is tried again. */
  async function hurry(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5_000) {
      days.clock.skip(5_000)
      await pause(100)
    }
  }
  const remove = (kind: Kind, at: At) => days.admin.remove(kind, at)

  beforeAll(async () => {
    days = await openBadDays({
      kubeconfig: kubeconfig ?? '',
      annotation: annotation ?? '',
      command: command ?? '',
    })
    for (const { word, heals } of vms) {
      await make('vms', word)
      if (heals) await make('vms', `${word} heals`)
    }
    await make('vms', 'crash and start afresh', { persistent: false })
    for (const { word, body } of soon) await make('disks', word, body)
    for (const name of ['partial-snapshot', 'empty-snapshot', 'snapshot-failed', 'stop-hangs'])
      await make('vms', name)
    for (const name of ['attach-stuck', 'detach-stuck', 'ok']) await make('vms', name)
    for (const name of ['ok attach', 'ok detach', 'ok snapshot', 'ok kept']) await make('disks', name)
  })
  afterAll(() => days.close())

  describe('a VM that cannot come up says why', () => {
    // What stands still is asked about after a while.
    beforeAll(async () => {
      await becomes('vms', vm('ok'), 'running')
      await sees('vms', vm('import-stuck'), ['provisioning', rootComing])
      await hurry(50_000)
    })

    it.each(vms)('$word', ({ word, sees: sight }) => sees('vms', vm(word), sight))

    it('a guest that crashes again and again is not started for ever, where a reboot ends its run', async () => {
      await sees('vms', vm('crash and start afresh'), forgetfulCrash)
    })

    describe('and heals when the cause is gone', () => {
      const healing = vms.filter(({ heals }) => heals)
      beforeAll(async () => {
        for (const { word } of healing) {
          const id = vm(`${word} heals`)
          await days.become(kinds.machines, id, days.at.vm(id), 'none')
        }
      })

      it.each(healing)('$word', ({ word, heals = '' }) => becomes('vms', vm(`${word} heals`), heals))
    })

    it('crash, and heals when it is started again', async () => {
      const id = await make('vms', 'ok crash')
      await becomes('vms', id, 'running')
      await days.become(kinds.machines, id, days.at.vm(id), 'crash')
      await sees('vms', id, crashed)
      await days.become(kinds.machines, id, days.at.vm(id), 'none')
      expect((await desk().act('start', id)).status).toBe(202)
      await becomes('vms', id, 'running')
    })
  })

  describe('a disk that cannot be made says why', () => {
    beforeAll(() => days.clock.skip(1 * minutes))

    it.each(soon)('$word', ({ word, sees: sight }) => sees('disks', disk(word), sight))
    it('no-storage, and heals', async () => {
      await days
        .become(kinds.dataVolumes, disk('no-storage'), days.at.disk(disk('no-storage')), 'none')
        .catch(() => {})
      await hurry(30_000)
      await becomes('disks', disk('no-storage'), 'available')
    })
  })

  describe('a snapshot that the cluster does not make', () => {
    const snapshots = new Map<string, string>()
    const took = (name: string) => snapshots.get(name) ?? ''

    it.each(['partial-snapshot', 'empty-snapshot'])('of a VM, %s', async (word) => {
      await becomes('vms', vm(word), 'running')
      const { body } = await desk().snapshotVm(vm(word), { name: 'ok' })
      await sees('snapshots', body.id, leftOut)
    })

    it('of a VM, snapshot-failed, and of a disk', async () => {
      const ofVm = (await desk().snapshotVm(vm('snapshot-failed'), { name: 'ok' })).body.id
      await becomes('snapshots', ofVm, 'creating')
      await expect.poll(() => days.left(kinds.volumeSnapshots)).toHaveLength(1)
      await pause(500)
      days.clock.skip(61_000)
      await sees('snapshots', ofVm, notSaved)
      const ofDisk = (await desk().snapshotDisk(disk('ok snapshot'), { name: 'snapshot-failed' })).body.id
      await expect.poll(() => days.left(kinds.volumeSnapshots)).toHaveLength(1)
      await pause(500)
      days.clock.skip(61_000)
      await sees('disksnapshots', ofDisk, notSaved)
      snapshots.set('kept', (await desk().snapshotDisk(disk('ok kept'), { name: 'ok' })).body.id)
      await becomes('disksnapshots', took('kept'), 'ready')
      await remove(kinds.volumeSnapshots, days.at.diskSnapshot(took('kept')))
      await pause(100)
      days.clock.skip(61_000)
      await sees('disksnapshots', took('kept'), byHand.snapshot)
    })
  })

  it('attach-stuck and detach-stuck: the disk says so, or stays where it is; then both heal', async () => {
    for (const word of ['attach', 'detach'])
      expect((await desk().attach(disk(`ok ${word}`), vm(`${word}-stuck`))).status).toBe(200)
    await pause(700)
    const detaching = desk().detach(disk('ok detach'))
    await pause(300)
    days.clock.skip(61_000)
    expect(await detaching).toMatchObject({ status: 409, body: { message: plug.kept } })
    await sees('disks', disk('ok attach'), plug.stuck)
    for (const word of ['attach-stuck', 'detach-stuck'])
      await days.become(kinds.machines, vm(word), days.at.vm(vm(word)), 'none')
    days.clock.skip(5_000)
    await becomes('disks', disk('ok attach'), 'attached')
    expect((await desk().detach(disk('ok detach'))).status).toBe(200)
  })

  it('stop-hangs: the guest is cut off', async () => {
    expect((await desk().act('stop', vm('stop-hangs'))).status).toBe(202)
    await becomes('vms', vm('stop-hangs'), 'stopping')
    days.clock.skip(31_000)
    await becomes('vms', vm('stop-hangs'), 'stopped')
  })

  it('a deadline ends what does not end by itself', async () => {
    await make('disks', 'import-stuck')
    await pause(1_000)
    days.clock.skip(1 * minutes)
    await pause(300)
    days.clock.skip(11 * minutes)
    for (const { word, late } of vms)
      if (late && late.afterMs < 15 * minutes) await sees('vms', vm(word), late.sees)
    days.clock.skip(4 * minutes)
    await sees(
      'disks',
      disk('import-stuck'),
      disks.find(({ word }) => word === 'import-stuck')?.sees ?? ['', ''],
    )
    await days
      .become(kinds.dataVolumes, disk('import-stuck'), days.at.disk(disk('import-stuck')), 'none')
      .catch(() => {})
    await hurry(30_000)
    await becomes('disks', disk('import-stuck'), 'available')
    days.clock.skip(61 * minutes)
    for (const { word, late } of vms)
      if (late && late.afterMs > 15 * minutes) await sees('vms', vm(word), late.sees)
  })

  describe('what somebody does with kubectl', () => {
    const names = ['vm', 'root', 'claim', 'secret', 'halted', 'always', 'spec', 'instance']
    beforeAll(async () => {
      for (const name of names) await make('vms', `ok ${name}`)
      for (const name of ['ok dv', 'ok pvc']) await make('disks', name)
      for (const name of names) await becomes('vms', vm(`ok ${name}`), 'running')
      for (const name of ['ok dv', 'ok pvc']) await becomes('disks', disk(name), 'available')
      await remove(kinds.machines, days.at.vm(vm('ok vm')))
      await remove(kinds.dataVolumes, days.at.root(vm('ok root')))
      await remove(kinds.claims, days.at.root(vm('ok claim')))
      await remove(kinds.secrets, days.at.seed(vm('ok secret')))
      await remove(kinds.instances, days.at.vm(vm('ok instance')))
      await remove(kinds.dataVolumes, days.at.disk(disk('ok dv')))
      await remove(kinds.claims, days.at.disk(disk('ok pvc')))
      const edit = (name: string, spec: object) =>
        days.admin.merge(kinds.machines, days.at.vm(vm(`ok ${name}`)), { spec })
      await edit('halted', { runStrategy: 'Halted' })
      await edit('always', { runStrategy: 'Always' })
      await edit('spec', { template: { spec: { domain: { memory: { guest: '256Mi' } } } } })
    })

    it('VirtualMachine deleted', () => sees('vms', vm('ok vm'), byHand.vm))

    it('instance deleted, or the VM told to halt: a start heals it, and only Slipway decides again', async () => {
      for (const name of ['ok instance', 'ok halted']) await sees('vms', vm(name), stoppedByHand)
      for (const name of ['ok instance', 'ok halted'])
        expect((await desk().act('start', vm(name))).status).toBe(202)
      for (const name of ['ok instance', 'ok halted']) await becomes('vms', vm(name), 'running')
    })

    it('root disk or its claim deleted, shown when the guest has ended', async () => {
      for (const name of ['ok root', 'ok claim', 'ok secret', 'ok always', 'ok spec'])
        await desk().act('stop', vm(name))
      for (const name of ['ok root', 'ok claim', 'ok secret', 'ok always', 'ok spec'])
        await becomes('vms', vm(name), 'stopped')
      // The cluster holds a claim for a moment after its guest has ended.
      await vi.waitFor(async () => {
        const { status } = await days.admin.get(kinds.dataVolumes, days.at.root(vm('ok claim')))
        expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Bound', status: 'False' }))
      })
      await pause(300)
      for (const name of ['ok root', 'ok claim', 'ok secret', 'ok always', 'ok spec'])
        await desk().act('start', vm(name))
      await sees('vms', vm('ok root'), byHand.root)
      await sees('vms', vm('ok claim'), byHand.claim)
      for (const name of ['ok secret', 'ok always', 'ok spec']) await becomes('vms', vm(name), 'running')
      for (const name of ['ok always', 'ok halted']) {
        const { spec } = await days.admin.get(kinds.machines, days.at.vm(vm(name)))
        expect([name, spec.runStrategy]).toEqual([name, 'Manual'])
      }
    })

    it('DataVolume or claim of a disk deleted', async () => {
      days.clock.skip(61_000)
      for (const name of ['ok dv', 'ok pvc']) await sees('disks', disk(name), byHand.disk)
    })
  })

  it('a quota that is reached, until it is not', async () => {
    await desk().act('stop', vm('ok spec'))
    await becomes('vms', vm('ok spec'), 'stopped')
    await make('disks', 'ok grows')
    await becomes('disks', disk('ok grows'), 'available')
    const hard = { 'requests.storage': '1Mi', 'requests.memory': '1Mi' }
    await days.admin.create(kinds.quotas, days.namespace, {
      metadata: { name: 'full' },
      spec: { hard },
    } as never)
    await make('vms', 'ok quota')
    await make('disks', 'ok quota')
    await desk().act('start', vm('ok spec'))
    await desk().changeDisk(disk('ok grows'), { size: '3Gi' })
    await sees('disks', disk('ok quota'), quota.disk)
    await sees('disks', disk('ok grows'), quota.growth)
    await sees('vms', vm('ok spec'), quota.start)
    await sees('vms', vm('ok quota'), quota.vm)
    await remove(kinds.quotas, { namespace: days.namespace, name: 'full' })
    await hurry(15_000)
    for (const name of ['ok quota', 'ok spec']) await becomes('vms', vm(name), 'running')
    await becomes('disks', disk('ok quota'), 'available')
    await becomes('disks', disk('ok grows'), 'available')
    expect(await shown('disks', disk('ok grows'))).toMatchObject({ size: '3Gi', next_size_gb: null })
  })

  it.each([
    ['watch-cut'],
    ['compact'],
    ['throttle', '4'],
    ['error', '2'],
    ['latency', '100'],
    ['restart-apiserver'],
  ])('the API server: %s. What runs is not touched, and what is made comes up', async (...words) => {
    await days.fault(...words)
    const name = `ok ${words[0]}`
    await make('vms', name)
    await becomes('vms', vm(name), 'running')
    await becomes('vms', vm('ok'), 'running')
    await days.fault('latency', '0')
  })

  it('a node that is lost, until it is back', async () => {
    await days.fault('node-lost', 'on')
    try {
      await sees('vms', vm('ok'), nodeLost)
    } finally {
      await days.fault('node-lost', 'off')
    }
    await becomes('vms', vm('ok'), 'running')
  })

  it('the API server away, until it is back', async () => {
    await days.fault('outage', 'on')
    try {
      await make('vms', 'ok outage')
      await sees('vms', vm('ok outage'), awayForNew)
      // Long enough for everything that is tried a few times only.
      await hurry(90_000)
      await sees('vms', vm('ok'), away)
    } finally {
      await days.fault('outage', 'off')
    }
    await hurry(30_000)
    for (const name of ['ok', 'ok outage']) await becomes('vms', vm(name), 'running')
  })

  it('answers that stand still, and a VM that is deleted before anybody knows whether it was made', async () => {
    await days.fault('stall', 'on')
    try {
      for (const name of ['ok stall', 'ok forgotten']) await make('vms', name)
      await pause(500)
      await desk().deleteVm(vm('ok forgotten'))
    } finally {
      await days.fault('stall', 'off')
    }
    await becomes('vms', vm('ok stall'), 'running')
  })

  it('nothing is left in the cluster of what is deleted', async () => {
    const all = async (path: string) => (await desk().ada.raw('GET', url(path))).body as Shown[]
    for (const path of ['disksnapshots', 'snapshots', 'vms', 'disks']) {
      for (const { id } of await all(path))
        expect((await desk().ada.raw('DELETE', url(`${path}/${id}`))).status).toBeLessThan(300)
      await expect.poll(() => all(path)).toEqual([])
    }
    const left = [kinds.machines, kinds.instances, kinds.dataVolumes, kinds.claims, kinds.secrets] as const
    for (const kind of [
      ...left,
      kinds.machineSnapshots,
      kinds.volumeSnapshots,
      kinds.machineRestores,
    ] as const)
      await expect.poll(() => days.left(kind as Kind<KubeObject>)).toEqual([])
  })

  it('a namespace deleted by hand is made again when it is needed, and goes with its project', async () => {
    await make('vms', 'ok before')
    await becomes('vms', vm('ok before'), 'running')
    await remove(kinds.namespaces, { name: days.namespace })
    await sees('vms', vm('ok before'), byHand.vm)
    expect((await desk().deleteVm(vm('ok before'))).status).toBeLessThan(300)
    await make('vms', 'ok after')
    await becomes('vms', vm('ok after'), 'running')
    await desk().deleteVm(vm('ok after'))
    const project = `/api/projects/${desk().params.projectId}`
    await expect.poll(async () => (await desk().ada.raw('DELETE', project)).status).toBe(204)
    const isThere = () =>
      days.admin.get(kinds.namespaces, { name: days.namespace }).then(
        () => true,
        () => false,
      )
    await expect.poll(isThere).toBe(false)
  })
})
