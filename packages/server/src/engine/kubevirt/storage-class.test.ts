import { expect, test } from 'vitest'
import type { StorageClass } from './kinds.ts'
import { chosenClass, letsGrow, trimmedClass } from './storage-class.ts'

const forVms = { 'storageclass.kubevirt.io/is-default-virt-class': 'true' }
const forAll = { 'storageclass.kubernetes.io/is-default-class': 'true' }
const named = (name: string, annotations: Record<string, string> = {}): StorageClass => ({
  metadata: { name, annotations },
  provisioner: 'csi.test',
})

test.each<[string, StorageClass[], string | null, string | undefined]>([
  ['the one that was named', [named('a', forAll), named('b')], 'b', 'b'],
  ['none for a name that there is not', [named('a', forAll)], 'b', undefined],
  ['the default', [named('a'), named('b', forAll)], null, 'b'],
  ['the default of VMs before that of all', [named('a', forAll), named('b', forVms)], null, 'b'],
  ['none without a default', [named('a')], null, undefined],
])('disks get %s', (_, classes, wanted, name) => {
  expect(chosenClass(classes, wanted)?.metadata.name).toBe(name)
  // What is kept of classes is enough to choose.
  expect(chosenClass(classes.map(trimmedClass), wanted)?.metadata.name).toBe(name)
})

test.each([
  [undefined, false],
  [false, false],
  [true, true],
])('a class that says %s of expansion lets disks grow: %s', (allowVolumeExpansion, grows) => {
  const one = { ...named('a'), ...(allowVolumeExpansion !== undefined && { allowVolumeExpansion }) }
  expect(letsGrow(one)).toBe(grows)
  expect(letsGrow(trimmedClass(one))).toBe(grows)
  expect(letsGrow(undefined)).toBe(false)
})
