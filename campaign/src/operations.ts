/**
 * Everything users do, as a table: how often, to what, the call, and what its answer makes known. Pure; the runner
 * sends the calls.
 */
import {
  diskApi,
  diskSnapshotApi,
  projectApi,
  sshKeyApi,
  templateApi,
  vmApi,
  vmPoolApi,
  vmSetApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { imageUrl, manners } from './downloads.ts'
import type { Choice, Operation } from './operation.ts'
import { publicKeyOf } from './public-key.ts'
import { readings } from './readings.ts'
import type { Args } from './script.ts'
import { insideOf, type Kind, type Known, objectOf, ownedBy, type World } from './world.ts'

/** Guests that misbehave, of the simulated engine. */
const faultyNames = [
  'crash',
  'leaves',
  'deaf',
  'clings',
  'no-copies',
  'flaky',
  'launch-failed',
  'never-ready',
]

const idOf = (known: Known): string => known.id ?? 'missing'
const chooseIn = ({ world, user, random }: Choice, kind: Kind, ...more: Kind[]) =>
  random.pick([kind, ...more].flatMap((one) => ownedBy(world, user, one)))

/** An operation on one object of a project: its path parameter is `param`. */
function on(
  kind: Kind,
  param: string,
  endpoint: Operation['endpoint'],
  rest: Partial<Operation> & { weight: number },
): Operation {
  return {
    endpoint,
    choose(choice) {
      const object = chooseIn(choice, kind)
      return object ? { on: object.handle } : null
    },
    parts(args, find) {
      const object = find(args.on)
      const project = object.project === null ? {} : { projectId: idOf(find(object.project)) }
      return { params: { ...project, [param]: idOf(object) } }
    },
    ...rest,
  }
}

const onVm = (endpoint: Operation['endpoint'], rest: Partial<Operation> & { weight: number }) =>
  on('vm', 'vmId', endpoint, rest)

function setPower(world: World, args: Args, power: Known['power']): void {
  const vm = objectOf(world, args.on)
  vm.power = vm.faulty ? null : power
}

function setFacts(world: World, args: Args, facts: Known['facts']): void {
  const object = objectOf(world, args.on)
  object.facts = { ...object.facts, ...facts }
}

function forgetFacts(world: World, args: Args, ...names: string[]): void {
  const { facts } = objectOf(world, args.on)
  for (const name of names) delete facts[name]
}

/** What every VM and group is made of; null while the user has no project or no key. */
function newVm(choice: Choice): Args | null {
  const [project, key] = [chooseIn(choice, 'project'), chooseIn(choice, 'sshKey')]
  return project && key ? { project: project.handle, key: key.handle } : null
}

const projectOf = (args: Args, find: (handle: Args[string] | undefined) => Known) => ({
  projectId: idOf(find(args.project)),
})

/** How many VMs a user has at most, so that a long campaign does not end in one of crowds. */
const mostVms = { simulated: 8, qemu: 2 }
const mostGroups = { simulated: 2, qemu: 0 }

const changes: Record<string, Operation> = {
  createProject: {
    weight: 2,
    endpoint: projectApi.create,
    creates: 'project',
    choose: ({ world, user }) => (ownedBy(world, user, 'project').length < 4 ? {} : null),
    parts: (_args, _find, handle) => ({ body: { name: handle } }),
  },
  deleteProject: on('project', 'projectId', projectApi.delete, {
    weight: 1,
    deletes: true,
    learn(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'leaving'
    },
    forget(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'perhaps leaving'
    },
  }),
  createKey: {
    weight: 2,
    endpoint: sshKeyApi.create,
    creates: 'sshKey',
    choose: ({ world, user }) => (ownedBy(world, user, 'sshKey').length < 4 ? {} : null),
    parts: (_args, _find, handle) => ({ body: { key_name: handle, ssh_public_key: publicKeyOf(handle) } }),
  },
  deleteKey: on('sshKey', 'sshKeyId', sshKeyApi.delete, { weight: 1, deletes: true }),
  createTemplate: {
    weight: 0.3,
    endpoint: templateApi.create,
    creates: 'template',
    // Only the operator may; user 0 is that one.
    choose: ({ user }) => (user === 0 ? {} : null),
    parts: (_args, _find, handle) => ({
      body: { name: handle, description: handle, default_cpu: 1, default_memory_mb: 512, image_url: null },
    }),
  },
  createVm: {
    weight: 10,
    endpoint: vmApi.create,
    creates: 'vm',
    choose(choice) {
      const { world, user, random, engine } = choice
      if (ownedBy(world, user, 'vm').length >= mostVms[engine]) return null
      const args = newVm(choice)
      if (!args) return null
      const disk = random.chance(0.3) && chooseIn(choice, 'disk')
      const fault = engine === 'simulated' && random.chance(0.15) && random.pick(faultyNames)
      return {
        ...args,
        persistent: random.chance(0.8),
        ...(disk && disk.project === args.project && { disk: disk.handle }),
        ...(fault && { fault }),
      }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: args.fault ? `fault-${args.fault}-${handle}` : handle,
        template_id: 'starter',
        ssh_key_id: idOf(find(args.key)),
        persistent: args.persistent,
        disks: args.disk ? [{ disk_id: idOf(find(args.disk)) }] : [],
      },
    }),
    learn(world, args) {
      if (args.disk) setFacts(world, { on: args.disk }, { vm_id: undefined })
    },
    forget(world, args) {
      if (args.disk) forgetFacts(world, { on: args.disk }, 'vm_id')
    },
  },
  startVm: onVm(vmApi.start, {
    weight: 6,
    learn: (world, args) => setPower(world, args, 'on'),
    forget: (world, args) => setPower(world, args, null),
  }),
  stopVm: onVm(vmApi.stop, {
    weight: 5,
    choose(choice) {
      const vm = chooseIn(choice, 'vm')
      return vm ? { on: vm.handle, force: choice.random.chance(0.4) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), vmId: idOf(find(args.on)) },
      body: { force: args.force },
    }),
    learn: (world, args) => setPower(world, args, 'off'),
    forget: (world, args) => setPower(world, args, null),
  }),
  restartVm: onVm(vmApi.restart, {
    weight: 3,
    learn: (world, args) => setPower(world, args, 'on'),
    forget: (world, args) => setPower(world, args, null),
  }),
  deleteVm: onVm(vmApi.delete, { weight: 4, deletes: true }),
  createDisk: {
    weight: 6,
    endpoint: diskApi.create,
    creates: 'disk',
    choose(choice) {
      const project = chooseIn(choice, 'project')
      if (!project || ownedBy(choice.world, choice.user, 'disk').length >= 8) return null
      const manner = choice.random.chance(0.3) ? choice.random.pick(manners) : undefined
      const size = 1 + choice.random.below(5)
      return { project: project.handle, size, ...(manner && { manner }) }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        size: `${args.size}Gi`,
        source: args.manner ? 'HTTP' : 'EMPTY',
        ...(args.manner && { image_url: imageUrl(String(args.manner), handle) }),
      },
    }),
  },
  deleteDisk: on('disk', 'diskId', diskApi.delete, { weight: 3, deletes: true }),
  attachDisk: {
    weight: 5,
    endpoint: diskApi.attach,
    choose(choice) {
      const disk = chooseIn(choice, 'disk')
      const vms = ownedBy(choice.world, choice.user, 'vm').filter(({ project }) => project === disk?.project)
      const vm = choice.random.pick(vms)
      return disk && vm ? { on: disk.handle, vm: vm.handle } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), diskId: idOf(find(args.on)) },
      body: { vm_id: idOf(find(args.vm)) },
    }),
    learn: (world, args) => setFacts(world, args, { vm_id: objectOf(world, args.vm).id }),
    forget: (world, args) => forgetFacts(world, args, 'vm_id'),
  },
  detachDisk: on('disk', 'diskId', diskApi.detach, {
    weight: 4,
    learn: (world, args) => setFacts(world, args, { vm_id: null }),
    forget: (world, args) => forgetFacts(world, args, 'vm_id'),
  }),
  snapshotVm: onVm(vmSnapshotApi.create, {
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
  createPool: {
    weight: 2,
    endpoint: vmPoolApi.create,
    creates: 'vmPool',
    choose(choice) {
      const { world, user, engine, random } = choice
      const args = newVm(choice)
      if (!args || ownedBy(world, user, 'vmPool').length >= mostGroups[engine]) return null
      return { ...args, desired: 1 + random.below(3), disk: random.chance(0.4) }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        template_id: 'starter',
        ssh_key_id: idOf(find(args.key)),
        min_size: 1,
        max_size: 4,
        desired_size: args.desired,
        auto_scaling: false,
        disks: args.disk ? [{ name: `${handle}-data`, size: '1Gi' }] : [],
      },
    }),
  },
  scalePool: on('vmPool', 'poolId', vmPoolApi.update, {
    weight: 3,
    choose(choice) {
      const pool = chooseIn(choice, 'vmPool')
      return pool ? { on: pool.handle, desired: 1 + choice.random.below(4) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), poolId: idOf(find(args.on)) },
      body: { desired_size: args.desired },
    }),
    learn: (world, args) => setFacts(world, args, { desired_size: args.desired }),
    forget: (world, args) => forgetFacts(world, args, 'desired_size'),
  }),
  deletePool: on('vmPool', 'poolId', vmPoolApi.delete, { weight: 1, deletes: true }),
  createSet: {
    weight: 2,
    endpoint: vmSetApi.create,
    creates: 'vmSet',
    choose(choice) {
      const { world, user, engine, random } = choice
      const args = newVm(choice)
      if (!args || ownedBy(world, user, 'vmSet').length >= mostGroups[engine]) return null
      return { ...args, replicas: 1 + random.below(3) }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        template_id: 'starter',
        ssh_key_id: idOf(find(args.key)),
        replicas: args.replicas,
      },
    }),
  },
  scaleSet: on('vmSet', 'setId', vmSetApi.update, {
    weight: 2,
    choose(choice) {
      const set = chooseIn(choice, 'vmSet')
      return set ? { on: set.handle, replicas: 1 + choice.random.below(4) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), setId: idOf(find(args.on)) },
      body: { replicas: args.replicas },
    }),
    learn: (world, args) => setFacts(world, args, { replicas: args.replicas }),
    forget: (world, args) => forgetFacts(world, args, 'replicas'),
  }),
  deleteSet: on('vmSet', 'setId', vmSetApi.delete, { weight: 1, deletes: true }),
}

export const operations: Record<string, Operation> = { ...changes, ...readings(on) }
