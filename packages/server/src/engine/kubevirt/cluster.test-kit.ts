/** The cluster that SLIPWAY_TEST_KUBECONFIG names, and engines and their parts over it. */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { Ground } from './ground.ts'
import { anySource, imagesOf } from './images.test-kit.ts'
import type { ImageClaim } from './images.ts'
import { kinds } from './kinds.ts'
import { type KubeClient, makeKubeClient } from './kube/kube-client.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'
import { type KubevirtOptions, makeKubevirtEngine } from './kubevirt-engine.ts'
import { makeMirror } from './mirror.ts'
import { makeNames } from './names.ts'

export const kubeconfig = process.env.SLIPWAY_TEST_KUBECONFIG

/** A prefix that no other run has. */
export const newPrefix = (): string => `slipway-${randomBytes(3).toString('hex')}`

export async function newClient(): Promise<KubeClient> {
  const cluster = await readKubeconfig(kubeconfig ?? '', systemClock)
  return makeKubeClient(cluster, { clock: systemClock, qps: 500, burst: 500 })
}

/** What parts of an engine stand on. */
export function groundOver(client: KubeClient, prefix: string): Ground {
  const common = { client, names: makeNames(prefix), clock: systemClock, log: silentLog }
  return { ...common, mirror: makeMirror(common), storageClass: null, snapshotClass: null }
}

interface EngineOptions extends Partial<KubevirtOptions> {
  prefix: string
  image: ImageClaim
  directory: string
}

/** An engine, not open yet, that records consoles in this directory and knows one image. */
export const engineOver = (client: KubeClient, { image, directory, ...more }: EngineOptions) =>
  makeKubevirtEngine({
    ...{ client, storageClass: null, snapshotClass: null, rootBytes: 2 ** 26, networks: true },
    ...{ clock: systemClock, log: silentLog, recorder: { directory }, prometheusUrl: null },
    images: () => imagesOf(image),
    sources: () => anySource(image.sizeBytes),
    ...more,
  })

/** Makes that image, of nothing. */
export const makeBootImage = (
  client: KubeClient,
  { namespace, name }: ImageClaim,
  labels: Record<string, string> = {},
) =>
  client.create(kinds.dataVolumes, namespace, {
    kind: 'DataVolume',
    metadata: { name, labels },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '64Mi' } } } },
  })
