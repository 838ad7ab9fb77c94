/**
 * The client against a real API server, or one that plays it: where SLIPWAY_TEST_KUBECONFIG names the kubeconfig of an
 * administrator of a cluster for tests, as in
 * `SLIPWAY_TEST_KUBECONFIG=~/.kube/config npx vitest run --project=server src/engine/kubevirt`.
 * It makes a namespace of its own and removes it at the end.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { retryOnConflict } from './caller.ts'
import { type KubeClient, makeKubeClient } from './kube-client.ts'
import { type Box, boxes } from './kube-server.test-kit.ts'
import { readKubeconfig } from './kubeconfig.ts'
import type { Kind } from './objects.ts'

const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG
if (!kubeconfig) console.log('SKIPPED: "a cluster", because SLIPWAY_TEST_KUBECONFIG names none')

const namespaces: Kind = { group: '', version: 'v1', plural: 'namespaces' }

describe.skipIf(!kubeconfig)('a cluster', () => {
  const namespace = `slipway-test-${randomBytes(4).toString('hex')}`
  let client: KubeClient

  beforeAll(async () => {
    client = makeKubeClient(await readKubeconfig(kubeconfig ?? '', systemClock), { clock: systemClock })
    await client.create(namespaces, undefined, { kind: 'Namespace', metadata: { name: namespace } })
  })

  afterAll(async () => {
    await client.remove(namespaces, { name: namespace })
    client.close()
  })

  const create = (name: string, data: Record<string, string> = {}, options = {}) =>
    client.create<Box>(boxes, namespace, { kind: 'ConfigMap', metadata: { name }, data }, options)

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
})
