/** What a guest reads to become itself: a Secret beside its VirtualMachine. */
import { seedFiles } from '../seed.ts'
import type { Secret } from './kinds.ts'
import type { Unsaved } from './kube/objects.ts'
import type { Names } from './names.ts'

/** It goes with its machine. */
export function seedObject(
  names: Names,
  spec: Parameters<typeof seedFiles>[0] & { projectId: string },
  { name, uid = '' }: { name: string; uid?: string },
): Unsaved<Secret> & { metadata: { name: string } } {
  const { metaData, userData } = seedFiles(spec)
  return {
    kind: 'Secret',
    metadata: {
      name: names.seed(spec.id),
      labels: names.labels('seed', spec.id, spec.projectId),
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid, controller: true },
      ],
    },
    type: 'Opaque',
    stringData: { 'meta-data': metaData, 'user-data': userData },
  }
}
