/** Which storage class disks get, and whether it lets them grow. */
import type { StorageClass } from './kinds.ts'

/** CDI takes the first for disks of VMs where there is one, else the second. */
const defaultMarks = [
  'storageclass.kubevirt.io/is-default-virt-class',
  'storageclass.kubernetes.io/is-default-class',
]

/** The one of that name; the default of the cluster for null. */
export const chosenClass = (
  classes: readonly StorageClass[],
  name: string | null,
): StorageClass | undefined =>
  name === null
    ? defaultMarks
        .map((mark) => classes.find(({ metadata }) => metadata.annotations?.[mark] === 'true'))
        .find((one) => one !== undefined)
    : classes.find(({ metadata }) => metadata.name === name)

/** The API server refuses to enlarge a claim of any other. */
export const letsGrow = (one: StorageClass | undefined): boolean => one?.allowVolumeExpansion === true

/** A copy with what is asked about here. */
export const trimmedClass = ({
  metadata,
  provisioner,
  allowVolumeExpansion,
}: StorageClass): StorageClass => ({
  metadata: {
    name: metadata.name,
    annotations: Object.fromEntries(defaultMarks.map((mark) => [mark, metadata.annotations?.[mark] ?? ''])),
  },
  provisioner,
  ...(allowVolumeExpansion === undefined ? {} : { allowVolumeExpansion }),
})
