/** Where disks would be kept, and whether they could grow and have snapshots: for the doctor. */

import { bad, type Finding, good, note } from '../../lib/finding.ts'
import { type Examined, grantHelp, patienceMs, reasonOf } from './finding.ts'
import { kinds, type StorageClass, type VolumeSnapshotClass } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import { chosenClass, letsGrow } from './storage-class.ts'

const snapshotMark = 'snapshot.storage.kubernetes.io/is-default-class'

/** The storage class that the engine will use, whether its disks grow, and the snapshot class that goes with it. */
export async function examineStorage(cluster: Examined): Promise<Finding[]> {
  const { client, storageClass } = cluster
  let classes: StorageClass[]
  try {
    classes = (await client.list(kinds.storageClasses, {}, { deadlineMs: patienceMs })).items
  } catch (error) {
    return [bad('storage class', `cannot be read: ${reasonOf(error)}`, grantHelp)]
  }
  const names = classes.map(({ metadata }) => metadata.name).join(', ') || 'none'
  const chosen = chosenClass(classes, storageClass)
  if (!chosen)
    return [
      storageClass === null
        ? bad(
            'storage class',
            `the cluster has no default; its classes: ${names}`,
            'set SLIPWAY_KUBE_STORAGE_CLASS to one of them',
          )
        : bad(
            'storage class',
            `${storageClass} does not exist; there are: ${names}`,
            'set SLIPWAY_KUBE_STORAGE_CLASS to one of them',
          ),
    ]
  const { name } = chosen.metadata
  const how = storageClass === null ? ', the default of the cluster' : ''
  return [
    good('storage class', `${name}${how} (driver ${chosen.provisioner})`),
    examineGrowth(chosen),
    await examineSnapshotClass(cluster, chosen),
  ]
}

function examineGrowth(chosen: StorageClass): Finding {
  const { name } = chosen.metadata
  return letsGrow(chosen)
    ? good('disk growth', `disks of ${name} can be enlarged`)
    : note(
        'disk growth',
        `${name} does not let disks be enlarged`,
        `if its driver can, set "allowVolumeExpansion: true" on the StorageClass ${name}`,
      )
}

async function examineSnapshotClass(
  { client, snapshotClass }: Examined,
  { metadata, provisioner }: StorageClass,
): Promise<Finding> {
  const without = (why: string, help: string) =>
    bad('snapshot class', `${why}: disks of ${metadata.name} cannot have snapshots`, help)
  let classes: VolumeSnapshotClass[]
  try {
    classes = (await client.list(kinds.volumeSnapshotClasses, {}, { deadlineMs: patienceMs })).items
  } catch (error) {
    if (isKube(error, 'not-found'))
      return without('the cluster has no snapshot API', 'install the external-snapshotter of kubernetes-csi')
    return bad('snapshot class', `cannot be read: ${reasonOf(error)}`, grantHelp)
  }
  const make = `create a VolumeSnapshotClass with "driver: ${provisioner}"`
  if (snapshotClass !== null) {
    const named = classes.find((one) => one.metadata.name === snapshotClass)
    if (!named) return without(`${snapshotClass} does not exist`, 'correct SLIPWAY_KUBE_SNAPSHOT_CLASS')
    if (named.driver !== provisioner)
      return without(`${snapshotClass} is of the driver ${named.driver}, not of ${provisioner}`, make)
    return good('snapshot class', snapshotClass)
  }
  const ofDriver = classes.filter(({ driver }) => driver === provisioner)
  const [first] = ofDriver
  if (!first) return without(`no VolumeSnapshotClass is of the driver ${provisioner}`, make)
  const isDefault = ofDriver.find((one) => one.metadata.annotations?.[snapshotMark] === 'true')
  if (ofDriver.length > 1 && !isDefault)
    return note(
      'snapshot class',
      `${ofDriver.map((one) => one.metadata.name).join(', ')} are of the driver ${provisioner}, and none is the default`,
      'set SLIPWAY_KUBE_SNAPSHOT_CLASS to one of them',
    )
  return good('snapshot class', (isDefault ?? first).metadata.name)
}
