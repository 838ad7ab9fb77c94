/**
 * Volumes, snapshots and restores on the cluster that SLIPWAY_TEST_KUBECONFIG names. Where SLIPWAY_TEST_FAULT_ANNOTATION
 * names the annotation by which a played cluster is told to misbehave, its bad days are tested as well.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { work } from '../engine.test-kit.ts'
import type { VolumeSource } from '../engine.ts'
import { inOurWords } from './failure.ts'
import { kinds } from './kinds.ts'
import { mark } from './names.ts'
import { eventually, openTestCluster, type TestCluster } from './storage.test-kit.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
const faultAnnotation = process.env.SLIPWAY_TEST_FAULT_ANNOTATION
if (!kubeconfig) console.log('SKIPPED: "storage on a cluster", because SLIPWAY_TEST_KUBECONFIG names none')
else if (!faultAnnotation)
  console.log('SKIPPED: "bad days of storage", because SLIPWAY_TEST_FAULT_ANNOTATION names no annotation')

const MIB = 2 ** 20

describe.skipIf(!kubeconfig)('storage on a cluster', () => {
  let cluster: TestCluster
  let engine: TestCluster['engine']

  beforeAll(async () => {
    cluster = await openTestCluster(kubeconfig ?? '')
    engine = cluster.engine
  }, 30_000)
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
  const misbehave = (plural: string, word: string) =>
    cluster.wrongs.set(plural, { [faultAnnotation ?? '']: word })

  describe('a volume', () => {
    it('is made once of the size it was asked for, and nothing is left of it', async () => {
      const id = randomUUID()
      const both = await Promise.all([make(id, { from: 'nothing' }, 64), make(id, { from: 'nothing' }, 64)])
      expect(both).toEqual([
        { sizeBytes: 64 * MIB, sha256: null },
        { sizeBytes: 64 * MIB, sha256: null },
      ])
      expect(await engine.inspectVolume(id)).toEqual({ state: 'whole', sizeBytes: 64 * MIB })
      expect(await engine.listVolumes()).toContain(id)
      await engine.deleteVolume(id)
      await engine.deleteVolume(id)
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
      expect(await engine.listVolumes()).not.toContain(id)
      await expect.poll(() => cluster.left(kinds.claims), { timeout: 10_000 }).not.toContain(`disk-${id}`)
    })

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
      for (const from of ['volume-snapshot', 'machine-snapshot'] as const)
        await expect(make(randomUUID(), { from, snapshotId: randomUUID() })).rejects.toMatchObject({
          code: 'snapshot-missing',
        })
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

    it('has a volume that no other one gets and nobody deletes, for as long as its guest lives', async () => {
      const data = await blank()
      const [owner, other] = [await cluster.makeMachine({ volumeIds: [data] }), await cluster.makeMachine()]
      await cluster.start(owner)
      await expect(engine.attachVolume(other, data)).rejects.toMatchObject({ code: 'volume-busy' })
      await expect(engine.deleteVolume(data)).rejects.toMatchObject({ code: 'volume-busy' })
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
      const { namespace } = cluster
      const at = { namespace, name: cluster.names.machine(machine) }
      const halting = cluster.client.merge(kinds.machines, at, { spec: { runStrategy: 'Halted' } })
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
    it('is made once, says how it was taken, and holds root disk and volumes', async () => {
      const data = await blank(32)
      const machine = await cluster.makeMachine({ volumeIds: [data] })
      const [atRest, living] = [randomUUID(), randomUUID()]
      const clean = { memory: false, consistency: 'clean', storedBytes: 96 * MIB, volumeIds: [data] }
      expect(
        await Promise.all([snapshot(atRest, machine, [data]), snapshot(atRest, machine, [data])]),
      ).toEqual([clean, clean])
      await cluster.start(machine)
      expect(await snapshot(living, machine, [data])).toMatchObject({ consistency: 'frozen' })
      expect(engine.inspectMachineSnapshot(living)).toEqual({ state: 'whole' })
      expect(engine.listMachineSnapshots()).toEqual(expect.arrayContaining([atRest, living]))
      const withMemory = { machineId: machine, volumeIds: [], memory: true }
      const asked = engine.createMachineSnapshot(randomUUID(), withMemory, work())
      await expect(asked).rejects.toMatchObject({ code: 'unsupported' })
      for (const id of [atRest, living, living]) await engine.deleteMachineSnapshot(id)
      expect(engine.inspectMachineSnapshot(living)).toEqual({ state: 'absent' })
    })

    it('that is ended while it is made leaves nothing', async () => {
      const machine = await cluster.makeMachine()
      const [id, ending] = [randomUUID(), new AbortController()]
      const source = { machineId: machine, volumeIds: [], memory: false }
      const taking = engine.createMachineSnapshot(id, source, { ...work(), signal: ending.signal })
      setTimeout(() => ending.abort(), 50)
      await expect(taking).rejects.toMatchObject({ code: 'aborted' })
      expect(engine.inspectMachineSnapshot(id)).toEqual({ state: 'absent' })
      expect(await cluster.left(kinds.machineSnapshots)).not.toContain(`vm-snapshot-${id}`)
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
      const clean = { storedBytes: 32 * MIB, consistency: 'clean', parentId: null }
      expect(await take(one)).toEqual(clean)
      expect(await take(one)).toEqual(clean)
      await cluster.start(machine)
      expect(await take(two)).toMatchObject({ consistency: 'frozen' })
      expect(await take(two)).toMatchObject({ consistency: 'frozen' })
      const guest = await cluster.client.get(kinds.instances, {
        namespace: cluster.namespace,
        name: cluster.names.machine(machine),
      })
      expect(guest.status).not.toHaveProperty('fsFreezeStatus')
      expect(engine.listVolumeSnapshots()).toEqual(expect.arrayContaining([one, two]))
      for (const id of [one, two, two]) await engine.deleteVolumeSnapshot(id, work())
      expect(engine.inspectVolumeSnapshot(two)).toEqual({ state: 'absent' })
      const onParent = engine.createVolumeSnapshot(randomUUID(), { volumeId: data, parentId: one }, work())
      await expect(onParent).rejects.toMatchObject({ code: 'unsupported' })
      const missing = engine.createVolumeSnapshot(one, { volumeId: randomUUID(), parentId: null }, work())
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
      await expect.poll(() => cluster.left(kinds.claims), { timeout: 10_000 }).not.toContain(`disk-${data}`)
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
      const { namespace } = cluster
      const at = { namespace, name: cluster.names.machine(machine) }
      const content = await engine.contentOf(safety)
      const spec = structuredClone(content.content.spec.source?.virtualMachine?.spec)
      spec?.template.spec.volumes.push({
        name: `disk-${gone}`,
        persistentVolumeClaim: { claimName: `disk-${gone}`, hotpluggable: true },
      })
      spec?.template.spec.domain.devices.disks.push({ name: `disk-${gone}`, disk: { bus: 'virtio' } })
      const change = { metadata: { annotations: { [mark.restoreFrom]: note } }, spec }
      cluster.mirror.machines.observe(await cluster.client.merge(kinds.machines, at, change))
      await engine.switchDisks(machine, safety, work())
      expect(await uidOf(gone)).toBe(before)
      expect((await cluster.machine(machine)).spec).toEqual(own)
    })

    it('that was prepared can be forgotten, and one without its snapshot is not prepared', async () => {
      const { machine, snapshotId } = await prepared()
      await engine.dropRestore(machine)
      await engine.dropRestore(machine)
      const nothing = engine.switchDisks(machine, randomUUID(), work())
      await expect(nothing).rejects.toMatchObject({ code: 'snapshot-missing' })
      await engine.deleteMachineSnapshot(snapshotId)
      const preparing = engine.prepareRestore(machine, { snapshotId, volumeIds: [] }, work())
      await expect(preparing).rejects.toMatchObject({ code: 'snapshot-missing' })
    })
  })

  describe.skipIf(!faultAnnotation)('on bad days', () => {
    const url: VolumeSource = { from: 'url', url: 'https://images.example.org/a.qcow2' }

    it.each(['dv-failed', 'import-error'])(
      'an import that fails (%s) says what the importer said',
      async (word) => {
        misbehave('datavolumes', word)
        const id = randomUUID()
        await expect(make(id, url)).rejects.toMatchObject({
          code: 'source-refused',
          message: expect.stringMatching(/^The cluster could not fetch it: .*404.*\.$/),
        })
        expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
        expect(await cluster.left(kinds.dataVolumes)).not.toContain(`disk-${id}`)
      },
    )

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
      await cluster.client.create(kinds.namespaces, undefined, {
        kind: 'Namespace',
        metadata: { name: namespace },
      })
      const spec = { hard: { 'requests.storage': '48Mi' } }
      await cluster.client.create(kinds.quotas, namespace, { metadata: { name: 'tight' }, spec })
      const making = engine.createVolume(
        { id: randomUUID(), projectId, source: { from: 'nothing' }, sizeBytes: 32 * MIB },
        work(),
      )
      await expect(making).rejects.toMatchObject({
        code: 'no-space',
        retryable: true,
        message: 'The disk could not be made. The quota of the project in the cluster is used up.',
      })
      await cluster.client.remove(kinds.namespaces, { name: namespace })
    })

    it.each([
      ['import-stuck', /stopped working on it/],
      ['no-storage', /no space left in the pool/],
    ])('a volume that never gets on (%s) is given up, with the reason', async (word, message) => {
      misbehave('datavolumes', word)
      const id = randomUUID()
      const { namespace } = cluster
      // Of an earlier try.
      await cluster.client.create(kinds.events, namespace, {
        ...{ kind: 'Event', type: 'Warning', reason: 'ErrImportFailed', message: 'It rained.' },
        metadata: { name: `disk-${id}.old`, namespace },
        involvedObject: { kind: 'PersistentVolumeClaim', name: `disk-${id}` },
        lastTimestamp: new Date(Date.now() - 60_000).toISOString(),
      })
      await expect(make(id, { from: 'nothing' }, 8)).rejects.toMatchObject({
        code: 'internal',
        retryable: true,
        message,
      })
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

    it('a volume that does not come out is kept', async () => {
      const data = await blank()
      const machine = await cluster.makeMachine({ annotations: { [faultAnnotation ?? '']: 'detach-stuck' } })
      await cluster.start(machine)
      await engine.attachVolume(machine, data)
      expect(await engine.detachVolume(machine, data, work())).toBe('kept')
      expect(await volumesOf(machine)).toEqual(['root', `disk-${data}`])
      await expect(engine.deleteVolume(data)).rejects.toMatchObject({ code: 'volume-busy' })
    })

    it.each(['partial-snapshot', 'empty-snapshot'])(
      'a snapshot of a machine that says ready and lacks the root disk (%s) has failed',
      async (word) => {
        const data = await blank()
        const annotations = { [faultAnnotation ?? '']: word }
        const machine = await cluster.makeMachine({ volumeIds: [data], annotations })
        const id = randomUUID()
        await expect(snapshot(id, machine, [data])).rejects.toMatchObject({
          code: 'internal',
          message: expect.stringMatching(/left .* out of it\.$/),
        })
        expect(engine.inspectMachineSnapshot(id)).toEqual({ state: 'absent' })
        expect(await cluster.left(kinds.machineSnapshots)).not.toContain(`vm-snapshot-${id}`)
      },
    )

    it('a snapshot of a volume that the storage refuses has failed, with its reason', async () => {
      misbehave('volumesnapshots', 'snapshot-failed')
      const [data, id] = [await blank(), randomUUID()]
      const taking = engine.createVolumeSnapshot(id, { volumeId: data, parentId: null }, work())
      await expect(taking).rejects.toMatchObject({ code: 'internal', message: /played fault\.$/ })
      expect(engine.inspectVolumeSnapshot(id)).toEqual({ state: 'absent' })
      expect(await cluster.left(kinds.volumeSnapshots)).not.toContain(`disk-snapshot-${id}`)
    })

    it('a guest without an agent is saved as after a power cut', async () => {
      const data = await blank()
      const annotations = { [faultAnnotation ?? '']: 'no-agent' }
      const machine = await cluster.makeMachine({ volumeIds: [data], annotations })
      await cluster.start(machine, false)
      const taken = await engine.createVolumeSnapshot(
        randomUUID(),
        { volumeId: data, parentId: null },
        work(),
      )
      expect(taken.consistency).toBe('crash')
      expect(await snapshot(randomUUID(), machine, [data])).toMatchObject({ consistency: 'crash' })
    })
  })
})
