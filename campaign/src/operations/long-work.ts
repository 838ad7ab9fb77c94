/** Operations that run or wait are cancelled, by those whose they are and by the operator. */
import { operationApi } from '@slipway/contract'
import type { Args } from '../script.ts'
import { type Kind, type Known, objectOf, type World } from '../world.ts'
import { type Choice, idOf, type Operation } from './operation.ts'

/** What is created by long work. An operation has the id of its object. */
const longMade: readonly Kind[] = ['disk', 'vmSnapshot', 'diskSnapshot', 'vm']
/** Work goes on with what came last. */
const lastOnes = 4

const chooseWork = ({ world, random }: Choice, isTheirs: (known: Known) => boolean): Args | null => {
  const made = [...world.objects.values()].filter(
    (known) =>
      longMade.includes(known.kind) && known.fate === 'there' && known.id !== null && isTheirs(known),
  )
  const chosen = random.pick(made.slice(-lastOnes))
  return chosen ? { on: chosen.handle } : null
}

/** A creation has failed for good. A restore that was cancelled leaves its VM as it is, and that is not known here. */
function learnEnd(world: World, args: Args): void {
  const object = objectOf(world, args.on)
  object.faulty = true
  if (object.kind === 'vm') object.power = null
  else object.facts.status = 'failed'
}

function forgetEnd(world: World, args: Args): void {
  const object = objectOf(world, args.on)
  object.faulty = true
  if (object.kind === 'vm') object.power = null
}

const whatEnds = { learn: learnEnd, forget: forgetEnd }

export const ofLongWork: Record<string, Operation> = {
  cancelOperation: {
    weight: 3,
    endpoint: operationApi.cancel,
    choose: (choice) => chooseWork(choice, ({ user }) => user === choice.user),
    parts(args, find) {
      const object = find(args.on)
      return { params: { projectId: idOf(find(String(object.project))), operationId: idOf(object) } }
    },
    ...whatEnds,
  },
  cancelAnyOperation: {
    weight: 1,
    endpoint: operationApi.cancelAny,
    choose: (choice) => (choice.user === 0 ? chooseWork(choice, () => true) : null),
    parts: (args, find) => ({ params: { operationId: idOf(find(args.on)) } }),
    ...whatEnds,
  },
}
