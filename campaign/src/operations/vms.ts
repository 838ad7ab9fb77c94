/** VMs and their power. */
import { vmApi } from '@slipway/contract'
import type { Args } from '../script.ts'
import { type Known, objectOf, ownedBy, type World } from '../world.ts'
import {
  type Called,
  type Choice,
  chooseIn,
  forgetFacts,
  idOf,
  newVm,
  type Operation,
  on,
  projectOf,
  setFacts,
  templateOf,
} from './operation.ts'

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

/** How many VMs a user has at most, so that a long campaign does not end in one of crowds. */
const mostVms = { simulated: 8, qemu: 2, kubevirt: 4 }

export const hasRoomForVm = ({ world, user, engine }: Choice): boolean =>
  ownedBy(world, user, 'vm').length < mostVms[engine]

const onVm = (endpoint: Called, rest: Parameters<typeof on>[3]) => on('vm', 'vmId', endpoint, rest)

/** A VM that orders a fault by its name goes where that takes it. */
export function setPower(world: World, args: Args, power: Known['power']): void {
  const vm = objectOf(world, args.on)
  vm.power = vm.faulty ? null : power
}

/** When a VM is suspended by itself (0: never), and what is said about it. */
const changeOf = ({ minutes }: Args) => ({
  suspend_after_minutes: minutes === 0 ? null : minutes,
  note: `Suspend after ${minutes}`,
})

export const ofVms: Record<string, Operation> = {
  createVm: {
    weight: 10,
    endpoint: vmApi.create,
    creates: 'vm',
    choose(choice) {
      const { random, engine } = choice
      if (!hasRoomForVm(choice)) return null
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
        template_id: templateOf(args, find),
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
  suspendVm: onVm(vmApi.suspend, {
    weight: 3,
    learn: (world, args) => setPower(world, args, 'suspended'),
    forget: (world, args) => setPower(world, args, null),
  }),
  updateVm: onVm(vmApi.update, {
    weight: 2,
    choose(choice) {
      const vm = chooseIn(choice, 'vm')
      if (!vm) return null
      // A cluster cannot change keys.
      const key = choice.engine !== 'kubevirt' && choice.random.chance(0.5) && chooseIn(choice, 'sshKey')
      const minutes = choice.random.pick([0, 1, 60]) ?? 0
      return { on: vm.handle, minutes, ...(key && { key: key.handle }) }
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), vmId: idOf(find(args.on)) },
      body: { ...changeOf(args), ...(args.key !== undefined && { ssh_key_id: idOf(find(args.key)) }) },
    }),
    learn(world, args) {
      const { power, facts } = objectOf(world, args.on)
      // It may have been suspended by itself until now.
      if (args.minutes === 0 && power === 'on' && facts.suspend_after_minutes !== null)
        setPower(world, args, null)
      setFacts(world, args, changeOf(args))
    },
    forget: (world, args) => forgetFacts(world, args, 'suspend_after_minutes', 'note'),
  }),
  keepAwakeVm: onVm(vmApi.keepAwake, { weight: 1 }),
  restartVm: onVm(vmApi.restart, {
    weight: 3,
    learn: (world, args) => setPower(world, args, 'on'),
    forget: (world, args) => setPower(world, args, null),
  }),
  forkVm: onVm(vmApi.fork, {
    weight: 2,
    creates: 'vm',
    mayFail: true,
    choose(choice) {
      const vm = chooseIn(choice, 'vm')
      if (!vm || !hasRoomForVm(choice)) return null
      return { on: vm.handle, project: String(vm.project) }
    },
    parts: (args, find, handle) => ({
      params: { ...projectOf(args, find), vmId: idOf(find(args.on)) },
      body: { name: handle },
    }),
  }),
  deleteVm: onVm(vmApi.delete, { weight: 4, deletes: true }),
}
