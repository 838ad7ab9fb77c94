// @module-tag full
/** The networks of projects in the cluster that SLIPWAY_TEST_KUBECONFIG names: the objects, and who takes them away. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { silentLog } from '../../lib/log.ts'
import { machineSpec } from '../engine.test-kit.ts'
import type { Engine, NetworkSpec } from '../engine.ts'
import { engineOver, kubeconfig, makeBootImage, newClient, newPrefix } from './cluster.test-kit.ts'
import { kinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { makeNames } from './names.ts'
import { policySpec } from './project-policy.ts'

if (!kubeconfig)
  console.log(
    'SKIPPED: "the network of a project in a cluster", because SLIPWAY_TEST_KUBECONFIG names no cluster',
  )

describe.skipIf(!kubeconfig)('the network of a project in a cluster', () => {
  const prefix = newPrefix()
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
  const directory = directoryForAll()
  let client: KubeClient
  let engine: Engine

  async function open(networks: boolean): Promise<Engine> {
    const warn = (...all: unknown[]) => void warnings.push(String(all.at(-1)))
    const more = { prefix, image, directory: directory(), log: { ...silentLog, warn }, networks }
    const opened = engineOver(await newClient(), more)
    await opened.open()
    return opened
  }

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
  const living = (count: number) => expect.poll(async () => Object.keys(await guests()).length).toBe(count)
  /** As it is while both live. */
  async function wanted(): Promise<Record<string, string[]>> {
    const { [web]: atWeb = '', [db]: atDb = '' } = await guests()
    const [ofWeb, ofDb] = [[atWeb], [atDb]]
    return { web: ofWeb, '1st': ofWeb, [web]: ofWeb, db: ofDb, [db]: ofDb, all: [atWeb, atDb].sort() }
  }
  const stands = async () => {
    await expect.poll(isHeadless).toEqual(service)
    await expect.poll(policy).toEqual([policySpec('internet', 'kubevirt')])
    await expect.poll(found).toEqual(await wanted())
  }

  beforeAll(async () => {
    client = await newClient()
    await client.create(kinds.namespaces, undefined, {
      kind: 'Namespace',
      metadata: { name: image.namespace, labels: names.labels('image', 'images', null) },
    })
    await makeBootImage(client, image, names.labels('image', 'test', null))
    engine = await open(true)
    for (const [hostname, id] of Object.entries({ web, db }))
      await engine.createMachine(machineSpec(hostname, { id, projectId, memoryMb: 128, imageId: 'x' }))
  })
  afterAll(async () => {
    await engine.close()
    for (const name of [namespace, names.imagesNamespace])
      await client.remove(kinds.namespaces, { name }).catch(() => {})
    client.close()
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
  })

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
    await expect.poll(found).toEqual({ db: at, [db]: at, all: at })
    await start(web)
    await living(2)
    await stands()
  })

  const policyAt = { namespace, name: 'project' }
  const serviceAt = { namespace, name: names.guests }
  const slice = { namespace, name: `${names.guests}-ipv4-0` }
  const elsewhere = (hostname: string) => ({ addresses: ['10.9.9.9'], hostname, conditions: { ready: true } })
  const everywhere = { podSelector: {}, policyTypes: ['Egress'], egress: [{}] }
  const opening = [{ op: 'replace', path: '/spec', value: everywhere } as const]
  // Without a selector it is of both families by default, also where the cluster has one.
  const other = { spec: { selector: { a: 'b' }, ipFamilyPolicy: 'SingleStack' } }
  const ofOther = { metadata: { labels: { 'kubernetes.io/service-name': 'other' } } }
  const astray = { endpoints: [elsewhere('web')] }
  const others: [string, () => Promise<unknown>][] = [
    ['takes its policy away', () => client.remove(kinds.networkPolicies, policyAt)],
    ['opens its policy', () => client.patch(kinds.networkPolicies, policyAt, opening)],
    ['takes its service away', () => client.remove(kinds.services, serviceAt)],
    ['makes another service of it', () => client.merge(kinds.services, serviceAt, other)],
    ['takes its names away', () => client.remove(kinds.endpointSlices, slice)],
    ['empties its names', () => client.merge(kinds.endpointSlices, slice, { endpoints: [] })],
    ['leads its names elsewhere', () => client.merge(kinds.endpointSlices, slice, astray)],
    ['gives its names to another service', () => client.merge(kinds.endpointSlices, slice, ofOther)],
  ]
  it.each(others)('comes back when somebody %s, and the log says so', async (_, act) => {
    warnings.length = 0
    await act()
    await expect
      .poll(() => warnings)
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
      endpoints: [elsewhere('bank')],
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
      })
      .toBe(names.guests)
    await living(2)
    await stands()
  })

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
  })
})
