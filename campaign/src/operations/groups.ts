/** Pools and sets of VMs, and their members. */
import { vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import type { Answer } from '../client.ts'
import type { Args } from '../script.ts'
import { type Known, newKnown, objectOf, ownedBy, type World } from '../world.ts'
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

/** With real guests only the first user has groups, and small ones: each member boots a guest of its own. */
const mostGroups = ({ engine, user }: Choice): number =>
  ({ simulated: 2, qemu: user === 0 ? 1 : 0, kubevirt: 1 })[engine]
const mostMembers = { simulated: 4, qemu: 2, kubevirt: 3 }
const anySize = ({ engine, random }: Choice): number => 1 + random.below(mostMembers[engine])

/** Which members a group had when it was looked at: users can only name those that they saw. */
function learnMembers(world: World, args: Args, { text }: Answer): void {
  const { vms } = JSON.parse(text) as { vms: { id: string; name: string }[] }
  objectOf(world, args.on).members = vms.map(({ id, name }) => ({ id, name }))
}

/** Other sizes for the members of a group, which are replaced one by one. */
function rollOut(kind: 'vmPool' | 'vmSet', param: string, endpoint: Called): Operation {
  return on(kind, param, endpoint, {
    weight: 1,
    choose(choice) {
      const group = chooseIn(choice, kind)
      return group ? { on: group.handle, cpu: 1 + choice.random.below(2) } : null
    },
    parts(args, find) {
      const group = find(args.on)
      return {
        params: { projectId: idOf(find(String(group.project))), [param]: idOf(group) },
        body: { cpu: args.cpu, delete_disks: true },
      }
    },
  })
}

const memberOf = ({ members = [] }: Known, args: Args) => members[Number(args.member) % members.length]

export const ofGroups: Record<string, Operation> = {
  createPool: {
    weight: 2,
    endpoint: vmPoolApi.create,
    creates: 'vmPool',
    choose(choice) {
      const { world, user, random } = choice
      const args = newVm(choice)
      if (!args || ownedBy(world, user, 'vmPool').length >= mostGroups(choice)) return null
      return { ...args, desired: anySize(choice), disk: random.chance(0.4) }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        template_id: templateOf(args, find),
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
      return pool ? { on: pool.handle, desired: anySize(choice) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), poolId: idOf(find(args.on)) },
      body: { desired_size: args.desired },
    }),
    learn: (world, args) => setFacts(world, args, { desired_size: args.desired }),
    forget: (world, args) => forgetFacts(world, args, 'desired_size'),
  }),
  rollOutPool: rollOut('vmPool', 'poolId', vmPoolApi.rollOut),
  continuePool: on('vmPool', 'poolId', vmPoolApi.continueRollOut, { weight: 1 }),
  stopPool: on('vmPool', 'poolId', vmPoolApi.stopRollOut, { weight: 1 }),
  deletePool: on('vmPool', 'poolId', vmPoolApi.delete, { weight: 1, deletes: true }),
  createSet: {
    weight: 2,
    endpoint: vmSetApi.create,
    creates: 'vmSet',
    choose(choice) {
      const { world, user } = choice
      const args = newVm(choice)
      if (!args || ownedBy(world, user, 'vmSet').length >= mostGroups(choice)) return null
      return { ...args, replicas: anySize(choice) }
    },
    parts: (args, find, handle) => ({
      params: projectOf(args, find),
      body: {
        name: handle,
        template_id: templateOf(args, find),
        ssh_key_id: idOf(find(args.key)),
        replicas: args.replicas,
      },
    }),
  },
  scaleSet: on('vmSet', 'setId', vmSetApi.update, {
    weight: 2,
    choose(choice) {
      const set = chooseIn(choice, 'vmSet')
      return set ? { on: set.handle, replicas: anySize(choice) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), setId: idOf(find(args.on)) },
      body: { replicas: args.replicas },
    }),
    learn: (world, args) => setFacts(world, args, { replicas: args.replicas }),
    forget: (world, args) => forgetFacts(world, args, 'replicas'),
  }),
  rollOutSet: rollOut('vmSet', 'setId', vmSetApi.rollOut),
  continueSet: on('vmSet', 'setId', vmSetApi.continueRollOut, { weight: 1 }),
  stopSet: on('vmSet', 'setId', vmSetApi.stopRollOut, { weight: 1 }),
  deleteSet: on('vmSet', 'setId', vmSetApi.delete, { weight: 1, deletes: true }),
  getPool: on('vmPool', 'poolId', vmPoolApi.get, { weight: 2, learn: learnMembers }),
  getSet: on('vmSet', 'setId', vmSetApi.get, { weight: 2, learn: learnMembers }),
  deleteMember: {
    weight: 2,
    endpoint: vmApi.delete,
    choose(choice) {
      const group = chooseIn(choice, 'vmPool', 'vmSet')
      const count = group?.members?.length ?? 0
      return group && count > 0 ? { on: group.handle, member: choice.random.below(count) } : null
    },
    parts(args, find) {
      const group = find(args.on)
      return {
        params: {
          projectId: idOf(find(String(group.project))),
          vmId: memberOf(group, args)?.id ?? 'missing',
        },
      }
    },
    /** Another one takes its place; this one must go. */
    learn(world, args) {
      const group = objectOf(world, args.on)
      const member = memberOf(group, args)
      if (!member) return
      group.members = group.members?.filter(({ id }) => id !== member.id)
      const handle = `${group.handle}/${member.id}`
      world.objects.set(handle, newKnown({ ...group, ...member, kind: 'vm', handle, fate: 'leaving' }))
    },
  },
}
