/** Projects, SSH keys and templates. */
import { networkApi, projectApi, sshKeyApi, templateApi } from '@slipway/contract'
import { imageUrl } from '../downloads.ts'
import { publicKeyOf } from '../public-key.ts'
import { insideOf, objectOf, ownedBy } from '../world.ts'
import { chooseIn, idOf, type Operation, on } from './operation.ts'

export const ofProjects: Record<string, Operation> = {
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
    parts: (args, find) => ({
      params: { projectId: idOf(find(args.on)) },
      query: { for_good: 'true' },
    }),
    learn(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'leaving'
    },
    forget(world, args) {
      for (const inside of insideOf(world, objectOf(world, args.on))) inside.fate = 'perhaps leaving'
    },
  }),
  switchInternet: on('project', 'projectId', networkApi.update, {
    weight: 0.5,
    choose(choice) {
      // A cluster refuses it.
      const project = choice.engine === 'kubevirt' ? null : chooseIn(choice, 'project')
      return project ? { on: project.handle, internet: choice.random.chance(0.5) } : null
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(args.on)) },
      body: { internet: args.internet },
    }),
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
    parts: (args, _find, handle) => ({
      body: {
        name: handle,
        description: handle,
        default_cpu: 1,
        default_memory_mb: 512,
        image_url: args.image ? imageUrl(String(args.image), handle) : null,
      },
    }),
  },
}
