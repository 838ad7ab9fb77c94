/** Snapshots of VMs and of disks, and what is made of them. */
import { diskSnapshotApi, vmSnapshotApi } from '@slipway/contract'
import { ownedBy } from '../world.ts'
import { chooseIn, idOf, type Operation, on, projectOf } from './operation.ts'
import { hasRoomForVm, setPower } from './vms.ts'

export const ofSnapshots: Record<string, Operation> = {
  snapshotVm: on('vm', 'vmId', vmSnapshotApi.create, {
    weight: 4,
    creates: 'vmSnapshot',
    choose(choice) {
      const vm = chooseIn(choice, 'vm')
      if (!vm || ownedBy(choice.world, choice.user, 'vmSnapshot').length >= 6) return null
      return { on: vm.handle, project: String(vm.project), full: choice.random.chance(0.4) }
    },
    parts: (args, find, handle) => ({
      params: { ...projectOf(args, find), vmId: idOf(find(args.on)) },
      body: { name: handle, snapshot_type: args.full ? 'full' : 'disk' },
    }),
  }),
  restoreVm: {
    weight: 3,
    endpoint: vmSnapshotApi.restore,
    choose(choice) {
      const { random } = choice
      const snapshot = chooseIn(choice, 'vmSnapshot')
      const ofSnapshot = ownedBy(choice.world, choice.user, 'vm').find(
        ({ id }) => id === snapshot?.facts.vm_id,
      )
      const vm = random.chance(0.9) ? ofSnapshot : chooseIn(choice, 'vm')
      return snapshot && vm ? { snapshot: snapshot.handle, on: vm.handle } : null
    },
    parts: (args, find) => ({
      params: {
        projectId: idOf(find(String(find(args.snapshot).project))),
        snapshotId: idOf(find(args.snapshot)),
      },
      body: { vm_id: idOf(find(args.on)) },
    }),
    // What runs afterwards is a matter of the snapshot.
    learn: (world, args) => setPower(world, args, null),
    forget: (world, args) => setPower(world, args, null),
  },
  vmFromSnapshot: on('vmSnapshot', 'snapshotId', vmSnapshotApi.createVms, {
    weight: 2,
    creates: 'vm',
    mayFail: true,
    choose(choice) {
      const snapshot = chooseIn(choice, 'vmSnapshot')
      if (!snapshot || !hasRoomForVm(choice)) return null
      return { on: snapshot.handle, project: String(snapshot.project) }
    },
    parts: (args, find, handle) => ({
      params: { ...projectOf(args, find), snapshotId: idOf(find(args.on)) },
      body: { name: handle },
    }),
  }),
  deleteVmSnapshot: on('vmSnapshot', 'snapshotId', vmSnapshotApi.delete, { weight: 2, deletes: true }),
  snapshotDisk: {
    weight: 4,
    endpoint: diskSnapshotApi.create,
    creates: 'diskSnapshot',
    choose(choice) {
      const disk = chooseIn(choice, 'disk')
      if (!disk || ownedBy(choice.world, choice.user, 'diskSnapshot').length >= 8) return null
      const incremental = choice.random.chance(0.5)
      return { disk: disk.handle, project: String(disk.project), incremental }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        disk_id: idOf(find(args.disk)),
        snapshot_type: args.incremental ? 'incremental' : 'full',
      },
    }),
  },
  deleteDiskSnapshot: on('diskSnapshot', 'diskSnapshotId', diskSnapshotApi.delete, {
    weight: 2,
    deletes: true,
  }),
  diskFromSnapshot: {
    weight: 2,
    endpoint: diskSnapshotApi.createDisk,
    creates: 'disk',
    choose(choice) {
      const snapshot = chooseIn(choice, 'diskSnapshot')
      if (!snapshot || ownedBy(choice.world, choice.user, 'disk').length >= 8) return null
      return { snapshot: snapshot.handle, project: String(snapshot.project) }
    },
    parts: (args, find, handle) => ({
      params: { ...projectOf(args, find), diskSnapshotId: idOf(find(args.snapshot)) },
      body: { name: handle, size_gb: 8 },
    }),
  },
}
