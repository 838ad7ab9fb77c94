/**
 * What the engine `kubevirt` holds in a cluster. Nothing is taken for known: every object of every kind in the namespaces
 * of the installation needs an owner: by its labels, by its name, or through another object that it is of.
 */
import { z } from 'zod'
import type { ClusterObject } from '../cluster.ts'
import type { Kind } from '../world.ts'
import { type Owner, ownerKey, type Truth } from './truth.ts'

/** The labels that the engine gives to what it makes. */
const labels = { id: 'slipway.org/id', what: 'slipway.org/what' }

const kindsOf: Record<string, Kind> = {
  project: 'project',
  machine: 'vm',
  'root-disk': 'vm',
  seed: 'vm',
  volume: 'disk',
  'machine-snapshot': 'vmSnapshot',
  'volume-snapshot': 'diskSnapshot',
}

/** As what an object of the console itself is in the cluster. */
const itself: Partial<Record<Kind, string>> = {
  vm: 'virtualmachines',
  disk: 'persistentvolumeclaims',
  vmSnapshot: 'virtualmachinesnapshots',
  diskSnapshot: 'volumesnapshots',
}

/** Restores leave claims that no label tells of. */
const claimNames: [RegExp, Kind][] = [
  [/^vm-(.+)-root$/, 'vm'],
  [/^disk-(.+)$/, 'disk'],
]

/** The id of what all projects share: boot images, the right to copy them, and how they are fetched. It stays. */
const shared = 'images'

/** What Kubernetes puts into every namespace. */
const isFurniture = ({ resource, metadata: { name } }: ClusterObject) =>
  (resource === 'serviceaccounts' && name === 'default') ||
  (resource === 'configmaps' && name === 'kube-root-ca.crt')

const nameOf = ({ resource, metadata: { namespace, name } }: ClusterObject) =>
  placeOf(resource, namespace, name)

/** What an object says whom it is of, beside labels. */
const Speaking = z.object({
  metadata: z.object({ ownerReferences: z.array(z.object({ uid: z.string() })).default([]) }),
  spec: z
    .object({
      /** Of a volume. */
      claimRef: z.object({ uid: z.string() }).optional(),
      /** Of what a driver keeps of a snapshot. */
      volumeSnapshotRef: z.object({ uid: z.string().optional() }).optional(),
      /** Of what KubeVirt keeps of a snapshot; it speaks of the machine as well, and may outlive that. */
      virtualMachineSnapshotName: z.string().optional(),
    })
    .optional()
    .catch(undefined),
})

/** The objects that one is of: uids, and keys as `placeOf` makes them. */
function ownersIn(object: ClusterObject): string[] {
  const { metadata, spec } = Speaking.parse(object)
  const refs = [...metadata.ownerReferences, spec?.claimRef, spec?.volumeSnapshotRef]
  const uids = refs.flatMap((ref) => ref?.uid ?? [])
  if (object.resource !== 'virtualmachinesnapshotcontents') return uids
  const snapshot = placeOf(
    'virtualmachinesnapshots',
    object.metadata.namespace,
    spec?.virtualMachineSnapshotName,
  )
  return [...uids, snapshot]
}

const placeOf = (resource: string, namespace = '', name = '') => `${resource} ${namespace}/${name}`

function ownOf({ resource, metadata }: ClusterObject): Owner | null {
  const { [labels.what]: what = '', [labels.id]: id = '' } = metadata.labels
  const kind = kindsOf[what]
  if (kind) return { kind, id }
  if (resource !== 'persistentvolumeclaims') return null
  for (const [pattern, of] of claimNames) {
    const [, found] = pattern.exec(metadata.name) ?? []
    if (found !== undefined) return { kind: of, id: found }
  }
  return null
}

/** @param objects all that the cluster has of an installation */
export function kubevirtTruth(objects: readonly ClusterObject[], prefix: string): Truth {
  const known = new Map(
    objects.flatMap((object) => [object.metadata.uid, nameOf(object)].map((key) => [key, object])),
  )
  const stays = (object: ClusterObject): boolean => {
    const { namespace, labels: own } = object.metadata
    if (own[labels.id] === shared || own[labels.what] === 'image' || isFurniture(object)) return true
    return namespace === `${prefix}-${shared}` && ownOf(object) === null
  }

  /** Through those it is of; null when they lead nowhere, `stays` when to something that stays. */
  function ownerOf(object: ClusterObject): Owner | 'stays' | null {
    if (stays(object)) return 'stays'
    const own = ownOf(object)
    if (own) return own
    // What the engine made for a while only, such as a restore, has nobody at rest, though KubeVirt gives it to the machine.
    if (labels.what in object.metadata.labels) return null
    for (const key of ownersIn(object)) {
      const other = known.get(key)
      const found = other ? ownerOf(other) : null
      if (found) return found
    }
    return null
  }

  const truth: Truth = { alive: new Set(), holdings: [], kept: new Set(), disksOf: new Map(), broken: [] }
  const once = new Map<string, ClusterObject>()
  for (const object of objects) {
    const { resource, metadata } = object
    const owner = ownerOf(object)
    if (owner === 'stays') continue
    truth.holdings.push({ what: nameOf(object), owner })
    const own = ownOf(object)
    if (!own) continue
    const key = `${resource} ${metadata.labels[labels.what]} ${ownerKey(own)}`
    const other = once.get(key)
    // A project has network policies for several purposes.
    if (other && own.kind !== 'project')
      truth.broken.push({
        rule: 'doubled',
        message: `The cluster has two of ${ownerKey(own)}: ${nameOf(other)} and ${nameOf(object)}`,
      })
    once.set(key, object)
    if (itself[own.kind] === resource && !metadata.deletionTimestamp) truth.kept?.add(ownerKey(own))
    if (resource !== 'virtualmachineinstances') continue
    const { status, spec } = object as { status?: { phase?: string }; spec?: { volumes?: object[] } }
    if (status?.phase !== 'Running') continue
    truth.alive.add(own.id)
    truth.disksOf?.set(own.id, new Set((spec?.volumes ?? []).flatMap(diskOf)))
  }
  return truth
}

/** The disk of the console behind a volume of a guest, if there is one. */
function diskOf(volume: { dataVolume?: { name: string }; persistentVolumeClaim?: { claimName: string } }) {
  const claim = volume.dataVolume?.name ?? volume.persistentVolumeClaim?.claimName ?? ''
  const [, id] = /^disk-(.+)$/.exec(claim) ?? []
  return id === undefined ? [] : [id]
}
