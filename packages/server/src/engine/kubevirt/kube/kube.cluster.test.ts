/**
 * The client against a real API server, or one that plays it: where SLIPWAY_TEST_KUBECONFIG names the kubeconfig of an
 * administrator of a cluster for tests, as in
 * `SLIPWAY_TEST_KUBECONFIG=~/.kube/config npx vitest run --project=server src/engine/kubevirt`.
 * It makes a namespace of its own and removes it at the end.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { retryOnConflict } from './caller.ts'
import type { Cluster } from './cluster.ts'
import { type KubeClient, makeKubeClient } from './kube-client.ts'
import { type Box, boxes } from './kube-server.test-kit.ts'
import { readKubeconfig } from './kubeconfig.ts'
import type { Kind, KubeObject } from './objects.ts'
import { makeReflector } from './reflector.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig) console.log('SKIPPED: "a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const namespaces: Kind = { group: '', version: 'v1', plural: 'namespaces' }
interface AccessReview extends KubeObject {
  spec: { resourceAttributes: Record<string, string> }
  status?: { allowed: boolean }
}
const accessReviews: Kind<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
}

describe.skipIf(!kubeconfig)('a cluster', () => {
  const namespace = `slipway-test-${randomBytes(4).toString('hex')}`
  let cluster: Cluster
  let client: KubeClient

  beforeAll(async () => {
    cluster = await readKubeconfig(kubeconfig ?? '', systemClock)
    client = makeKubeClient(cluster, { clock: systemClock })
    await client.create(namespaces, undefined, { kind: 'Namespace', metadata: { name: namespace } })
  })

  afterAll(async () => {
    await client.remove(namespaces, { name: namespace })
    client.close()
  })

  const create = (name: string, data: Record<string, string> = {}, options = {}) =>
    client.create<Box>(boxes, namespace, { kind: 'ConfigMap', metadata: { name }, data }, options)

  const watchBoxes = (pageSize = 500) => {
    const reflector = makeReflector({
      client,
      clock: systemClock,
      log: silentLog,
      kind: boxes,
      namespace,
      trim: ({ data }: Box) => ({ x: data?.x ?? '' }),
      indexes: { byX: ({ x }) => [x] },
      pageSize,
    })
    onTestFinished(() => reflector.close())
    return reflector
  }

  it('says which version it is and what we may do', async () => {
    expect(JSON.parse(await client.text('/version'))).toHaveProperty('gitVersion')
    const review = await client.create(accessReviews, undefined, {
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { namespace, verb: 'create', resource: 'configmaps' } },
    })
    expect(review.status?.allowed).toBe(true)
  })

  it('makes, changes and removes objects, and says what is in the way', async () => {
    await create('tried', {}, { dryRun: true })
    const at = { namespace, name: 'made' }
    await expect(client.get(boxes, { ...at, name: 'tried' })).rejects.toMatchObject({ kind: 'not-found' })
    const made = await create('made', { x: '1' })
    await expect(create('made')).rejects.toMatchObject({ kind: 'exists' })
    await expect(create('Not a name')).rejects.toMatchObject({ kind: 'invalid' })

    const version = { op: 'test', path: '/metadata/resourceVersion' } as const
    const two = { op: 'replace', path: '/data/x', value: '2' } as const
    const changed = await client.patch(boxes, at, [
      { ...version, value: made.metadata.resourceVersion ?? '' },
      two,
    ])
    expect(changed.data).toEqual({ x: '2' })
    const stale = [{ ...version, value: made.metadata.resourceVersion ?? '' }, two]
    await expect(client.patch(boxes, at, stale)).rejects.toMatchObject({ kind: 'conflict' })
    await expect(client.replace(boxes, made)).rejects.toMatchObject({ kind: 'conflict' })

    let reads = 0
    const read = async () => (reads++ === 0 ? made : await client.get(boxes, at))
    const write = (box: Box) => client.replace(boxes, { ...box, data: { x: '3' } })
    expect((await retryOnConflict(read, write, { clock: systemClock })).data).toEqual({ x: '3' })
    expect((await client.merge(boxes, at, { data: { y: '4' } })).data).toEqual({ x: '3', y: '4' })
    await client.remove(boxes, at)
    await expect(client.remove(boxes, at)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('is followed by a reflector, in pages and as it changes', async () => {
    for (let i = 0; i < 5; i++) await create(`page-${i}`, { x: 'page' })
    const reflector = watchBoxes(2)
    await reflector.synced
    expect(reflector.by('byX', 'page')).toHaveLength(5)
    await expect.poll(() => reflector.staleSince(), { timeout: 10_000 }).toBeNull()
    const ours = await create('ours', { x: 'ours' })
    reflector.observe(ours)
    expect(reflector.get(`${namespace}/ours`)).toEqual({ x: 'ours' })
    await client.remove(boxes, { namespace, name: 'page-0' })
    await expect.poll(() => reflector.by('byX', 'page').length, { timeout: 10_000 }).toBe(4)
    expect(reflector.get(`${namespace}/ours`)).toEqual({ x: 'ours' })
  })

  it('gives a token that logs in', async () => {
    const accounts: Kind = { group: '', version: 'v1', plural: 'serviceaccounts' }
    await expect
      .poll(() => client.get(accounts, { namespace, name: 'default' }).catch(() => null), { timeout: 10_000 })
      .not.toBeNull()
    const answer = await client.post(accounts, { namespace, name: 'default' }, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    })
    const { token } = (answer as { status: { token: string } }).status
    const asAccount = { ...cluster, login: async () => ({ authorization: `Bearer ${token}` }) }
    const other = makeKubeClient(asAccount, { clock: systemClock })
    onTestFinished(() => other.close())
    await expect(other.list(namespaces)).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining(`system:serviceaccount:${namespace}:default`),
    })
  })

  it('refuses a stream to what is not there', async () => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/none/console`
    await expect(client.openStream(path)).rejects.toMatchObject({ name: 'KubeError' })
  })
})
