/** Shared ports of VMs. */
import { shareApi, shareAudiences } from '@slipway/contract'
import type { Answer } from '../client.ts'
import type { Args } from '../script.ts'
import { ownedBy, type World } from '../world.ts'
import {
  type Choice,
  chooseIn,
  forgetFacts,
  idOf,
  type Operation,
  on,
  projectOf,
  setFacts,
} from './operation.ts'

/** Each has a port of the host, of which there are not many. */
const mostShares = 3
/** Further than any step of the clock. */
const end = '2099-01-01T00:00:00.000Z'

const anyAudience = ({ random }: Choice) => random.pick(shareAudiences) ?? 'project'

function learnChange(world: World, args: Args, { text }: Answer): void {
  const { audience, expires_at } = JSON.parse(text) as Record<string, unknown>
  setFacts(world, args, { audience, expires_at })
}

export const ofShares: Record<string, Operation> = {
  createShare: {
    weight: 3,
    endpoint: shareApi.create,
    creates: 'share',
    choose(choice) {
      // A cluster refuses it.
      const vm = choice.engine === 'kubevirt' ? null : chooseIn(choice, 'vm')
      if (!vm || ownedBy(choice.world, choice.user, 'share').length >= mostShares) return null
      // One that no other share has: an object that was never answered is known by its VM and port.
      const port = 1_024 + (Number(choice.handle.slice(1)) % 60_000)
      return { project: String(vm.project), vm: vm.handle, port, audience: anyAudience(choice) }
    },
    parts: (args, find) => ({
      params: { ...projectOf(args, find), vmId: idOf(find(args.vm)) },
      body: { port: args.port, audience: args.audience },
    }),
  },
  updateShare: on('share', 'shareId', shareApi.update, {
    weight: 2,
    choose(choice) {
      const share = chooseIn(choice, 'share')
      if (!share) return null
      return { on: share.handle, audience: anyAudience(choice), ends: choice.random.chance(0.5) }
    },
    parts: (args, find) => ({
      params: { projectId: idOf(find(String(find(args.on).project))), shareId: idOf(find(args.on)) },
      body: { audience: args.audience, expires_at: args.ends ? end : null },
    }),
    learn: learnChange,
    forget: (world, args) => forgetFacts(world, args, 'audience', 'expires_at'),
  }),
  deleteShare: on('share', 'shareId', shareApi.delete, { weight: 1, deletes: true }),
}
