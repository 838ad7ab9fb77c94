/** What only a cluster does to machines: starts that wait, and runs of which something is left. On the one that SLIPWAY_TEST_KUBECONFIG names. */
import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { machineSpec, work } from '../engine.test-kit.ts'
import type { MachineSpec } from '../engine.ts'
import { clusterLimits } from '../limits.ts'
import { engineOver, kubeconfig, makeBootImage, newClient, newPrefix } from './cluster.test-kit.ts'
import { kinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { KubeError } from './kube/kube-error.ts'
import { makeNames } from './names.ts'
import { eventually } from './storage.test-kit.ts'

const guestCommand = process.env.SLIPWAY_TEST_GUEST_COMMAND
if (!kubeconfig)
  console.log('SKIPPED: "a start that waits", because SLIPWAY_TEST_KUBECONFIG names no cluster')
if (!guestCommand)
  console.log(
    'SKIPPED: "a start that was cut off", because SLIPWAY_TEST_GUEST_COMMAND names no way into guests',
  )

/** An engine with a machine in a project of its own, whose calls to the cluster go through `through`. */
async function openEngine(
  through: (client: KubeClient) => KubeClient = (plain) => plain,
  more: Partial<MachineSpec> = {},
) {
  const prefix = newPrefix()
  const names = makeNames(prefix)
  const client = await newClient()
  const image = { namespace: names.imagesNamespace, name: 'image', sizeBytes: 2 ** 26 }
  const engine = engineOver(through(client), { prefix, image, directory: directoryOfTest() })
  await engine.open()
  const [id, projectId] = [randomUUID(), randomUUID()]
  onTestFinished(async () => {
    await engine.deleteMachine(id)
    await expect.poll(() => engine.inspect(id)).toEqual({ power: 'absent' })
    await engine.deleteProject(projectId)
    await client.remove(kinds.namespaces, { name: names.imagesNamespace })
    await engine.close()
  })
  const spec = machineSpec('a', { id, projectId, memoryMb: 128, imageId: 'x', ...more })
  await engine.createMachine(spec)
  const at = { namespace: names.namespaceOf(projectId), name: names.machine(id) }
  const power = async () => (await engine.inspect(id)).power
  const start = (freshRoot = false, like?: MachineSpec) =>
    engine.startMachine(id, { freshRoot, volumeIds: [], ...(like && { like }) })
  return {
    ...{ engine, client, id, spec, at, power, start },
    root: { ...at, name: `${at.name}-root` },
    bootImage: () => makeBootImage(client, image),
    async boots(...how: Parameters<typeof start>): Promise<void> {
      await start(...how)
      await eventually(power, 'ready')
    },
    async makeDisk(): Promise<string> {
      const disk = { id: randomUUID(), projectId, source: { from: 'nothing' }, sizeBytes: 2 ** 25 } as const
      await engine.createVolume(disk, work())
      return disk.id
    },
    /** Lets that happen in its guest. */
    async powersOff(): Promise<void> {
      const [program = '', ...words] = (guestCommand ?? '').split(' ')
      await run(program, [...words, `${at.namespace}/${at.name}`, 'poweroff'])
    },
  }
}

describe.skipIf(!kubeconfig)('machines on a cluster', () => {
  test('a start that waits for its root disk says so, and can be called off', async () => {
    const asked: string[] = []
    const counted =
      <A extends unknown[], R>(word: string, call: (...given: A) => R) =>
      (...given: A): R => {
        asked.push(word)
        return call(...given)
      }
    const { engine, id, start } = await openEngine((plain) => ({
      ...plain,
      get: counted('get', plain.get) as typeof plain.get,
      patch: counted('patch', plain.patch) as typeof plain.patch,
      put: counted('put', plain.put),
    }))
    asked.length = 0
    await start()
    // Its disks are as they should be, as far as is known here.
    expect(asked).toEqual(['put'])
    expect(await engine.inspect(id)).toMatchObject({
      power: 'booting',
      held: { by: 'parts', reason: expect.stringMatching(/^The root disk/) },
    })
    await engine.powerOff(id)
    expect(await engine.inspect(id)).toEqual({ power: 'off', run: null, exit: null })
  })

  test.skipIf(!guestCommand)(
    'a start from the image after a guest has ended is completed, wherever it was cut off before',
    async () => {
      let left = Number.POSITIVE_INFINITY
      const cut =
        <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
        async (...given: A): Promise<R> => {
          if (left-- <= 0) throw new KubeError('away', 'The server was killed.')
          return call(...given)
        }
      const { engine, client, id, root, bootImage, start, power, boots, powersOff } = await openEngine(
        (plain) => ({
          ...plain,
          merge: cut(plain.merge) as typeof plain.merge,
          remove: cut(plain.remove),
          put: cut(plain.put),
        }),
        { persistent: false },
      )
      await bootImage()
      const rootUid = async () => (await client.get(kinds.claims, root)).metadata.uid
      await boots(true)
      const before = await rootUid()
      await powersOff()
      await eventually(power, 'off')
      const ended = await engine.inspect(id)
      // One write more with each try: the instance goes, claim and DataVolume go, the root is noted, `Manual`, the start.
      let tries = 0
      for (let isStarted = false; !isStarted; tries++) {
        left = tries
        isStarted = await start(true).then(
          () => true,
          () => false,
        )
        left = Number.POSITIVE_INFINITY
        if (!isStarted) expect(await engine.inspect(id)).toEqual(ended)
      }
      expect(tries).toBeGreaterThan(2)
      await eventually(power, 'ready')
      expect(await rootUid()).not.toBe(before)
    },
  )

  test.skipIf(!guestCommand)('a machine whose guest has ended by itself can be restored', async () => {
    const { engine, id, bootImage, power, boots, powersOff } = await openEngine()
    await bootImage()
    await boots()
    const [snapshotId, safetyId] = [randomUUID(), randomUUID()]
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: false }, work())
    await powersOff()
    await eventually(power, 'off')
    await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work())
    await engine.switchDisks(id, safetyId, work())
    await boots()
    for (const one of [snapshotId, safetyId]) await engine.deleteMachineSnapshot(one)
  })

  test('a machine whose root disk the cluster has lost under its guest can be stopped', async () => {
    const { engine, client, id, at, root, bootImage, boots, power } = await openEngine()
    await bootImage()
    await boots()
    const { spec } = await client.get(kinds.claims, root)
    const persistentVolumes = { group: '', version: 'v1', plural: 'persistentvolumes' }
    await client.remove(persistentVolumes, { name: spec.volumeName ?? '' })
    await eventually(async () => (await client.get(kinds.dataVolumes, root)).status?.phase, 'Failed')
    await engine.powerOff(id)
    expect(await power()).toBe('broken')
    await expect(client.get(kinds.instances, at)).rejects.toMatchObject({ kind: 'not-found' })
  })

  test('a machine that was being made like something else and is wanted as it was has a seed', async () => {
    let isKilled = false
    const { engine, client, id, spec, at, start } = await openEngine((plain) => ({
      ...plain,
      create: (async (kind, ...given) => {
        if (kind.plural === kinds.secrets.plural && isKilled)
          throw new KubeError('away', 'The server was killed.')
        return plain.create(kind, ...given)
      }) as typeof plain.create,
    }))
    isKilled = true
    await expect(start(false, { ...spec, hostname: 'b' })).rejects.toMatchObject({ retryable: true })
    isKilled = false
    await start(false, spec)
    const seed = { namespace: at.namespace, name: `${at.name}-seed` }
    await expect(client.get(kinds.secrets, seed)).resolves.toMatchObject({ metadata: { name: seed.name } })
    await engine.powerOff(id)
  })

  /** An engine to which the gates of hot-plug and of reboots are closed; machines are changed through `change`. */
  const openGated = (
    change: (client: KubeClient) => Pick<KubeClient, 'merge' | 'patch'> = (plain) => plain,
  ) =>
    openEngine(
      (plain) => ({
        ...plain,
        ...change(plain),
        list: (async (kind, ...query) => {
          const page = await plain.list(kind, ...query)
          if (kind.plural !== 'kubevirts') return page
          const gates = { featureGates: ['HotplugVolumes'], disabledFeatureGates: ['RebootPolicy'] }
          const spec = { configuration: { developerConfiguration: gates } }
          return { ...page, items: page.items.map((one) => ({ ...one, spec })) }
        }) as typeof plain.list,
      }),
      { persistent: false },
    )

  test('disks stay where they are, and a reboot ends no run, where the gates of KubeVirt are closed', async () => {
    const { engine, client, id, at, bootImage, boots, makeDisk } = await openGated()
    expect(engine.capabilities.cannot.hotPlug).toBe(clusterLimits.hotPlug)
    const { spec } = await client.get(kinds.machines, at)
    expect(spec.template.spec.domain).not.toHaveProperty('rebootPolicy')
    await bootImage()
    const disk = await makeDisk()
    await boots(true)
    for (const asked of [engine.attachVolume(id, disk), engine.detachVolume(id, disk, work())])
      await expect(asked).rejects.toMatchObject({ code: 'unsupported', message: clusterLimits.hotPlug })
    await engine.powerOff(id)
    await engine.attachVolume(id, disk)
    await engine.detachVolume(id, disk, work())
    await engine.deleteVolume(disk)
  })

  /** Refuses what the webhook of KubeVirt refuses while the gate of reboots is closed. */
  function refusing({ merge, patch }: KubeClient): Pick<KubeClient, 'merge' | 'patch'> {
    function judge<W extends typeof merge | typeof patch>(write: W): W {
      const judged = async (...[kind, at, change, options]: Parameters<typeof merge>) => {
        if (kind.plural === kinds.machines.plural && options?.part === undefined) {
          const would = await (write as typeof merge)(kinds.machines, at, change, { dryRun: true })
          if (would.spec.template.spec.domain.rebootPolicy !== undefined)
            throw new KubeError('invalid', 'The RebootPolicy feature gate is not enabled')
        }
        return (write as typeof merge)(kind, at, change, options)
      }
      return judged as W
    }
    return { merge: judge(merge), patch: judge(patch) }
  }

  test('a machine that was made before the gate of reboots was closed is stopped, changed and restored without what belongs to it', async () => {
    const { engine, client, id, spec, at, bootImage, boots, power, makeDisk } = await openGated(refusing)
    await bootImage()
    const [disk, snapshotId, safetyId] = [await makeDisk(), randomUUID(), randomUUID()]
    const before = () =>
      client.merge(kinds.machines, at, {
        spec: { template: { spec: { domain: { rebootPolicy: 'Terminate' } } } },
      })
    const without = async () =>
      expect((await client.get(kinds.machines, at)).spec.template.spec.domain).not.toHaveProperty(
        'rebootPolicy',
      )
    await before()
    await boots(true, { ...spec, hostname: 'b' })
    await without()
    await before()
    await engine.powerOff(id)
    expect(await power()).toBe('off')
    await without()
    await before()
    await engine.attachVolume(id, disk)
    await without()
    const source = { machineId: id, volumeIds: [], memory: false }
    await engine.createMachineSnapshot(snapshotId, source, work())
    await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work())
    await before()
    await engine.switchDisks(id, safetyId, work())
    await without()
    await before()
    await engine.detachVolume(id, disk, work())
    await without()
    await engine.deleteVolume(disk)
    for (const one of [snapshotId, safetyId]) await engine.deleteMachineSnapshot(one)
  })
})
