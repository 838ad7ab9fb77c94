/** What a machine is in the cluster: a VirtualMachine, which reads its seed to become itself (machine-seed.ts). */

import type { MachineSpec } from '../engine.ts'
import type { ImageClaim } from './images.ts'
import type { VirtualMachine } from './kinds.ts'
import type { Unsaved } from './kube/objects.ts'
import { likenessMark } from './machine-likeness.ts'
import { rootVolume, withVolumes } from './machine-volumes.ts'
import { mark, type Names } from './names.ts'
import { quantityOf } from './quantities.ts'

type Named<T> = T & { metadata: { name: string } }

/** KubeVirt pulls the plug of a guest that has not ended by then; Slipway does so sooner. */
const graceSeconds = 120
/** Under this label cloud-init looks for a disk of the kind NoCloud. */
const seedLabel = 'cidata'
const seedVolume = 'seed'

/**
 * A machine that runs only when it is told to: our reconcilers decide. Its root disk is copied from the image by a
 * template, so that KubeVirt makes it again where it is gone, and removes it with the machine.
 */
export function machineObject(
  names: Names,
  spec: MachineSpec,
  around: {
    image: ImageClaim
    rootBytes: number
    storageClass: string | null
    /** Whether KubeVirt can end a run with a reboot. */
    endsAtReboot: boolean
  },
): Named<Unsaved<VirtualMachine>> {
  const { id, projectId } = spec
  const labels = names.labels('machine', id, projectId)
  const bare: VirtualMachine['spec'] = {
    runStrategy: 'Manual',
    dataVolumeTemplates: [
      {
        metadata: { name: names.rootDisk(id), labels: names.labels('root-disk', id, projectId) },
        spec: {
          source: { pvc: { namespace: around.image.namespace, name: around.image.name } },
          storage: {
            ...(around.storageClass === null ? {} : { storageClassName: around.storageClass }),
            resources: {
              requests: {
                storage: quantityOf(Math.max(around.rootBytes, around.image.sizeBytes, spec.rootBytes ?? 0)),
              },
            },
          },
        },
      },
    ],
    template: {
      metadata: { labels },
      spec: {
        hostname: spec.hostname,
        subdomain: names.guests,
        evictionStrategy: 'LiveMigrateIfPossible',
        terminationGracePeriodSeconds: graceSeconds,
        domain: {
          cpu: { cores: spec.cpu },
          memory: { guest: `${spec.memoryMb}Mi` },
          ...(!spec.persistent && around.endsAtReboot && { rebootPolicy: 'Terminate' as const }),
          devices: {
            disks: [
              // By its serial our images find it, whatever else there is.
              { name: rootVolume, serial: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
              { name: seedVolume, disk: { bus: 'virtio' } },
            ],
            interfaces: [{ name: 'default', masquerade: {}, model: 'virtio' }],
            rng: {},
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [
          { name: rootVolume, dataVolume: { name: names.rootDisk(id) } },
          { name: seedVolume, secret: { secretName: names.seed(id), volumeLabel: seedLabel } },
        ],
      },
    },
  }
  return {
    kind: 'VirtualMachine',
    metadata: {
      name: names.machine(id),
      namespace: names.namespaceOf(projectId),
      labels,
      annotations: { [mark.like]: likenessMark(spec), ...(!spec.persistent && { [mark.forgetful]: 'true' }) },
    },
    spec: withVolumes(names, bare, spec.volumeIds),
  }
}
