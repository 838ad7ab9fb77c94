/** Disks. */
import { diskApi } from '@slipway/contract'
import { imageUrl, manners } from '../downloads.ts'
import { objectOf, ownedBy } from '../world.ts'
import { chooseIn, forgetFacts, idOf, type Operation, on, projectOf, setFacts } from './operation.ts'

/** The server waits so long for a guest that does not let go of a disk, and then answers that it did not. */
const letGoMs = 12_000

export const ofDisks: Record<string, Operation> = {
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
  changeDisk: {
    weight: 4,
    endpoint: diskApi.update,
    choose(choice) {
      const disk = chooseIn(choice, 'disk')
      // No smaller one than any that it may have: disks only become larger, and each at most twice as large.
      return disk ? { on: disk.handle, size: 6 + choice.random.below(4) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), diskId: idOf(find(args.on)) },
      body: { size: `${args.size}Gi`, description: `of ${args.size}Gi` },
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
    waitsMs: letGoMs,
    learn: (world, args) => setFacts(world, args, { vm_id: null }),
    forget: (world, args) => forgetFacts(world, args, 'vm_id'),
  }),
}
