/** What only a cluster does to machines: starts that wait, and runs of which something is left. On the one that SLIPWAY_TEST_KUBECONFIG names. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { run } from '../../lib/command.ts'
import { silentLog } from '../../lib/log.ts'
import { work } from '../engine.test-kit.ts'
import { clusterLimits } from '../limits.ts'
import { anySource, imagesOf } from './images.test-kit.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { KubeError } from './kube/kube-error.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { makeKubevirtEngine } from './kubevirt-engine.ts'
import { makeNames } from './names.ts'
import { eventually } from './storage.test-kit.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
const guestCommand = process.env.SLIPWAY_TEST_GUEST_COMMAND
if (!kubeconfig)
  console.log('SKIPPED: "a start that waits", because SLIPWAY_TEST_KUBECONFIG names no cluster')
if (!guestCommand)
  console.log(
    'SKIPPED: "a start that was cut off", because SLIPWAY_TEST_GUEST_COMMAND names no way into guests',
  )

const size = { cpu: 1, memoryMb: 128, imageId: 'x', sshPublicKeys: [], volumeIds: [] }

/** An engine with a project of its own, whose calls to the cluster go through `through`. */
async function openEngine(through: (client: KubeClient) => KubeClient) {
  const prefix = `slipway-${randomBytes(3).toString('hex')}`
  const names = makeNames(prefix)
  const client = makeKubeClient(await readKubeconfig(kubeconfig ?? '', systemClock), { clock: systemClock })
  const directory = await mkdtemp(join(tmpdir(), 'slipway-recorder-'))
  const image = { namespace: names.imagesNamespace, name: 'image', sizeBytes: 2 ** 26 }
  const engine = makeKubevirtEngine({
    ...{ client: through(client), prefix, storageClass: null, snapshotClass: null, rootBytes: 2 ** 26 },
    ...{ clock: systemClock, log: silentLog },
    images: () => imagesOf(image),
    sources: () => anySource(2 ** 26),
    recorder: { directory },
    prometheusUrl: null,
    networks: true,
  })
  await engine.open()
  const [id, projectId] = [randomUUID(), randomUUID()]
  onTestFinished(async () => {
    await engine.deleteMachine(id)
    await expect.poll(() => engine.inspect(id)).toEqual({ power: 'absent' })
    await engine.deleteProject(projectId)
    await client.remove(kinds.namespaces, { name: names.imagesNamespace })
    await engine.close()
    await rm(directory, { recursive: true })
  })
  return {
    engine,
    client,
    id,
    projectId,
    image,
    at: { namespace: names.namespaceOf(projectId), name: names.machine(id) },
  }
}

async function happen({ namespace, name }: { namespace: string; name: string }, what: 'poweroff') {
  const [program = '', ...words] = (guestCommand ?? '').split(' ')
  await run(program, [...words, `${namespace}/${name}`, what])
}

const bootImage = (client: KubeClient, { namespace, name }: { namespace: string; name: string }) =>
  client.create(kinds.dataVolumes, namespace, {
    kind: 'DataVolume',
    metadata: { name },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } },
  })

test.skipIf(!kubeconfig)(
  'a start that waits for its root disk says so, and can be called off',
  async () => {
    const asked: string[] = []
    const counted =
      <A extends unknown[], R>(word: string, call: (...given: A) => R) =>
      (...given: A): R => {
        asked.push(word)
        return call(...given)
      }
    const { engine, id, projectId } = await openEngine((plain) => ({
      ...plain,
      get: counted('get', plain.get) as typeof plain.get,
      patch: counted('patch', plain.patch) as typeof plain.patch,
      put: counted('put', plain.put),
    }))
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: true })
    asked.length = 0
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    // Its disks are as they should be, as far as is known here.
    expect(asked).toEqual(['put'])
    expect(await engine.inspect(id)).toMatchObject({
      power: 'booting',
      held: { by: 'parts', reason: expect.stringMatching(/^The root disk/) },
    })
    await engine.powerOff(id)
    expect(await engine.inspect(id)).toEqual({ power: 'off', run: null, exit: null })
  },
  30_000,
)

test.skipIf(!kubeconfig || !guestCommand)(
  'a start from the image after a guest has ended is completed, wherever it was cut off before',
  async () => {
    let left = Number.POSITIVE_INFINITY
    const cut =
      <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        if (left-- <= 0) throw new KubeError('away', 'The server was killed.')
        return call(...given)
      }
    const { engine, client, id, projectId, image, at } = await openEngine((plain) => ({
      ...plain,
      merge: cut(plain.merge) as typeof plain.merge,
      remove: cut(plain.remove),
      put: cut(plain.put),
    }))
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: false })
    await bootImage(client, image)
    const start = () => engine.startMachine(id, { freshRoot: true, volumeIds: [] })
    const power = async () => (await engine.inspect(id)).power
    const rootUid = async () =>
      (await client.get(kinds.claims, { namespace: at.namespace, name: `${at.name}-root` })).metadata.uid
    await start()
    await eventually(power, 'ready')
    const before = await rootUid()
    await happen(at, 'poweroff')
    await eventually(power, 'off')
    const ended = await engine.inspect(id)
    // One write more with each try: the instance goes, claim and DataVolume go, the root is noted, `Manual`, the start.
    let tries = 0
    for (let isStarted = false; !isStarted; tries++) {
      left = tries
      isStarted = await start().then(
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
  60_000,
)

test.skipIf(!kubeconfig || !guestCommand)(
  'a machine whose guest has ended by itself can be restored',
  async () => {
    const { engine, client, id, projectId, image, at } = await openEngine((plain) => plain)
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: true })
    await bootImage(client, image)
    const start = () => engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    const power = async () => (await engine.inspect(id)).power
    await start()
    await eventually(power, 'ready')
    const [snapshotId, safetyId] = [randomUUID(), randomUUID()]
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: false }, work())
    await happen(at, 'poweroff')
    await eventually(power, 'off')
    await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work())
    await engine.switchDisks(id, safetyId, work())
    await start()
    await eventually(power, 'ready')
    for (const one of [snapshotId, safetyId]) await engine.deleteMachineSnapshot(one)
  },
  30_000,
)

test.skipIf(!kubeconfig)(
  'a machine whose root disk the cluster has lost under its guest can be stopped',
  async () => {
    const { engine, client, id, projectId, image, at } = await openEngine((plain) => plain)
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: true })
    await bootImage(client, image)
    const power = async () => (await engine.inspect(id)).power
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    await eventually(power, 'ready')
    const root = { namespace: at.namespace, name: `${at.name}-root` }
    const { spec } = await client.get(kinds.claims, root)
    const persistentVolumes = { group: '', version: 'v1', plural: 'persistentvolumes' }
    await client.remove(persistentVolumes, { name: spec.volumeName ?? '' })
    await eventually(async () => (await client.get(kinds.dataVolumes, root)).status?.phase, 'Failed')
    await engine.powerOff(id)
    expect(await power()).toBe('broken')
    await expect(client.get(kinds.instances, at)).rejects.toMatchObject({ kind: 'not-found' })
  },
  60_000,
)

test.skipIf(!kubeconfig)(
  'a machine that was being made like something else and is wanted as it was has a seed',
  async () => {
    let isKilled = false
    const { engine, client, id, projectId, at } = await openEngine((plain) => ({
      ...plain,
      create: (async (kind, ...given) => {
        if (kind.plural === kinds.secrets.plural && isKilled)
          throw new KubeError('away', 'The server was killed.')
        return plain.create(kind, ...given)
      }) as typeof plain.create,
    }))
    const like = (hostname: string) => ({ hostname, ...size, persistent: true })
    const start = (hostname: string) =>
      engine.startMachine(id, { freshRoot: false, volumeIds: [], like: like(hostname) })
    await engine.createMachine({ id, projectId, ...like('a') })
    isKilled = true
    await expect(start('b')).rejects.toMatchObject({ retryable: true })
    isKilled = false
    await start('a')
    const seed = { namespace: at.namespace, name: `${at.name}-seed` }
    await expect(client.get(kinds.secrets, seed)).resolves.toMatchObject({ metadata: { name: seed.name } })
    await engine.powerOff(id)
  },
  30_000,
)

/** An engine to which the gates of hot-plug and of reboots are closed; machines are changed through `change`. */
const openGated = (change: (client: KubeClient) => Pick<KubeClient, 'merge' | 'patch'> = (plain) => plain) =>
  openEngine((plain) => ({
    ...plain,
    ...change(plain),
    list: (async (kind, ...query) => {
      const page = await plain.list(kind, ...query)
      if (kind.plural !== 'kubevirts') return page
      const developerConfiguration = {
        featureGates: ['HotplugVolumes'],
        disabledFeatureGates: ['RebootPolicy'],
      }
      const spec = { configuration: { developerConfiguration } }
      return { ...page, items: page.items.map((one) => ({ ...one, spec })) }
    }) as typeof plain.list,
  }))

test.skipIf(!kubeconfig)(
  'disks stay where they are, and a reboot ends no run, where the gates of KubeVirt are closed',
  async () => {
    const { engine, client, id, projectId, image, at } = await openGated()
    expect(engine.capabilities.cannot.hotPlug).toBe(clusterLimits.hotPlug)
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: false })
    const { spec } = await client.get(kinds.machines, at)
    expect(spec.template.spec.domain).not.toHaveProperty('rebootPolicy')
    await bootImage(client, image)
    const disk = randomUUID()
    const blank = { id: disk, projectId, source: { from: 'nothing' }, sizeBytes: 2 ** 25 } as const
    await engine.createVolume(blank, work())
    await engine.startMachine(id, { freshRoot: true, volumeIds: [] })
    await eventually(async () => (await engine.inspect(id)).power, 'ready')
    for (const asked of [engine.attachVolume(id, disk), engine.detachVolume(id, disk, work())])
      await expect(asked).rejects.toMatchObject({ code: 'unsupported', message: clusterLimits.hotPlug })
    await engine.powerOff(id)
    await engine.attachVolume(id, disk)
    await engine.detachVolume(id, disk, work())
    await engine.deleteVolume(disk)
  },
  30_000,
)

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

test.skipIf(!kubeconfig)(
  'a machine that was made before the gate of reboots was closed is stopped, changed and restored without what belongs to it',
  async () => {
    const { engine, client, id, projectId, image, at } = await openGated(refusing)
    await engine.createMachine({ id, projectId, hostname: 'a', ...size, persistent: false })
    await bootImage(client, image)
    const [disk, snapshotId, safetyId] = [randomUUID(), randomUUID(), randomUUID()]
    await engine.createVolume(
      { id: disk, projectId, source: { from: 'nothing' }, sizeBytes: 2 ** 25 },
      work(),
    )
    const before = () =>
      client.merge(kinds.machines, at, {
        spec: { template: { spec: { domain: { rebootPolicy: 'Terminate' } } } },
      })
    const without = async () =>
      expect((await client.get(kinds.machines, at)).spec.template.spec.domain).not.toHaveProperty(
        'rebootPolicy',
      )
    await before()
    const like = { hostname: 'b', ...size, persistent: false }
    await engine.startMachine(id, { freshRoot: true, volumeIds: [], like })
    await eventually(async () => (await engine.inspect(id)).power, 'ready')
    await without()
    await before()
    await engine.powerOff(id)
    expect((await engine.inspect(id)).power).toBe('off')
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
  },
  60_000,
)
