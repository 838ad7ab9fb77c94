// @module-tag full
/**
 * The chart against a real API server, or one that plays it: where SLIPWAY_TEST_KUBECONFIG names the kubeconfig of an
 * administrator of a cluster for tests. What it creates has a name of its own and is removed at the end.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examine } from '../engine/kubevirt/doctor.ts'
import type { Examined } from '../engine/kubevirt/finding.ts'
import { type KubeClient, makeKubeClient } from '../engine/kubevirt/kube/kube-client.ts'
import { readKubeconfig } from '../engine/kubevirt/kube/kubeconfig.ts'
import type { Kind, KubeObject } from '../engine/kubevirt/kube/objects.ts'
import { tryCluster } from '../engine/kubevirt/trial.ts'
import { systemClock } from '../lib/clock.ts'
import type { Finding } from '../lib/finding.ts'
import { leastValues, type Rendered, renderChart } from './chart.test-kit.ts'
import { clusterAs, install, kindOf, uninstall, whereOf } from './installed-chart.test-kit.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig) console.log('SKIPPED: "the chart on a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const namespaces: Kind = { group: '', version: 'v1', plural: 'namespaces' }
const accounts: Kind = { group: '', version: 'v1', plural: 'serviceaccounts' }
const pods: Kind = { group: '', version: 'v1', plural: 'pods' }

describe.skipIf(!kubeconfig)('the chart on a cluster', () => {
  const name = `slipway-test-${randomBytes(4).toString('hex')}`
  const prefix = `t${randomBytes(4).toString('hex')}`
  const rendered = renderChart(
    {
      ...leastValues,
      // Nothing has to come up: only what the API server says to it is asked.
      replicas: 1,
      kube: { prefix },
      ingress: { enabled: true, host: 'vms.example.com' },
    },
    { name, namespace: name },
  )
  let admin: KubeClient
  /** What the cluster has a kind for. */
  let known: Rendered[] = []

  beforeAll(async () => {
    const cluster = await readKubeconfig(kubeconfig ?? '', systemClock)
    admin = makeKubeClient(cluster, { clock: systemClock })
    await admin.create(namespaces, undefined, {
      kind: 'Namespace',
      metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    })
  })

  afterAll(async () => {
    await uninstall(admin, name, rendered)
    admin.close()
  })

  it('is accepted object by object, with strict validation', async () => {
    const made = await install(admin, name, rendered)
    const isMade = ({ kind, metadata }: Rendered) =>
      made.some((one) => one.kind === kind && one.metadata.name === metadata.name)
    known = rendered.filter(isMade)
    const unknown = rendered.filter((one) => !isMade(one)).map(({ kind }) => kind)
    const policies = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']
    expect(unknown.length === 0 ? policies : unknown).toEqual(policies)
    expect(made.length).toBeGreaterThan(15)
  })

  const templates = rendered.flatMap(({ kind, spec }) =>
    kind === 'Deployment' || kind === 'StatefulSet'
      ? [{ kind, spec: (spec as { template: { spec: Record<string, unknown> } }).template.spec }]
      : [],
  )

  const tryPod = (spec: object, podName: string) =>
    admin.create(pods, name, { kind: 'Pod', metadata: { name: podName }, spec } as KubeObject, {
      dryRun: true,
    })

  it('has pods that the standard "restricted" of pod security lets in', async () => {
    await expect
      .poll(() => admin.get(accounts, { namespace: name, name: 'default' }).catch(() => null))
      .not.toBeNull()
    expect(templates).toHaveLength(2)
    for (const { kind, spec } of templates) {
      // A claim of a StatefulSet becomes a volume of the pod when there is one.
      const volumes = [...(spec.volumes as object[]), { name: 'data', emptyDir: {} }]
      const unique = kind === 'StatefulSet' ? { volumes } : {}
      await tryPod({ ...spec, ...unique }, kind.toLowerCase())
    }
  })

  /** A cluster that is only played may judge less than a real one; then that is said, and the pure tests remain. */
  const judges = async (what: string, why: RegExp, wrong: () => Promise<unknown>) => {
    const refusal = await wrong().then(
      () => null,
      (error: unknown) => error,
    )
    if (refusal === null) console.log(`NOT SHOWN on this cluster: it ${what}`)
    else expect(refusal).toMatchObject({ message: expect.stringMatching(why) })
  }

  it('says so when the cluster would let in any pod and any field, so that the tests above show little', async () => {
    const [{ spec } = { spec: {} }] = templates
    const { securityContext: _, ...open } = spec as Record<string, unknown>
    // A claim of a StatefulSet, as above.
    const bare = { ...open, volumes: [...(open.volumes as object[]), { name: 'data', emptyDir: {} }] }
    await judges('lets in pods that "restricted" forbids', /PodSecurity/, () => tryPod(bare, 'bare'))
    for (const one of known.filter(({ kind }) => !kind.startsWith('Cluster')))
      await judges(`takes unknown fields of a ${one.kind}`, /unknown field/, () => {
        const metadata = { ...one.metadata, name: `${one.metadata.name}-x` }
        const wrong: KubeObject & { slipway: true } = { ...one, metadata, slipway: true }
        return admin.create(kindOf(one), whereOf(one, name), wrong, { dryRun: true })
      })
  })

  describe('the account of the servers', () => {
    const examinedAs = async (account: string): Promise<Examined> => {
      const client = makeKubeClient(await clusterAs(admin, { namespace: name, name: account }), {
        clock: systemClock,
      })
      onTestFinished(() => client.close())
      return { client, prefix, storageClass: null, snapshotClass: null, prometheusUrl: null }
    }
    const examined = async (as: Examined) => {
      const all: Finding[] = []
      for await (const one of examine(as)) all.push(one)
      return all
    }
    const missing = (all: Finding[]) => all.filter((one) => one.name === 'right' && one.state !== 'good')

    it('has every right that the doctor asks for', async () => {
      const all = await examined(await examinedAs(name))
      expect(missing(all)).toEqual([])
      expect(all.find((one) => one.name === 'API server')?.text).toContain('Kubernetes v')
    })

    it('can create and remove a VM, a disk and a snapshot with them, and leaves nothing', async () => {
      const all: Finding[] = []
      const as = await examinedAs(name)
      const signal = new AbortController().signal
      for await (const one of tryCluster({ ...as, clock: systemClock, signal, stepMs: 50_000 })) all.push(one)
      expect(all.filter(({ state }) => state !== 'good')).toEqual([])
      expect(all).toHaveLength(5)
      const { items } = await admin.list(namespaces)
      expect(items.filter(({ metadata }) => metadata.name.startsWith(`${prefix}-doctor`))).toEqual([])
    })

    it('that is stopped in the middle of a trial still removes what it made', async () => {
      const all: Finding[] = []
      const stop = new AbortController()
      const as = await examinedAs(name)
      for await (const one of tryCluster({
        ...as,
        clock: systemClock,
        signal: stop.signal,
        stepMs: 50_000,
      })) {
        all.push(one)
        if (one.text.startsWith('create a disk')) stop.abort()
      }
      expect(all.map(({ state }) => state)).toEqual(['good', 'good', 'bad', 'good'])
      const { items } = await admin.list(namespaces)
      expect(items.filter(({ metadata }) => metadata.name.startsWith(`${prefix}-doctor`))).toEqual([])
    })

    it('of the recorder lacks what only the servers need, and the doctor names each', async () => {
      const all = await examined(await examinedAs(`${name}-recorder`))
      const texts = missing(all).map(({ text }) => text)
      expect(texts).toContainEqual(expect.stringContaining('create, delete secrets'))
      expect(texts).toContainEqual(expect.stringContaining('virtualmachines/start'))
    })

    it('would have disks without snapshots in a class whose driver makes none', async () => {
      const classes: Kind<KubeObject & { provisioner: string }> = {
        group: 'storage.k8s.io',
        version: 'v1',
        plural: 'storageclasses',
      }
      await admin.create(classes, undefined, {
        kind: 'StorageClass',
        metadata: { name },
        provisioner: `${prefix}.slipway.test`,
      })
      onTestFinished(async () => void (await admin.remove(classes, { name })))
      const all = await examined({ ...(await examinedAs(name)), storageClass: name })
      expect(all.find((one) => one.name === 'snapshot class')).toMatchObject({
        state: 'bad',
        help: `create a VolumeSnapshotClass with "driver: ${prefix}.slipway.test"`,
      })
    })
  })
})
