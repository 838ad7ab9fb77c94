import { describe, expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import type { Finding } from '../../lib/finding.ts'
import { examine } from './doctor.ts'
import type { Examined } from './finding.ts'
import { kinds } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { bodyOf, json, page, refusal, serveKube } from './kube/kube-server.test-kit.ts'
import type { KubeObject } from './kube/objects.ts'
import { isOlder } from './kubevirt-gates.ts'
import { rights } from './rights.ts'
import { tryCluster } from './trial.ts'

const object = (name: string, more: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  metadata: { name, annotations },
  ...more,
})
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' }

const kubevirt = (phase: string, version?: string, developerConfiguration = {}) =>
  object('kubevirt', {
    spec: { configuration: { developerConfiguration } },
    status: { phase, observedKubeVirtVersion: version },
  })
const block = object('block', { provisioner: 'csi.block.test', allowVolumeExpansion: true }, isDefault)
const slow = object('slow', { provisioner: 'csi.slow.test' })
const snapshotClass = (name: string, driver = 'csi.block.test') => object(name, { driver })

/** A cluster where nothing is missing: what it lists by the last word of the path, and what we may do there. */
const healthy = {
  kubevirts: [kubevirt('Deployed', 'v1.9.0')],
  cdis: [object('cdi', { status: { phase: 'Deployed', observedVersion: 'v1.66.0' } })],
  storageclasses: [slow, block],
  volumesnapshotclasses: [snapshotClass('snap')],
}
type Lists = Partial<Record<keyof typeof healthy, KubeObject[] | null>>
interface World extends Lists {
  allows?: (attributes: Record<string, string>) => boolean
  hasMetrics?: boolean
  apiGroups?: string[] | null
  gitVersion?: string
}

/** What is found in a cluster that differs from a healthy one in this. */
async function findingsIn(world: World, settings: Partial<Examined> = {}): Promise<Finding[]> {
  const { allows = () => true, hasMetrics = true, gitVersion = 'v1.36.2', ...changed } = world
  const { apiGroups = ['apps', 'cilium.io'], ...lists } = { ...healthy, ...changed }
  const items = (kind: string) => Object.entries(lists).find(([one]) => one === kind)?.[1]
  const { client } = await serveKube(async (request, answer, url) => {
    const last = url.pathname.split('/').at(-1) ?? ''
    if (url.pathname === '/version') return json(answer, 200, { gitVersion })
    if (last === 'selfsubjectaccessreviews') {
      const { spec } = JSON.parse(await bodyOf(request))
      return json(answer, 201, { spec, status: { allowed: allows(spec.resourceAttributes) } })
    }
    if (url.pathname === '/apis' && apiGroups)
      return json(answer, 200, { groups: apiGroups.map((name) => ({ name })) })
    if (url.pathname === '/apis/metrics.k8s.io/v1beta1' && hasMetrics) return json(answer, 200, {})
    const listed = items(last)
    return listed ? json(answer, 200, page(listed, 1)) : refusal(answer, 404, 'NotFound', 'no such kind')
  })
  return examined(client({ qps: 10_000, burst: 10_000 }), settings)
}
async function listOf<T>(all: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of all) list.push(one)
  return list
}
const examined = (client: KubeClient, settings: Partial<Examined> = {}): Promise<Finding[]> =>
  listOf(
    examine({
      ...{ client, prefix: 'slipway', storageClass: null, snapshotClass: null, prometheusUrl: null },
      ...settings,
    }),
  )
const triedIn = (client: KubeClient, more: { stepMs?: number } = {}): Promise<Finding[]> =>
  listOf(
    tryCluster({
      ...{ client, prefix: 'slipway', storageClass: null, clock: systemClock, ...more },
      signal: new AbortController().signal,
    }),
  )

const notGood = (all: Finding[]) => all.filter(({ state }) => state !== 'good')

describe('the doctor of a cluster', () => {
  it('says good of everything where nothing is missing, with a line for each right', async () => {
    const all = await findingsIn({})
    expect(notGood(all)).toEqual([])
    expect(all.filter(({ name }) => name === 'right')).toHaveLength(rights.length)
    expect(all.find(({ name }) => name === 'storage class')?.text).toContain('block, the default')
  })

  const gates = ['Snapshot', 'DeclarativeHotplugVolumes', 'RebootPolicy']
  const withGates = (gates: object): World => ({ kubevirts: [kubevirt('Deployed', 'v1.9.0', gates)] })
  const has = (text: string) => expect.stringContaining(text) as string
  const found = (state: Finding['state']) => (name: string, more: Partial<Finding>) => ({
    state,
    name,
    ...more,
  })
  const [bad, note] = [found('bad'), found('note')]
  it.each<[string, World, Partial<Finding>]>([
    ['Kubernetes is too old', { gitVersion: 'v1.29.4' }, bad('API server', { help: has('v1.30') })],
    ['Kubernetes is too new', { gitVersion: 'v1.37.0' }, note('API server', { help: has('v1.34 to v1.36') })],
    [
      'KubeVirt is too old',
      { kubevirts: [kubevirt('Deployed', 'v1.8.2', { featureGates: gates })] },
      bad('KubeVirt', { text: 'v1.8.2 is too old' }),
    ],
    ['KubeVirt is not installed', { kubevirts: null }, bad('KubeVirt', { text: 'not installed' })],
    [
      'KubeVirt is being installed',
      { kubevirts: [kubevirt('Deploying')] },
      bad('KubeVirt', { text: has('is not ready: phase Deploying') }),
    ],
    [
      'CDI is older than the one we know',
      { cdis: [object('cdi', { status: { phase: 'Deployed', observedVersion: 'v1.60.1' } })] },
      note('CDI', { help: 'Slipway was tested with v1.66; upgrade CDI' }),
    ],
    ...gates.map((gate): [string, World, Partial<Finding>] => [
      `the gate ${gate} is closed`,
      withGates({ disabledFeatureGates: [gate] }),
      bad('feature gate', { help: has('disabledFeatureGates') }),
    ]),
    [
      'the old gate of hot-plug is open',
      withGates({ featureGates: ['HotplugVolumes'] }),
      bad('feature gate', { text: expect.stringMatching(/^HotplugVolumes is on, which/) as string }),
    ],
    [
      'no storage class is the default',
      { storageclasses: [slow] },
      bad('storage class', { help: has('SLIPWAY_KUBE_STORAGE_CLASS') }),
    ],
    [
      'no snapshot class is of the same driver',
      { volumesnapshotclasses: [snapshotClass('snap', 'csi.other.test')] },
      bad('snapshot class', {
        text: 'no VolumeSnapshotClass is of the driver csi.block.test: disks of block cannot have snapshots',
        help: 'create a VolumeSnapshotClass with "driver: csi.block.test"',
      }),
    ],
    [
      'no network plug-in is known',
      { apiGroups: ['apps'] },
      note('network policies', { text: has('none of') }),
    ],
    [
      'nobody tells the plug-in',
      { apiGroups: null },
      note('network policies', { help: has('NetworkPolicy') }),
    ],
    [
      'the storage class lets no disk grow',
      { storageclasses: [object('block', { provisioner: 'csi.block.test' }, isDefault)] },
      note('disk growth', {
        text: 'block does not let disks be enlarged',
        help: 'if its driver can, set "allowVolumeExpansion: true" on the StorageClass block',
      }),
    ],
    [
      'the cluster has no snapshot API',
      { volumesnapshotclasses: null },
      bad('snapshot class', { help: has('external-snapshotter') }),
    ],
    [
      'two snapshot classes are of the driver',
      { volumesnapshotclasses: [snapshotClass('a'), snapshotClass('b')] },
      note('snapshot class', { help: has('SLIPWAY_KUBE_SNAPSHOT_CLASS') }),
    ],
    [
      'one right is missing',
      { allows: ({ subresource, verb }) => !(subresource === 'start' && verb === 'update') },
      bad('right', {
        text: 'missing for starting and stopping VMs: update virtualmachines/start',
        help: has('rights.yaml'),
      }),
    ],
    ['there are no metrics', { hasMetrics: false }, note('metrics', { help: has('install metrics-server') })],
  ])('says what helps when %s, and nothing else', async (_, world, finding) => {
    expect(notGood(await findingsIn(world))).toEqual([expect.objectContaining(finding)])
  })

  it('asks the Prometheus of the settings for figures of KubeVirt, and then no metrics API', async () => {
    const asked: (string | null)[] = []
    let answer: { status: number; body: object } = { status: 404, body: {} }
    const { cluster } = await serveKube(async (request, response, url) => {
      asked.push(url.pathname, new URLSearchParams(await bodyOf(request)).get('query'))
      json(response, answer.status, answer.body)
    })
    const settings = { prometheusUrl: cluster.server.href }
    const found = async () => {
      const all = await findingsIn({ hasMetrics: false }, settings)
      return all.filter(({ name }) => name === 'metrics')
    }
    expect(await found()).toEqual([
      expect.objectContaining({ state: 'bad', text: expect.stringContaining('answered 404') }),
    ])
    answer = { status: 200, body: { data: { result: [] } } }
    expect(await found()).toEqual([expect.objectContaining({ state: 'note' })])
    answer = { status: 200, body: { data: { result: [{ metric: {}, value: [1, '7'] }] } } }
    expect(await found()).toEqual([
      expect.objectContaining({ state: 'good', text: expect.stringContaining('Prometheus') }),
    ])
    expect(asked.slice(0, 2)).toEqual(['/api/v1/query', expect.stringContaining('kubevirt_')])
  })

  it('goes by the storage class and snapshot class of the settings', async () => {
    const slow = notGood(await findingsIn({}, { storageClass: 'slow' }))
    expect(slow).toEqual([
      expect.objectContaining({ name: 'disk growth', state: 'note' }),
      expect.objectContaining({ name: 'snapshot class', state: 'bad' }),
    ])
    const none = notGood(await findingsIn({}, { storageClass: 'none' }))
    expect(none[0]?.text).toBe('none does not exist; there are: slow, block')
    const other = notGood(await findingsIn({}, { snapshotClass: 'other' }))
    expect(other[0]?.text).toContain('other does not exist')
  })

  it('says only that the API server does not answer when it does not', async () => {
    const { cluster, client, server } = await serveKube(() => {})
    await new Promise((resolve) => server.close(resolve))
    const all = await examined(client())
    expect(all).toEqual([expect.objectContaining({ state: 'bad', name: 'API server' })])
    expect(all[0]?.text).toContain(`${cluster.server.host} does not answer`)
  })

  it('asks for rights to every kind that the engine has', () => {
    const known = rights.flatMap(({ group, resources }) =>
      resources.map((resource) => `${resource}.${group}`),
    )
    for (const { group, plural } of Object.values(kinds)) expect(known).toContain(`${plural}.${group}`)
  })

  it('orders versions by their numbers', () => {
    expect(isOlder('v1.8.3', 'v1.9')).toBe(true)
    expect(isOlder('v1.10.0', 'v1.9')).toBe(false)
    expect(isOlder('v2.0.0', 'v1.9')).toBe(false)
    expect(isOlder('a build of mine', 'v1.9')).toBe(false)
  })
})

describe('a trial', () => {
  it('removes what it made when a step is refused, and says what was refused', async () => {
    const calls: string[] = []
    let hasNamespace = false
    const { client } = await serveKube((request, answer, url) => {
      const kind = url.pathname.split('/').find((word) => /^(datavolumes|virtualmachine\w*)$/.test(word))
      calls.push(`${request.method} ${kind ?? 'namespace'}`)
      if (kind)
        return request.method === 'POST'
          ? refusal(answer, 403, 'Forbidden', 'exceeded quota: no')
          : refusal(answer, 404, 'NotFound', 'none')
      if (request.method === 'GET' && !hasNamespace) return refusal(answer, 404, 'NotFound', 'none')
      hasNamespace = request.method === 'POST'
      return json(answer, 200, object('namespace'))
    })
    const all = await triedIn(client())
    expect(all.map(({ state, text }) => `${state} ${text.split(':')[0]}`)).toEqual([
      'good create a namespace',
      'bad create a disk',
      'good remove everything',
    ])
    expect(all[1]?.text).toContain('exceeded quota')
    expect(calls.at(-2)).toBe('DELETE namespace')
  })

  it('waits for each step only so long, and says how far it came and what the cluster warns of', async () => {
    let hasNamespace = false
    const { client } = await serveKube((request, answer, url) => {
      const last = url.pathname.split('/').at(-1)
      const warning = object('e', { type: 'Warning', message: 'no volume plugin matched' })
      if (last === 'events') return json(answer, 200, page([warning], 1))
      if (url.pathname.includes('datavolumes'))
        return json(answer, 200, object('trial', { status: { phase: 'ImportScheduled' } }))
      if (request.method === 'GET' && !hasNamespace) return refusal(answer, 404, 'NotFound', 'none')
      hasNamespace = request.method === 'POST'
      return json(answer, 200, object('namespace'))
    })
    const all = await triedIn(client(), { stepMs: 0 })
    expect(all[1]).toMatchObject({
      state: 'bad',
      text: 'create a disk: the DataVolume is ImportScheduled after 0 s; the cluster warns: no volume plugin matched',
    })
    expect(all.at(-1)?.text).toContain('remove everything')
  })
})
