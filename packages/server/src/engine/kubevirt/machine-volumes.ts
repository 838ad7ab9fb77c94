/** Which data volumes a machine has, as its object says it. */
import type { MachineDisk, MachineVolume, VirtualMachine } from './kinds.ts'
import type { Names } from './names.ts'

type Spec = VirtualMachine['spec']

/** The volume a machine boots from. */
export const rootVolume = 'root'

/** How many characters of a volume's id its serial has, as on every engine. */
const serialLength = 20

/**
 * The spec of a machine with these data volumes and no other ones, in this order, behind what is none. A volume is called
 * as its claim; it may be put on and taken off a living guest. One that the machine has stays plugged in as it is.
 */
export function withVolumes(names: Pick<Names, 'volume'>, spec: Spec, volumeIds: readonly string[]): Spec {
  const { template } = spec
  const { disks } = template.spec.domain.devices
  const isData = makeIsData(names)
  const dataNames = new Set(template.spec.volumes.filter(isData).map(({ name }) => name))
  return {
    ...spec,
    template: {
      ...template,
      spec: {
        ...template.spec,
        domain: {
          ...template.spec.domain,
          devices: {
            ...template.spec.domain.devices,
            disks: [
              ...disks.filter(({ name }) => !dataNames.has(name)),
              ...volumeIds.map(
                (id) => disks.find(({ name }) => name === names.volume(id)) ?? diskOf(names, id),
              ),
            ],
          },
        },
        volumes: [
          ...template.spec.volumes.filter((volume) => !isData(volume)),
          ...volumeIds.map((id) => volumeOf(names, id)),
        ],
      },
    },
  }
}

/** The ids of a machine's data volumes, in the order the guest sees them. */
export function volumeIdsOf(names: Pick<Names, 'volume'>, volumes: readonly { name: string }[]): string[] {
  const start = names.volume('')
  return volumes.flatMap(({ name }) => (name.startsWith(start) ? name.slice(start.length) : []))
}

const makeIsData =
  (names: Pick<Names, 'volume'>) =>
  ({ name }: { name: string }): boolean =>
    name.startsWith(names.volume(''))

/** Each disk of the other bus takes a port of its own, of which a guest has three to spare for its life, or nine with much memory. */
const diskOf = (names: Pick<Names, 'volume'>, id: string): MachineDisk => ({
  name: names.volume(id),
  serial: id.slice(0, serialLength),
  disk: { bus: 'scsi' },
})

/** By its claim, which outlives the DataVolume that filled it. */
const volumeOf = (names: Pick<Names, 'volume'>, id: string): MachineVolume => ({
  name: names.volume(id),
  persistentVolumeClaim: { claimName: names.volume(id), hotpluggable: true },
})
