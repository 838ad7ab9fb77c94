import { expect, test } from 'vitest'
import type { VirtualMachine } from './kinds.ts'
import { volumeIdsOf, withVolumes } from './machine-volumes.ts'
import { makeNames } from './names.ts'

const names = makeNames('slipway')
const [one, two] = ['11111111-aaaa-4bbb-8ccc-000000000001', '22222222-aaaa-4bbb-8ccc-000000000002']
const bare: VirtualMachine['spec'] = {
  runStrategy: 'Manual',
  template: {
    metadata: { labels: { a: 'b' } },
    spec: {
      hostname: 'one',
      domain: {
        cpu: { cores: 2 },
        devices: {
          rng: {},
          disks: [
            { name: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
            { name: 'seed', disk: { bus: 'virtio' } },
          ],
        },
      },
      volumes: [
        { name: 'root', dataVolume: { name: 'vm-x-root' } },
        { name: 'seed', cloudInitNoCloud: { secretRef: { name: 'vm-x-seed' } } },
      ],
    },
  },
}
const volumesOf = (spec: VirtualMachine['spec']) => spec.template.spec.volumes.map(({ name }) => name)

test('data volumes come behind root and seed, in the order given, with the id as their serial', () => {
  const spec = withVolumes(names, bare, [two, one])
  expect(volumesOf(spec)).toEqual(['root', 'seed', `disk-${two}`, `disk-${one}`])
  expect(spec.template.spec.domain.devices.disks.map(({ serial }) => serial)).toEqual([
    undefined,
    undefined,
    two.slice(0, 20),
    one.slice(0, 20),
  ])
  expect(spec.template.spec.volumes.at(-1)).toEqual({
    name: `disk-${one}`,
    persistentVolumeClaim: { claimName: `disk-${one}`, hotpluggable: true },
  })
  expect(volumeIdsOf(names, spec.template.spec.volumes)).toEqual([two, one])
})

test('a data volume takes no port of its own, and one that is plugged in another way stays so', () => {
  const { disks } = withVolumes(names, bare, [one]).template.spec.domain.devices
  expect(disks.at(-1)).toMatchObject({ name: `disk-${one}`, disk: { bus: 'scsi' } })
  const old = structuredClone(withVolumes(names, bare, [one]))
  Object.assign(old.template.spec.domain.devices.disks.at(-1) ?? {}, { disk: { bus: 'virtio' } })
  const both = withVolumes(names, old, [one, two]).template.spec.domain.devices.disks.slice(-2)
  expect(both.map(({ disk }) => disk?.bus)).toEqual(['virtio', 'scsi'])
})

test('what is not about data volumes stays as it is, and nothing is there twice', () => {
  expect(withVolumes(names, withVolumes(names, bare, [one, two]), [])).toEqual(bare)
  const once = withVolumes(names, bare, [one])
  expect(withVolumes(names, once, [one])).toEqual(once)
})
