// @module-tag full
/**
 * Volumes, snapshots and restores on the cluster that SLIPWAY_TEST_KUBECONFIG names. Where SLIPWAY_TEST_FAULT_ANNOTATION
 * names the annotation by which a played cluster is told to misbehave, its bad days are tested as well.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { work } from '../engine.test-kit.ts'
import type { VolumeSource } from '../engine.ts'
import { kubeconfig } from './cluster.test-kit.ts'
import { inOurWords } from './failure.ts'
import { kinds } from './kinds.ts'
import { mark } from './names.ts'
import { eventually, openTestCluster, type TestCluster } from './storage.test-kit.ts'

const faultAnnotation = process.env.SLIPWAY_TEST_FAULT_ANNOTATION
if (!kubeconfig) console.log('SKIPPED: "storage on a cluster", because SLIPWAY_TEST_KUBECONFIG names none')
else if (!faultAnnotation)
  console.log('SKIPPED: "bad days of storage", because SLIPWAY_TEST_FAULT_ANNOTATION names no annotation')

const MIB = 2 ** 20

describe.skipIf(!kubeconfig)('storage on a cluster', () => {
  let cluster: TestCluster
  let engine: TestCluster['engine']

  beforeAll(async () => {
    cluster = await openTestCluster()
    engine = cluster.engine
  })
  afterAll(() => cluster.close())
  beforeEach(() => cluster.wrongs.clear())

  const make = (id: string, source: VolumeSource, mebibytes = 0, doing = work()) =>
    engine.createVolume({ id, projectId: cluster.projectId, source, sizeBytes: mebibytes * MIB }, doing)
  async function blank(mebibytes = 32): Promise<string> {
    const id = randomUUID()
    await make(id, { from: 'nothing' }, mebibytes)
    return id
  }
  const snapshot = (id: string, machineId: string, volumeIds: string[] = []) =>
    engine.createMachineSnapshot(id, { machineId, volumeIds, memory: false }, work())
  const volumesOf = async (id: string) =>
    (await cluster.machine(id)).spec.template.spec.volumes.map(({ name }) => name)

  describe('a volume', () => {
    it('is as large as what it is fetched from, and tells how far it is', async () => {
      const heard: (number | null)[] = []
      const onProgress = (fraction: number | null) => heard.push(fraction)
      const doing = { signal: new AbortController().signal, onProgress }
      const id = randomUUID()
      const made = await make(id, { from: 'url', url: 'https://images.example.org/a.qcow2' }, 1, doing)
      expect(made.sizeBytes).toBe(128 * MIB)
      expect(heard.some((fraction) => fraction !== null)).toBe(true)
      for (const fraction of heard) if (fraction !== null) expect(fraction).toBeLessThanOrEqual(1)
      await engine.deleteVolume(id)
    })

    it('comes of a container image, of a snapshot of a volume and of the root disk of a machine', async () => {
      const machine = await cluster.makeMachine()
      const [data, ofDisk, ofMachine] = [await blank(48), randomUUID(), randomUUID()]
      await engine.createVolumeSnapshot(ofDisk, { volumeId: data, parentId: null }, work())
      await snapshot(ofMachine, machine)
      const all: [VolumeSource, number][] = [
        [{ from: 'registry', image: 'quay.io/disks/debian:13' }, 16],
        [{ from: 'volume-snapshot', snapshotId: ofDisk }, 48],
        [{ from: 'machine-snapshot', snapshotId: ofMachine }, 64],
      ]
      for (const [source, mebibytes] of all) {
        const id = randomUUID()
        expect((await make(id, source, 16)).sizeBytes).toBe(mebibytes * MIB)
        await engine.deleteVolume(id)
      }
      await engine.deleteVolumeSnapshot(ofDisk, work())
      await engine.deleteMachineSnapshot(ofMachine)
    })

    it('that is ended while it is made leaves nothing', async () => {
      const id = randomUUID()
      const ending = new AbortController()
      const making = make(id, { from: 'url', url: 'https://images.example.org/a.qcow2' }, 1, {
        signal: ending.signal,
        onProgress: () => ending.abort(),
      })
      await expect(making).rejects.toMatchObject({ code: 'aborted' })
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
      expect(await cluster.left(kinds.dataVolumes)).not.toContain(`disk-${id}`)
    })

    it('of a snapshot of a disk on a file system is as large as the disk, not as its claim', async () => {
      const [id, copy, snapshotId] = [randomUUID(), randomUUID(), randomUUID()]
      const at = { namespace: cluster.namespace, name: `disk-${id}` }
      const labels = cluster.names.labels('volume', id, cluster.projectId)
      const storage = { volumeMode: 'Filesystem', resources: { requests: { storage: '34Mi' } } }
      await cluster.client.create(kinds.dataVolumes, at.namespace, {
        kind: 'DataVolume',
        metadata: { name: at.name, labels },
        spec: { source: { blank: {} }, storage },
      })
      await eventually(async () => (await engine.inspectVolume(id)).state, 'whole')
      const metadata = { annotations: { [mark.size]: String(32 * MIB) } }
      await cluster.client.merge(kinds.claims, at, { metadata })
      await engine.createVolumeSnapshot(snapshotId, { volumeId: id, parentId: null }, work())
      const made = await make(copy, { from: 'volume-snapshot', snapshotId })
      expect(made.sizeBytes).toBe(32 * MIB)
      const { spec } = await cluster.client.get(kinds.claims, { ...at, name: `disk-${copy}` })
      expect(spec.resources?.requests?.storage).toBe('34Mi')
      await engine.deleteVolumeSnapshot(snapshotId, work())
      for (const one of [id, copy]) await engine.deleteVolume(one)
    })

    it.each(['claim', 'storage'])('whose %s somebody removed is broken, not absent', async (what) => {
      const id = await blank()
      const at = { namespace: cluster.namespace, name: `disk-${id}` }
      const { spec } = await cluster.client.get(kinds.claims, at)
      const persistentVolumes = { group: '', version: 'v1', plural: 'persistentvolumes' }
      if (what === 'claim') await cluster.client.remove(kinds.claims, at)
      else await cluster.client.remove(persistentVolumes, { name: spec.volumeName ?? '' })
      await eventually(async () => (await engine.inspectVolume(id)).state, 'broken')
      // Whoever asked for it and heard no answer asks again.
      await expect(make(id, { from: 'nothing' }, 32)).rejects.toMatchObject({
        code: 'internal',
        retryable: true,
        message: expect.stringMatching(/^The disk could not be made\. The cluster said: The cluster /),
      })
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
      await make(id, { from: 'nothing' }, 32)
      await engine.deleteVolume(id)
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
    })
  })

  describe('a machine', () => {
    it('gets and gives back volumes while it is off and while its guest lives', async () => {
      const [one, two] = [await blank(), await blank()]
      const machine = await cluster.makeMachine()
      await engine.attachVolume(machine, one)
      expect(await volumesOf(machine)).toEqual(['root', `disk-${one}`])
      await cluster.start(machine)
      await engine.attachVolume(machine, two)
      await engine.attachVolume(machine, two)
      const plugged = () => cluster.guest(machine)?.status?.volumeStatus?.map(({ name }) => name) ?? []
      expect(plugged()).toContain(`disk-${two}`)
      expect(await engine.detachVolume(machine, two, work())).toBe('released')
      expect(await engine.detachVolume(machine, two, work())).toBe('released')
      expect(plugged()).not.toContain(`disk-${two}`)
      expect(await volumesOf(machine)).toEqual(['root', `disk-${one}`])
    })

    it('has a volume that another one gets, and somebody deletes, once its guest has ended', async () => {
      const data = await blank()
      const [owner, other] = [await cluster.makeMachine({ volumeIds: [data] }), await cluster.makeMachine()]
      await cluster.start(owner)
      await cluster.stop(owner)
      await engine.attachVolume(other, data)
      expect(await volumesOf(owner)).toEqual(['root'])
      expect(await volumesOf(other)).toEqual(['root', `disk-${data}`])
      await engine.deleteVolume(data)
      expect(await volumesOf(other)).toEqual(['root'])
    })

    it('that is being saved gets and gives back volumes when that is done', async () => {
      const [one, two] = [await blank(), await blank()]
      const machine = await cluster.makeMachine({ volumeIds: [one] })
      const taking = snapshot(randomUUID(), machine, [one])
      await eventually(
        () => cluster.mirror.machines.by('id', machine)[0]?.status?.snapshotInProgress !== undefined,
        true,
      )
      const halt = { spec: { runStrategy: 'Halted' as const } }
      const halting = cluster.client.merge(kinds.machines, cluster.at(machine), halt)
      await expect(inOurWords('It could not be halted.', () => halting)).rejects.toMatchObject({
        code: 'volume-busy',
        retryable: true,
      })
      await Promise.all([engine.attachVolume(machine, two), engine.detachVolume(machine, one, work())])
      expect(await volumesOf(machine)).toEqual(['root', `disk-${two}`])
      await taking
    })

    it('that is not there gets no volume, and has none to give back', async () => {
      const data = await blank()
      const nobody = randomUUID()
      await expect(engine.attachVolume(nobody, data)).rejects.toMatchObject({ code: 'machine-missing' })
      expect(await engine.detachVolume(nobody, data, work())).toBe('released')
      const machine = await cluster.makeMachine()
      const missing = engine.attachVolume(machine, randomUUID())
      await expect(missing).rejects.toMatchObject({ code: 'volume-missing' })
    })
  })

  describe('a snapshot of a machine', () => {
    it('says how it was taken, and holds root disk and volumes, but no memory', async () => {
      const data = await blank(32)
      const machine = await cluster.makeMachine({ volumeIds: [data] })
      const clean = { memory: false, consistency: 'clean', storedBytes: 96 * MIB, volumeIds: [data] }
      expect(await snapshot(randomUUID(), machine, [data])).toEqual(clean)
      await cluster.start(machine)
      expect(await snapshot(randomUUID(), machine, [data])).toMatchObject({ consistency: 'frozen' })
      const withMemory = { machineId: machine, volumeIds: [], memory: true }
      const asked = engine.createMachineSnapshot(randomUUID(), withMemory, work())
      await expect(asked).rejects.toMatchObject({ code: 'unsupported' })
    })
  })

  it('a snapshot of a machine waits for a disk that the cluster has not found yet', async () => {
    const data = randomUUID()
    const machine = await cluster.makeMachine({ volumeIds: [data] })
    const told = () => cluster.mirror.machines.by('id', machine)[0]?.status?.volumeSnapshotStatuses
    await eventually(() => told()?.some(({ reason }) => reason === 'PVC not found'), true)
    const taking = snapshot(randomUUID(), machine, [data])
    await make(data, { from: 'nothing' }, 32)
    await expect(taking).resolves.toMatchObject({ consistency: 'clean', storedBytes: 96 * MIB })
  })

  describe('a snapshot of a volume', () => {
    it('is clean where no guest has it and frozen where an agent helps, and the guest is woken again', async () => {
      const data = await blank(32)
      const machine = await cluster.makeMachine({ volumeIds: [data] })
      const take = (id: string) => engine.createVolumeSnapshot(id, { volumeId: data, parentId: null }, work())
      const [one, two] = [randomUUID(), randomUUID()]
      expect(await take(one)).toEqual({ storedBytes: 32 * MIB, consistency: 'clean', parentId: null })
      await cluster.start(machine)
      expect(await take(two)).toMatchObject({ consistency: 'frozen' })
      const guest = await cluster.client.get(kinds.instances, cluster.at(machine))
      expect(guest.status).not.toHaveProperty('fsFreezeStatus')
      const onParent = engine.createVolumeSnapshot(randomUUID(), { volumeId: data, parentId: one }, work())
      await expect(onParent).rejects.toMatchObject({ code: 'unsupported' })
      const nowhere = { volumeId: randomUUID(), parentId: null }
      const missing = engine.createVolumeSnapshot(randomUUID(), nowhere, work())
      await expect(missing).rejects.toMatchObject({ code: 'volume-missing' })
    })
  })

  describe('a restore', () => {
    /** A machine with a snapshot that holds `gone` and `data`, and that has `data` and `later` now. */
    async function prepared() {
      const [gone, data, later, snapshotId] = [await blank(), await blank(), await blank(), randomUUID()]
      const machine = await cluster.makeMachine({ volumeIds: [gone, data] })
      await snapshot(snapshotId, machine, [gone, data])
      await engine.detachVolume(machine, gone, work())
      await engine.attachVolume(machine, later)
      await engine.prepareRestore(machine, { snapshotId, volumeIds: [gone, data] }, work())
      return { machine, gone, data, later, snapshotId }
    }
    const claim = (volumeId: string) =>
      cluster.client.get(kinds.claims, { namespace: cluster.namespace, name: `disk-${volumeId}` })
    const uidOf = async (volumeId: string) => (await claim(volumeId)).metadata.uid

    it('puts back what the machine has, leaves alone what it has no more, and keeps its volumes', async () => {
      const { machine, gone, data, later } = await prepared()
      const before = { gone: await uidOf(gone), data: await uidOf(data), later: await uidOf(later) }
      const own = (await cluster.machine(machine)).spec
      const safety = randomUUID()
      const outcome = await engine.switchDisks(machine, safety, work())
      expect(outcome).toMatchObject({ memory: false, consistency: 'clean' })
      expect(outcome.volumeIds).not.toContain(gone)
      expect(await uidOf(gone)).toBe(before.gone)
      expect(await uidOf(later)).toBe(before.later)
      expect(await uidOf(data)).not.toBe(before.data)
      const after = await cluster.machine(machine)
      expect(after.spec).toEqual(own)
      expect(after.metadata.annotations).toMatchObject({ [mark.restored]: safety })
      expect(after.metadata.annotations).not.toHaveProperty(mark.restoreFrom)
      expect(engine.inspectMachineSnapshot(safety)).toEqual({ state: 'whole' })
      await eventually(() => engine.inspectVolume(data), { state: 'whole', sizeBytes: 32 * MIB })

      expect(await cluster.left(kinds.machineRestores)).not.toContain(`restore-${machine}`)
      const isAside = (name: string) => name.startsWith(`restore-${machine}`)
      await eventually(async () => (await cluster.left(kinds.claims)).filter(isAside), [])
      expect(await engine.switchDisks(machine, safety, work())).toEqual(outcome)
      await expect(engine.switchDisks(machine, randomUUID(), work())).rejects.toMatchObject({
        code: 'snapshot-missing',
      })
      for (const id of [gone, data, later]) await engine.deleteVolume(id)
      await expect.poll(() => cluster.left(kinds.claims)).not.toContain(`disk-${data}`)
    })

    it('that was cut off at any moment is completed by the next call', async () => {
      const { machine, gone, later } = await prepared()
      const [own, before] = [(await cluster.machine(machine)).spec, await uidOf(gone)]
      const safety = randomUUID()
      for (const ms of [0, 30, 300, 500, 700]) {
        const ending = new AbortController()
        const switching = engine.switchDisks(machine, safety, { ...work(), signal: ending.signal })
        setTimeout(() => ending.abort(), ms)
        const word = await switching.then(
          () => 'done',
          ({ code }) => code,
        )
        expect(['aborted', 'done']).toContain(word)
      }
      await engine.switchDisks(machine, safety, work())
      expect((await cluster.machine(machine)).spec).toEqual(own)
      expect(await uidOf(gone)).toBe(before)
      expect(await engine.inspectVolume(later)).toMatchObject({ state: 'whole' })
      expect(await cluster.left(kinds.machineRestores)).not.toContain(`restore-${machine}`)
    })

    it('that died between the disks and the spec overwrites nothing when it is done again', async () => {
      const { machine, gone } = await prepared()
      const [own, before, safety] = [(await cluster.machine(machine)).spec, await uidOf(gone), randomUUID()]
      const note = (await cluster.machine(machine)).metadata.annotations?.[mark.restoreFrom] ?? ''
      await engine.switchDisks(machine, safety, work())
      // As KubeVirt leaves it: the spec of the snapshot, with the volume that was given back.
      const content = await engine.contentOf(safety)
      const spec = structuredClone(content.content.spec.source?.virtualMachine?.spec)
      spec?.template.spec.volumes.push({
        name: `disk-${gone}`,
        persistentVolumeClaim: { claimName: `disk-${gone}`, hotpluggable: true },
      })
      spec?.template.spec.domain.devices.disks.push({ name: `disk-${gone}`, disk: { bus: 'virtio' } })
      const change = { metadata: { annotations: { [mark.restoreFrom]: note } }, spec }
      cluster.mirror.machines.observe(await cluster.client.merge(kinds.machines, cluster.at(machine), change))
      await engine.switchDisks(machine, safety, work())
      expect(await uidOf(gone)).toBe(before)
      expect((await cluster.machine(machine)).spec).toEqual(own)
    })

    it('without its snapshot is not prepared', async () => {
      const { machine, snapshotId } = await prepared()
      await engine.dropRestore(machine)
      await engine.deleteMachineSnapshot(snapshotId)
      const preparing = engine.prepareRestore(machine, { snapshotId, volumeIds: [] }, work())
      await expect(preparing).rejects.toMatchObject({ code: 'snapshot-missing' })
    })
  })

  describe.skipIf(!faultAnnotation)('on bad days', () => {
    const url: VolumeSource = { from: 'url', url: 'https://images.example.org/a.qcow2' }

    it.each([0, 2])(
      'an import into a disk that is too small for it is begun again with a larger one, if the size comes late (%i) as well',
      async (times) => {
        cluster.wrongs.set('datavolumes', {
          [faultAnnotation?.replace(/fault$/, 'image-size') ?? '']: '256Mi',
        })
        cluster.late.set('events', times)
        const id = randomUUID()
        expect((await make(id, url)).sizeBytes).toBe(256 * MIB)
        await engine.deleteVolume(id)
      },
    )

    it('a quota with room for the disk, and none for what it is fetched through, says that it is used up', async () => {
      const projectId = randomUUID()
      const namespace = cluster.names.namespaceOf(projectId)
      const metadata = { name: namespace }
      await cluster.client.create(kinds.namespaces, undefined, { kind: 'Namespace', metadata })
      const spec = { hard: { 'requests.storage': '48Mi' } }
      await cluster.client.create(kinds.quotas, namespace, { metadata: { name: 'tight' }, spec })
      const disk = { id: randomUUID(), projectId, source: { from: 'nothing' }, sizeBytes: 32 * MIB } as const
      await expect(engine.createVolume(disk, work())).rejects.toMatchObject({
        code: 'no-space',
        retryable: true,
        message: 'The disk could not be made. The quota of the project in the cluster is used up.',
      })
      await cluster.client.remove(kinds.namespaces, { name: namespace })
    })

    it('a volume that never gets on is given up, with the reason of this try', async () => {
      cluster.wrongs.set('datavolumes', { [faultAnnotation ?? '']: 'no-storage' })
      const id = randomUUID()
      const { namespace } = cluster
      // Of an earlier try.
      await cluster.client.create(kinds.events, namespace, {
        ...{ kind: 'Event', type: 'Warning', reason: 'ErrImportFailed', message: 'It rained.' },
        metadata: { name: `disk-${id}.old`, namespace },
        involvedObject: { kind: 'PersistentVolumeClaim', name: `disk-${id}` },
        lastTimestamp: new Date(Date.now() - 60_000).toISOString(),
      })
      const message = expect.stringContaining('no space left in the pool')
      await expect(make(id, { from: 'nothing' }, 8)).rejects.toMatchObject({ code: 'internal', message })
      expect(await cluster.left(kinds.dataVolumes)).not.toContain(`disk-${id}`)
    })

    it('a volume that does not go in is taken off again', async () => {
      const data = await blank()
      const machine = await cluster.makeMachine({ annotations: { [faultAnnotation ?? '']: 'attach-stuck' } })
      await cluster.start(machine)
      await expect(engine.attachVolume(machine, data)).rejects.toMatchObject({
        code: 'internal',
        retryable: true,
      })
      expect(await volumesOf(machine)).toEqual(['root'])
    })

    it('a guest without an agent is saved as after a power cut', async () => {
      const data = await blank()
      const annotations = { [faultAnnotation ?? '']: 'no-agent' }
      const machine = await cluster.makeMachine({ volumeIds: [data], annotations })
      await cluster.start(machine, false)
      const source = { volumeId: data, parentId: null }
      const taken = await engine.createVolumeSnapshot(randomUUID(), source, work())
      expect(taken.consistency).toBe('crash')
      expect(await snapshot(randomUUID(), machine, [data])).toMatchObject({ consistency: 'crash' })
    })
  })
})
