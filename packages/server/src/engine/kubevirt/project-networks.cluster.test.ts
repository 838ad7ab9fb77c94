/** The networks of projects in the cluster that SLIPWAY_TEST_KUBECONFIG names: the objects, and who takes them away. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { Engine, NetworkSpec } from '../engine.ts'
import { anySource, imagesOf } from './images.test-kit.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { makeKubevirtEngine } from './kubevirt-engine.ts'
import { makeNames } from './names.ts'
import { policySpec } from './project-policy.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig)
  console.log(
    'SKIPPED: "the network of a project in a cluster", because SLIPWAY_TEST_KUBECONFIG names no cluster',
  )

const patience = { timeout: 20_000, interval: 50 }

describe.skipIf(!kubeconfig)('the network of a project in a cluster', () => {
  const prefix = `slipway-${randomBytes(3).toString('hex')}`
  const names = makeNames(prefix)
  const projectId = randomUUID()
  const namespace = names.namespaceOf(projectId)
  // Half of all ids begin with a digit, which a Service may not.
  const [web, db] = [`0${randomUUID().slice(1)}`, `a${randomUUID().slice(1)}`]
  const network: NetworkSpec = {
    label: 'shop',
    internet: true,
    names: { web: [web], '1st': [web], [web]: [web], db: [db], [db]: [db], all: [web, db] },
  }
  const image = { namespace: names.imagesNamespace, name: 'image-test', sizeBytes: 2 ** 26 }
  const warnings: string[] = []
  let directory: string
  let client: KubeClient
  let engine: Engine

  async function open(networks: boolean): Promise<Engine> {
    const opened = makeKubevirtEngine({
      ...{ client: await newClient(), prefix, storageClass: null, snapshotClass: null, rootBytes: 2 ** 26 },
      clock: systemClock,
      log: { ...silentLog, warn: (...all: unknown[]) => void warnings.push(String(all.at(-1))) },
      images: () => imagesOf(image),
      sources: () => anySource(2 ** 26),
      recorder: { directory },
      prometheusUrl: null,
      networks,
    })
    await opened.open()
    return opened
  }
  const newClient = async () =>
    makeKubeClient(await readKubeconfig(kubeconfig ?? '', systemClock), {
      clock: systemClock,
      qps: 500,
      burst: 500,
    })

  const policy = async () =>
    (await client.list(kinds.networkPolicies, { namespace })).items.map(({ spec }) => spec)
  /** By name, all that it means, as somebody who asks for names is told. */
  async function found(): Promise<Record<string, string[]>> {
    const { items } = await client.list(kinds.endpointSlices, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${names.guests}`,
    })
    const means: Record<string, string[]> = {}
    for (const { hostname = '', addresses } of items.flatMap(({ endpoints }) => endpoints ?? []))
      means[hostname] = [...(means[hostname] ?? []), ...addresses].sort()
    return means
  }
  const isHeadless = async () => {
    const { items } = await client.list(kinds.services, { namespace })
    return items.map(({ metadata, spec }) => [metadata.name, spec.clusterIP, spec.selector])
  }
  const service = [[names.guests, 'None', undefined]]
  const start = (id: string) => engine.startMachine(id, { freshRoot: false, volumeIds: [] })
  const guests = async () => Object.fromEntries(await engine.networkAddresses(projectId))
  const living = (count: number) =>
    expect.poll(async () => Object.keys(await guests()).length, patience).toBe(count)
  /** As it is while both live. */
  async function wanted(): Promise<Record<string, string[]>> {
    const { [web]: atWeb = '', [db]: atDb = '' } = await guests()
    const [ofWeb, ofDb] = [[atWeb], [atDb]]
    return { web: ofWeb, '1st': ofWeb, [web]: ofWeb, db: ofDb, [db]: ofDb, all: [atWeb, atDb].sort() }
  }
  const stands = async () => {
    await expect.poll(isHeadless, patience).toEqual(service)
    await expect.poll(policy, patience).toEqual([policySpec('internet', 'kubevirt')])
    await expect.poll(found, patience).toEqual(await wanted())
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'slipway-recorder-'))
    client = await newClient()
    await client.create(kinds.namespaces, undefined, {
      kind: 'Namespace',
      metadata: { name: image.namespace, labels: names.labels('image', 'images', null) },
    })
    await client.create(kinds.dataVolumes, image.namespace, {
      kind: 'DataVolume',
      metadata: { name: image.name, labels: names.labels('image', 'test', null) },
      spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } },
    })
    engine = await open(true)
    const size = { cpu: 1, memoryMb: 128, imageId: 'x', sshPublicKeys: [], volumeIds: [], persistent: true }
    for (const [id, hostname] of [
      [web, 'web'],
      [db, 'db'],
    ] as const)
      await engine.createMachine({ id, projectId, hostname, ...size })
  }, 60_000)
  afterAll(async () => {
    await engine.close()
    for (const name of [namespace, names.imagesNamespace])
      await client.remove(kinds.namespaces, { name }).catch(() => {})
    client.close()
    await rm(directory, { recursive: true })
  })

  it('lets guests reach only each other until it is told', async () => {
    expect(await policy()).toEqual([policySpec('project', 'kubevirt')])
    expect(await isHeadless()).toEqual([])
    expect(await guests()).toEqual({})
  })

  it('is in force when it was told, and names guests once they live', async () => {
    await engine.putNetwork(projectId, network)
    expect(await policy()).toEqual([policySpec('internet', 'kubevirt')])
    expect(await isHeadless()).toEqual(service)
    expect(await found()).toEqual({})
    for (const id of [web, db]) await start(id)
    await living(2)
    await stands()
  }, 60_000)

  it('is another one as soon as that is told', async () => {
    await engine.putNetwork(projectId, { label: 'store', internet: false, names: { ledger: [db] } })
    expect(await policy()).toEqual([policySpec('project', 'kubevirt')])
    expect(await found()).toEqual({ ledger: [(await guests())[db]] })
    await engine.putNetwork(projectId, network)
    expect(await found()).toEqual(await wanted())
    expect(warnings).toEqual([])
  })

  it('means by a group those that live', async () => {
    await engine.powerOff(web)
    await living(1)
    const at = [(await guests())[db]]
    await expect.poll(found, patience).toEqual({ db: at, [db]: at, all: at })
    await start(web)
    await living(2)
    await stands()
  }, 60_000)

  const slice = { namespace, name: `${names.guests}-ipv4-0` }
  const others: [string, () => Promise<unknown>][] = [
    ['takes its policy away', () => client.remove(kinds.networkPolicies, { namespace, name: 'project' })],
    [
      'opens its policy',
      () =>
        client.patch(kinds.networkPolicies, { namespace, name: 'project' }, [
          { op: 'replace', path: '/spec', value: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] } },
        ]),
    ],
    ['takes its service away', () => client.remove(kinds.services, { namespace, name: names.guests })],
    [
      'makes another service of it',
      () =>
        // Without a selector it is of both families by default, also where the cluster has one.
        client.merge(
          kinds.services,
          { namespace, name: names.guests },
          { spec: { selector: { a: 'b' }, ipFamilyPolicy: 'SingleStack' } },
        ),
    ],
    ['takes its names away', () => client.remove(kinds.endpointSlices, slice)],
    ['empties its names', () => client.merge(kinds.endpointSlices, slice, { endpoints: [] })],
    [
      'leads its names elsewhere',
      () =>
        client.merge(kinds.endpointSlices, slice, {
          endpoints: [{ addresses: ['10.9.9.9'], hostname: 'web', conditions: { ready: true } }],
        }),
    ],
    [
      'gives its names to another service',
      () =>
        client.merge(kinds.endpointSlices, slice, {
          metadata: { labels: { 'kubernetes.io/service-name': 'other' } },
        }),
    ],
  ]
  it.each(others)('comes back when somebody %s, and the log says so', async (_, act) => {
    warnings.length = 0
    await act()
    await expect
      .poll(() => warnings, patience)
      .toContain('Parts of the networks of projects were missing and have been put back')
    await stands()
  })

  it('loses names that nobody told', async () => {
    await client.create(kinds.endpointSlices, namespace, {
      kind: 'EndpointSlice',
      metadata: {
        name: 'vms-ipv4-7',
        labels: { ...names.labels('project', projectId, projectId), 'kubernetes.io/service-name': 'vms' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.9.9.9'], hostname: 'bank', conditions: { ready: true } }],
    })
    await stands()
  })

  it('gives a machine of before its names with the next start', async () => {
    const at = { namespace, name: names.machine(web) }
    await engine.powerOff(web)
    await client.merge(kinds.machines, at, { spec: { template: { spec: { subdomain: null } } } })
    await living(1)
    // A start that comes before the news of the change leaves it as it was, so only another one can see it.
    await expect
      .poll(async () => {
        await engine.powerOff(web)
        await start(web)
        return (await client.get(kinds.machines, at)).spec.template.spec.subdomain
      }, patience)
      .toBe(names.guests)
    await living(2)
    await stands()
  }, 60_000)

  it('stands while nobody says anything of it, and is switched off with the setting', async () => {
    await engine.close()
    engine = await open(true)
    await stands()
    await engine.close()
    engine = await open(false)
    expect(engine.capabilities.cannot.networks).not.toBeNull()
    await engine.putNetwork(projectId, network)
    expect(await guests()).toEqual({})
    expect([await isHeadless(), await found()]).toEqual([[], {}])
    await engine.powerOff(web)
    await start(web)
    expect(await policy()).toEqual([policySpec('anywhere', 'kubevirt')])
  }, 60_000)
})
