/** The objects that boot images are kept in. */
import type { Ground } from './ground.ts'
import { type DataVolume, type DataVolumeSource, kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { Unsaved } from './kube/objects.ts'
import { quantityOf } from './quantities.ts'

type Named<T> = T & { metadata: { name: string } }

export async function ensureImageNamespace({
  client,
  names,
}: Pick<Ground, 'client' | 'names'>): Promise<void> {
  try {
    await client.create(kinds.namespaces, undefined, {
      kind: 'Namespace',
      metadata: { name: names.imagesNamespace, labels: names.labels('image', 'images', null) },
    })
  } catch (error) {
    if (!isKube(error, 'exists')) throw error
  }
}

/** Filled at once, whether or not a machine has come yet. */
export const imageVolume = (
  { names, storageClass }: Pick<Ground, 'names' | 'storageClass'>,
  key: string,
  source: DataVolumeSource,
  bytes: number,
  annotations: Record<string, string> = {},
): Named<Unsaved<DataVolume>> => ({
  kind: 'DataVolume',
  metadata: {
    name: names.image(key),
    labels: names.labels('image', key, null),
    annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true', ...annotations },
  },
  spec: {
    source,
    storage: {
      ...(storageClass === null ? {} : { storageClassName: storageClass }),
      resources: { requests: { storage: quantityOf(bytes) } },
    },
  },
})
