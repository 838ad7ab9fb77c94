import { describe, expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import type { Finding } from '../../lib/finding.ts'
import { examine } from './doctor.ts'
import type { Examined } from './finding.ts'
import { kinds } from './kinds.ts'
import { json, page, refusal, serveKube } from './kube/kube-server.test-kit.ts'
import type { KubeObject } from './kube/objects.ts'
import { isOlder } from './kubevirt-gates.ts'
import { rights } from './rights.ts'
import { tryCluster } from './trial.ts'

const object = (name: string, more: object = {}, annotations: Record<string, string> = {}): KubeObject => ({
  metadata: { name, annotations },
  ...more,
})
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' }

/** A cluster where nothing is missing: what it lists by the last word of the path, and what we may do there. */
const healthy = () => ({
  lists: {
    kubevirts: [object('kubevirt', { status: { phase: 'Deployed', observedKubeVirtVersion: 'v1.9.0' } })],
    cdis: [object('cdi', { status: { phase: 'Deployed', observedVersion: 'v1.66.0' } })],
    storageclasses: [
      object('slow', { provisioner: 'csi.slow.test' }),
      object('block', { provisioner: 'csi.block.test', allowVolumeExpansion: true }, isDefault),
    ],
    volumesnapshotclasses: [object('snap', { driver: 'csi.block.test' })],
  } as Record<string, KubeObject[] | undefined>,
  allows: (_: Record<string, string>): boolean => true,
  hasMetrics: true,
  apiGroups: ['apps', 'cilium.io'] as string[] | null,
  gitVersion: 'v1.36.2',
})

function setGates({ lists }: ReturnType<typeof healthy>, developerConfiguration: object): void {
  const spec = { configuration: { developerConfiguration } }
  lists.kubevirts = lists.kubevirts?.map((one) => ({ ...one, spec }))
}

async function findingsIn(
  change: (cluster: ReturnType<typeof healthy>) => void,
  settings: Partial<Examined> = {},
): Promise<Finding[]> {
  const world = healthy()
  change(world)
  const { client } = await serveKube((request, answer, url) => {
    const last = url.pathname.split('/').at(-1) ?? ''
    if (url.pathname === '/version') return json(answer, 200, { gitVersion: world.gitVersion })
    if (last === 'selfsubjectaccessreviews') {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      return request.on('end', () => {
        const { spec } = JSON.parse(body)
        json(answer, 201, { spec, status: { allowed: world.allows(spec.resourceAttributes) } })
      })
    }
    if (url.pathname === '/apis' && world.apiGroups)
      return json(answer, 200, { groups: world.apiGroups.map((name) => ({ name })) })
    if (url.pathname === '/apis/metrics.k8s.io/v1beta1' && world.hasMetrics) return json(answer, 200, {})
    const items = world.lists[last]
    return items ? json(answer, 200, page(items, 1)) : refusal(answer, 404, 'NotFound', 'no such kind')
  })
  const all: Finding[] = []
  const kube = client({ qps: 10_000, burst: 10_000 })
  for await (const one of examine({
    client: kube,
    prefix: 'slipway',
    storageClass: null,
    snapshotClass: null,
    prometheusUrl: null,
    ...settings,
  }))
    all.push(one)
  return all
}

const notGood = (all: Finding[]) => all.filter(({ state }) => state !== 'good')

describe('the doctor of a cluster', () => {
  it('says good of everything where nothing is missing, with a line for each right', async () => {
    const all = await findingsIn(() => {})
    expect(notGood(all)).toEqual([])
    expect(all.filter(({ name }) => name === 'right')).toHaveLength(rights.length)
    expect(all.find(({ name }) => name === 'storage class')?.text).toContain('block, the default')
  })

  it.each<[string, (cluster: ReturnType<typeof healthy>) => void, Partial<Finding>]>([
    [
      'Kubernetes is older than the chart needs',
      (cluster) => {
        cluster.gitVersion = 'v1.29.4'
      },
      { state: 'bad', name: 'API server', help: expect.stringContaining('v1.30') },
    ],
    [
      'Kubernetes is newer than KubeVirt knows',
      (cluster) => {
        cluster.gitVersion = 'v1.37.0'
      },
      { state: 'note', name: 'API server', help: expect.stringContaining('v1.34 to v1.36') },
    ],
    [
      'KubeVirt is too old',
      ({ lists }) => {
        const developerConfiguration = {
          featureGates: ['Snapshot', 'DeclarativeHotplugVolumes', 'RebootPolicy'],
        }
        lists.kubevirts = [
          object('kubevirt', {
            spec: { configuration: { developerConfiguration } },
            status: { phase: 'Deployed', observedKubeVirtVersion: 'v1.8.2' },
          }),
        ]
      },
      { state: 'bad', name: 'KubeVirt', text: 'v1.8.2 is too old' },
    ],
    [
      'KubeVirt is not installed',
      ({ lists }) => {
        lists.kubevirts = undefined
      },
      { state: 'bad', name: 'KubeVirt', text: 'not installed' },
    ],
    [
      'KubeVirt is being installed',
      ({ lists }) => {
        lists.kubevirts = [object('kubevirt', { status: { phase: 'Deploying' } })]
      },
      { state: 'bad', name: 'KubeVirt', text: expect.stringContaining('is not ready: phase Deploying') },
    ],
    [
      'CDI is older than the one we know',
      ({ lists }) => {
        lists.cdis = [object('cdi', { status: { phase: 'Deployed', observedVersion: 'v1.60.1' } })]
      },
      { state: 'note', name: 'CDI', help: 'Slipway was tested with v1.66; upgrade CDI' },
    ],
    ...['Snapshot', 'DeclarativeHotplugVolumes', 'RebootPolicy'].map(
      (gate): [string, (cluster: ReturnType<typeof healthy>) => void, Partial<Finding>] => [
        `the gate ${gate} is closed`,
        (cluster) => setGates(cluster, { disabledFeatureGates: [gate] }),
        { state: 'bad', name: 'feature gate', help: expect.stringContaining('disabledFeatureGates') },
      ],
    ),
    [
      'the old gate of hot-plug is open',
      (cluster) => setGates(cluster, { featureGates: ['HotplugVolumes'] }),
      { state: 'bad', name: 'feature gate', text: expect.stringMatching(/^HotplugVolumes is on, which/) },
    ],
    [
      'no storage class is the default',
      ({ lists }) => {
        lists.storageclasses = [object('slow', { provisioner: 'csi.slow.test' })]
      },
      { state: 'bad', name: 'storage class', help: expect.stringContaining('SLIPWAY_KUBE_STORAGE_CLASS') },
    ],
    [
      'no snapshot class is of the same driver',
      ({ lists }) => {
        lists.volumesnapshotclasses = [object('snap', { driver: 'csi.other.test' })]
      },
      {
        state: 'bad',
        name: 'snapshot class',
        text: 'no VolumeSnapshotClass is of the driver csi.block.test: disks of block cannot have snapshots',
        help: 'create a VolumeSnapshotClass with "driver: csi.block.test"',
      },
    ],
    [
      'no network plug-in is known to keep projects apart',
      (cluster) => {
        cluster.apiGroups = ['apps']
      },
      { state: 'note', name: 'network policies', text: expect.stringContaining('none of') },
    ],
    [
      'nobody says which network plug-in there is',
      (cluster) => {
        cluster.apiGroups = null
      },
      { state: 'note', name: 'network policies', help: expect.stringContaining('NetworkPolicy') },
    ],
    [
      'the storage class lets no disk grow',
      ({ lists }) => {
        lists.storageclasses = [object('block', { provisioner: 'csi.block.test' }, isDefault)]
      },
      {
        state: 'note',
        name: 'disk growth',
        text: 'block does not let disks be enlarged',
        help: 'if its driver can, set "allowVolumeExpansion: true" on the StorageClass block',
      },
    ],
    [
      'the cluster has no snapshot API',
      ({ lists }) => {
        lists.volumesnapshotclasses = undefined
      },
      { state: 'bad', name: 'snapshot class', help: expect.stringContaining('external-snapshotter') },
    ],
    [
      'two snapshot classes are of the driver',
      ({ lists }) => {
        lists.volumesnapshotclasses = ['a', 'b'].map((name) => object(name, { driver: 'csi.block.test' }))
      },
      { state: 'note', name: 'snapshot class', help: expect.stringContaining('SLIPWAY_KUBE_SNAPSHOT_CLASS') },
    ],
    [
      'one right is missing',
      (cluster) => {
        cluster.allows = ({ subresource, verb }) => !(subresource === 'start' && verb === 'update')
      },
      {
        state: 'bad',
        name: 'right',
        text: 'missing for starting and stopping VMs: update virtualmachines/start',
        help: expect.stringContaining('rights.yaml'),
      },
    ],
    [
      'there are no metrics',
      (cluster) => {
        cluster.hasMetrics = false
      },
      { state: 'note', name: 'metrics', help: expect.stringContaining('install metrics-server') },
    ],
  ])('says what helps when %s, and nothing else', async (_, change, finding) => {
    expect(notGood(await findingsIn(change))).toEqual([expect.objectContaining(finding)])
  })

  it('asks the Prometheus of the settings for figures of KubeVirt, and then no metrics API', async () => {
    const asked: (string | null)[] = []
    let answer: { status: number; body: object } = { status: 404, body: {} }
    const { cluster } = await serveKube((request, response, url) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        asked.push(url.pathname, new URLSearchParams(body).get('query'))
        json(response, answer.status, answer.body)
      })
    })
    const settings = { prometheusUrl: cluster.server.href }
    const found = async () => {
      const all = await findingsIn((world) => {
        world.hasMetrics = false
      }, settings)
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
    const slow = notGood(await findingsIn(() => {}, { storageClass: 'slow' }))
    expect(slow).toEqual([
      expect.objectContaining({ name: 'disk growth', state: 'note' }),
      expect.objectContaining({ name: 'snapshot class', state: 'bad' }),
    ])
    const none = notGood(await findingsIn(() => {}, { storageClass: 'none' }))
    expect(none[0]?.text).toBe('none does not exist; there are: slow, block')
    const other = notGood(await findingsIn(() => {}, { snapshotClass: 'other' }))
    expect(other[0]?.text).toContain('other does not exist')
  })

  it('says only that the API server does not answer when it does not', async () => {
    const { cluster, client, server } = await serveKube(() => {})
    await new Promise((resolve) => server.close(resolve))
    const all: Finding[] = []
    for await (const one of examine({
      client: client(),
      prefix: 'slipway',
      storageClass: null,
      snapshotClass: null,
      prometheusUrl: null,
    }))
      all.push(one)
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
    const all: Finding[] = []
    for await (const one of tryCluster({
      client: client(),
      prefix: 'slipway',
      storageClass: null,
      clock: systemClock,
      signal: new AbortController().signal,
    }))
      all.push(one)
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
      if (last === 'events')
        return json(
          answer,
          200,
          page([object('e', { type: 'Warning', message: 'no volume plugin matched' })], 1),
        )
      if (url.pathname.includes('datavolumes'))
        return json(answer, 200, object('trial', { status: { phase: 'ImportScheduled' } }))
      if (request.method === 'GET' && !hasNamespace) return refusal(answer, 404, 'NotFound', 'none')
      hasNamespace = request.method === 'POST'
      return json(answer, 200, object('namespace'))
    })
    const all: Finding[] = []
    const signal = new AbortController().signal
    const cluster = { client: client(), prefix: 'slipway', storageClass: null }
    for await (const one of tryCluster({ ...cluster, clock: systemClock, signal, stepMs: 0 })) all.push(one)
    expect(all[1]).toMatchObject({
      state: 'bad',
      text: 'create a disk: the DataVolume is ImportScheduled after 0 s; the cluster warns: no volume plugin matched',
    })
    expect(all.at(-1)?.text).toContain('remove everything')
  })
})
