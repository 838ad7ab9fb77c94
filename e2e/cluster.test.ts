import { expect, it } from 'vitest'
import { strangersOf, type Thing } from './cluster.ts'

const thing = (name: string, uid: string, owners: string[] = []): Thing => ({ name, uid, owners })

it('what goes with something known is no stranger, however far; all else is', () => {
  const things = [
    // Before what it goes with, as lists come.
    thing('pods p/virt-launcher-1', 'pod', ['instance']),
    thing('virtualmachineinstances p/vm-1', 'instance', ['machine']),
    thing('virtualmachines p/vm-1', 'machine'),
    thing('persistentvolumes p/vm-1-root', 'volume', ['']),
    thing('virtualmachinesnapshotcontents p/content-7 of vm-snapshot-2', 'content'),
    thing('secrets p/vm-3-seed', 'seed'),
    thing('datavolumes p/vm-3-root', 'root', ['']),
    thing('persistentvolumeclaims p/vm-3-root', 'claim', ['root']),
  ]
  expect(strangersOf(things, (name) => /vm-1|vm-snapshot-2/.test(name))).toEqual([
    'secrets p/vm-3-seed',
    'datavolumes p/vm-3-root',
    'persistentvolumeclaims p/vm-3-root',
  ])
})
