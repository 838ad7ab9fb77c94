import { describe, expect, it } from 'vitest'
import type { ClusterObject } from './cluster.ts'
import type { Seen } from './look.ts'
import { kubevirtTruth } from './truth/kubevirt.ts'
import type { Owner } from './truth/truth.ts'
import { checkTruth } from './truth.ts'

const namespace = 'it-p1'

function object(
  resource: string,
  name: string,
  {
    what,
    id,
    ...more
  }: { what?: string; id?: string; of?: string; spec?: object; status?: object; in?: string } = {},
): ClusterObject {
  const labels = what && id ? { 'slipway.org/what': what, 'slipway.org/id': id } : {}
  const { of, spec, status, in: place = namespace } = more
  const ownerReferences = of ? [{ uid: of }] : []
  return {
    resource,
    metadata: { name, namespace: place, uid: `${resource}/${name}`, labels, ownerReferences },
    spec,
    status,
  }
}

const machine = object('virtualmachines', 'vm-v1', { what: 'machine', id: 'v1' })
const claim = object('persistentvolumeclaims', 'disk-d1', { what: 'volume', id: 'd1' })
const guest = (...claims: string[]) =>
  object('virtualmachineinstances', 'vm-v1', {
    what: 'machine',
    id: 'v1',
    of: machine.metadata.uid,
    spec: { volumes: claims.map((name) => ({ name, dataVolume: { name } })) },
    status: { phase: 'Running' },
  })
const snapshot = object('virtualmachinesnapshots', 'vm-snapshot-s1', { what: 'machine-snapshot', id: 's1' })
const content = object('virtualmachinesnapshotcontents', 'content-1', {
  spec: { virtualMachineSnapshotName: 'vm-snapshot-s1', source: { virtualMachine: machine } },
})

const vm = (status: string): Seen => ({ kind: 'vm', user: 0, object: { id: 'v1', name: 'web', status } })
const disk = (status: string, vm_id: string | null): Seen => ({
  kind: 'disk',
  user: 0,
  object: { id: 'd1', name: 'data', status, vm_id },
})
const shownSnapshot: Seen = {
  kind: 'vmSnapshot',
  user: 0,
  object: { id: 's1', name: 'before', status: 'ready' },
}

const rulesBroken = (objects: ClusterObject[], seen: Seen[], inBins: Owner[] = []): string[] =>
  checkTruth(kubevirtTruth(objects, 'it'), seen, inBins).map(({ rule }) => rule)

describe('what a cluster holds', () => {
  it('is right when every object has its owner and every owner its object', () => {
    const objects = [machine, guest('vm-v1-root', 'disk-d1'), claim, snapshot, content]
    expect(rulesBroken(objects, [vm('running'), disk('attached', 'v1'), shownSnapshot])).toEqual([])
  })

  it('is an orphan when its owner is in no list, whatever its kind is', () => {
    expect(rulesBroken([machine], [])).toEqual(['orphan'])
    expect(rulesBroken([object('leases', 'of-nobody')], [])).toEqual(['orphan'])
    expect(rulesBroken([object('pods', 'launcher', { of: 'gone' })], [])).toEqual(['orphan'])
  })

  it('is an orphan when its snapshot is gone, though its machine is there', () => {
    expect(rulesBroken([machine, content], [vm('stopped')])).toEqual(['orphan'])
    expect(rulesBroken([snapshot, content], [shownSnapshot])).toEqual([])
  })

  it('is an orphan when a restore is left at rest, and a claim of it that no label tells of', () => {
    const restore = object('virtualmachinerestores', 'restore-v1', {
      what: 'restore',
      id: 'v1',
      of: machine.metadata.uid,
    })
    const aside = object('persistentvolumeclaims', 'restore-v1-root')
    const root = object('persistentvolumeclaims', 'vm-v1-root')
    expect(rulesBroken([machine, restore, aside, root], [vm('stopped')])).toEqual(['orphan', 'orphan'])
  })

  it('is missing when something well has nothing there', () => {
    expect(rulesBroken([], [vm('stopped'), disk('available', null), shownSnapshot])).toEqual([
      'hollow',
      'hollow',
      'hollow',
    ])
    expect(rulesBroken([], [vm('error')])).toEqual([])
  })

  it('is doubled when the same is in two namespaces', () => {
    const other = object('virtualmachines', 'vm-v1', { what: 'machine', id: 'v1', in: 'it-p2' })
    expect(rulesBroken([machine, other], [vm('stopped')])).toEqual(['doubled'])
  })

  it('is untrue when a guest runs that should not, or has other disks than are shown', () => {
    expect(rulesBroken([machine, guest()], [vm('stopped')])).toEqual(['untrue'])
    expect(rulesBroken([machine, guest('disk-d1'), claim], [vm('running'), disk('available', null)])).toEqual(
      ['untrue'],
    )
    expect(rulesBroken([machine, guest(), claim], [vm('running'), disk('attached', 'v1')])).toEqual([
      'untrue',
    ])
  })

  it('is awake when the guest of a VM in the bin runs', () => {
    const inBin: Owner[] = [{ kind: 'vm', id: 'v1' }]
    expect(rulesBroken([machine, guest()], [], inBin)).toEqual(['awake'])
    expect(rulesBroken([machine], [], inBin)).toEqual([])
  })

  it('may have what every namespace has, and boot images', () => {
    const image = object('datavolumes', 'image-1', { what: 'image', id: '1', in: 'it-images' })
    const ofImage = object('persistentvolumeclaims', 'image-1', { of: image.metadata.uid, in: 'it-images' })
    const furniture = [object('serviceaccounts', 'default'), object('configmaps', 'kube-root-ca.crt')]
    expect(rulesBroken([image, ofImage, ...furniture], [])).toEqual([])
  })
})
