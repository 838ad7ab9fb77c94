// @module-tag full
/** Disks that grow, on the cluster that SLIPWAY_TEST_KUBECONFIG names: what its API shows, which is not what a guest sees. */
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { work } from '../engine.test-kit.ts'
import { clusterLimits } from '../limits.ts'
import { engineOver, kubeconfig, newPrefix } from './cluster.test-kit.ts'
import type { Ground } from './ground.ts'
import { makeGrowth } from './growth.ts'
import { anySource } from './images.test-kit.ts'
import { kinds, type StorageClass } from './kinds.ts'
import { mark } from './names.ts'
import { eventually, openTestCluster, type TestCluster } from './storage.test-kit.ts'
import { chosenClass } from './storage-class.ts'
import { makeVolumes } from './volumes.ts'

if (!kubeconfig)
  console.log('SKIPPED: "disks that grow on a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const MIB = 2 ** 20

describe.skipIf(!kubeconfig)('disks that grow on a cluster', () => {
  let cluster: TestCluster
  let engine: TestCluster['engine']
  /** Of the same driver as the usual one, and lets nothing grow. */
  const rigid = `rigid-${randomBytes(3).toString('hex')}`

  beforeAll(async () => {
    cluster = await openTestCluster()
    engine = cluster.engine
    const { items } = await cluster.client.list(kinds.storageClasses)
    const usual = chosenClass(items, null)
    if (!usual) throw new Error('The cluster has no default storage class')
    const { apiVersion: _, metadata: __, ...how } = usual as StorageClass & { apiVersion?: string }
    await cluster.client.create(kinds.storageClasses, undefined, {
      ...how,
      kind: 'StorageClass',
      metadata: { name: rigid },
      allowVolumeExpansion: false,
    })
  })
  afterAll(async () => {
    await cluster.client.remove(kinds.storageClasses, { name: rigid })
    await cluster.close()
  })

  async function blank(mebibytes: number, through: Pick<typeof engine, 'createVolume'> = engine) {
    const id = randomUUID()
    const spec = { id, projectId: cluster.projectId, sizeBytes: mebibytes * MIB }
    await through.createVolume({ ...spec, source: { from: 'nothing' } }, work())
    return id
  }
  const claimAt = (name: string) => ({ namespace: cluster.namespace, name })
  const claim = (name: string) => cluster.client.get(kinds.claims, claimAt(name))
  async function sizesOf(name: string) {
    const { spec, status } = await claim(name)
    return [spec.resources?.requests?.storage, status?.capacity?.storage]
  }

  it('have a claim that asks for more and has it, with a guest or without', async () => {
    const data = await blank(32)
    const machine = await cluster.makeMachine({ volumeIds: [data] })
    expect(await engine.growVolume(data, machine, 64 * MIB)).toBe(64 * MIB)
    expect(await sizesOf(`disk-${data}`)).toEqual(['64Mi', '64Mi'])
    await cluster.start(machine)
    await engine.growVolume(data, machine, 96 * MIB)
    expect(await sizesOf(`disk-${data}`)).toEqual(['96Mi', '96Mi'])
    await engine.growRoot(machine, 160 * MIB)
    expect(await sizesOf(cluster.names.rootDisk(machine))).toEqual(['160Mi', '160Mi'])
    const [template] = (await cluster.machine(machine)).spec.dataVolumeTemplates ?? []
    expect(template?.spec.storage.resources?.requests.storage).toBe('160Mi')
  })

  it.each([
    ['that had not grown', 0],
    ['that had grown once', 1],
  ])('keep their size when they are put back to disks %s', async (_, moment) => {
    const data = await blank(32)
    const machine = await cluster.makeMachine({ volumeIds: [data] })
    const snapshotId = randomUUID()
    const source = { machineId: machine, volumeIds: [data], memory: false }
    for (const step of [1, 2]) {
      if (step === moment + 1) await engine.createMachineSnapshot(snapshotId, source, work())
      await engine.growVolume(data, machine, step * 64 * MIB)
      await engine.growRoot(machine, (step + 1) * 64 * MIB)
    }
    const before = (await claim(`disk-${data}`)).metadata.uid
    await engine.prepareRestore(machine, { snapshotId, volumeIds: [data] }, work())
    await engine.switchDisks(machine, randomUUID(), work())
    expect((await claim(`disk-${data}`)).metadata.uid).not.toBe(before)
    expect(await sizesOf(`disk-${data}`)).toEqual(['128Mi', '128Mi'])
    expect(await sizesOf(cluster.names.rootDisk(machine))).toEqual(['192Mi', '192Mi'])
    await eventually(() => engine.inspectVolume(data), { state: 'whole', sizeBytes: 128 * MIB })
    // It goes on from there.
    expect(await engine.growVolume(data, machine, 192 * MIB)).toBe(192 * MIB)
    expect(await sizesOf(`disk-${data}`)).toEqual(['192Mi', '192Mi'])
  })

  it('wait for storage that takes its time, and go on with the next call', async () => {
    const data = await blank(32)
    const hasty = makeGrowth(cluster.ground, { copiedMs: 20, givenMs: 1 })
    const grow = (by: typeof engine.growVolume) => by(data, null, 64 * MIB)
    await expect(grow(hasty.growVolume)).rejects.toMatchObject({
      code: 'internal',
      retryable: true,
      message: 'The disk could not be enlarged. The storage is still at it.',
    })
    expect(await engine.inspectVolume(data)).toEqual({ state: 'whole', sizeBytes: 32 * MIB })
    expect(await grow(engine.growVolume)).toBe(64 * MIB)
    expect(await sizesOf(`disk-${data}`)).toEqual(['64Mi', '64Mi'])
  })

  it('say what the storage says that does not give it', async () => {
    const data = await blank(32)
    const name = `disk-${data}`
    const message = 'rpc error: code = ResourceExhausted: the pool is full'
    const at = { name, namespace: cluster.namespace }
    await cluster.client.create(kinds.events, cluster.namespace, {
      ...{ kind: 'Event', type: 'Warning', reason: 'VolumeResizeFailed', message },
      metadata: { name: `${name}.full`, namespace: cluster.namespace },
      involvedObject: { kind: 'PersistentVolumeClaim', ...at },
    })
    const hasty = makeGrowth(cluster.ground, { copiedMs: 20, givenMs: 1 })
    await expect(hasty.growVolume(data, null, 64 * MIB)).rejects.toMatchObject({
      retryable: true,
      message: `The disk could not be enlarged. The cluster said: ${message}.`,
    })
  })

  it('wait while their VM is being copied', async () => {
    const data = await blank(32)
    const machine = await cluster.makeMachine({ volumeIds: [data] })
    const hasty = makeGrowth(cluster.ground, { copiedMs: 5, givenMs: 2_000 })
    const source = { machineId: machine, volumeIds: [data], memory: false }
    const taking = engine.createMachineSnapshot(randomUUID(), source, work())
    const isTaking = () => Boolean(cluster.mirror.machines.by('id', machine)[0]?.status?.snapshotInProgress)
    await eventually(isTaking, true)
    for (const growing of [hasty.growVolume(data, machine, 64 * MIB), hasty.growRoot(machine, 96 * MIB)])
      await expect(growing).rejects.toMatchObject({ code: 'volume-busy', retryable: true })
    expect(await sizesOf(`disk-${data}`)).toEqual(['32Mi', '32Mi'])
    await taking
    expect(await engine.growVolume(data, machine, 64 * MIB)).toBe(64 * MIB)
  })

  it('keep their size where the storage class lets none grow, and nobody asks in vain twice', async () => {
    const ground: Ground = { ...cluster.ground, storageClass: rigid }
    const volumes = makeVolumes(ground, { ensureProject: async () => {}, sources: anySource(MIB) })
    const data = await blank(32, volumes)
    await expect(engine.growVolume(data, null, 64 * MIB)).rejects.toMatchObject({
      code: 'unsupported',
      retryable: false,
      message: clusterLimits.growDisks,
    })
    expect(await sizesOf(`disk-${data}`)).toEqual(['32Mi', '32Mi'])
    expect((await claim(`disk-${data}`)).metadata.annotations).not.toHaveProperty(mark.size)
    expect(await engine.growVolume(data, null, 32 * MIB)).toBe(32 * MIB)
  })

  it('are promised by the engine as long as the storage class lets them grow', async () => {
    const image = { namespace: 'none', name: 'none', sizeBytes: MIB }
    const more = { prefix: newPrefix(), image, directory: directoryOfTest(), storageClass: rigid }
    const made = engineOver({ ...cluster.client, close: () => {} }, { ...more, networks: false })
    await made.open()
    const told = () => [made.capabilities.cannot.growDisks, made.capabilities.cannot.growRootDisks]
    const allow = (allowVolumeExpansion: boolean) =>
      cluster.client.merge(kinds.storageClasses, { name: rigid }, { allowVolumeExpansion })
    expect(told()).toEqual([clusterLimits.growDisks, clusterLimits.growRootDisks])
    await allow(true)
    await eventually(told, [null, null])
    await allow(false)
    await eventually(told, [clusterLimits.growDisks, clusterLimits.growRootDisks])
    await made.close()
  })
})
