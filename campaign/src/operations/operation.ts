/** What an operation of a campaign is, and what the tables of operations have in common. */
import type { Endpoint } from '@slipway/contract'
import type { Random } from '@slipway/e2e/random'
import type { Answer, CallParts } from '../client.ts'
import type { Host } from '../host.ts'
import type { Person } from '../people.ts'
import type { Args, EngineName } from '../script.ts'
import { type Kind, type Known, objectOf, ownedBy, type World } from '../world.ts'

export interface Choice {
  world: World
  user: number
  random: Random
  engine: EngineName
  /** The name for what the step creates. */
  handle: string
}

export type Called = Pick<Endpoint, 'method' | 'path' | 'status' | 'id' | 'idempotent'>

/** What sending takes when it is more than one plain request. */
export interface Errand {
  host: Pick<Host, 'url' | 'mailedLink'>
  world: World
  person: Person
  args: Args
  parts: CallParts
  handle: string
}

interface What {
  weight: number
  /** What to do it to; null when there is nothing now. */
  choose: (choice: Choice) => Args | null
  /** `id` of the objects that the arguments name. */
  parts: (args: Args, find: (handle: Args[string] | undefined) => Known, handle: string) => CallParts
  creates?: Kind
  /** What it creates may fail although nothing happened to it, as when what it is made of goes meanwhile. */
  mayFail?: true
  /** Its deletion; the object is in the argument `on`. */
  deletes?: true
  /** Milliseconds that its answer may wait for a guest. */
  waitsMs?: number
  /** What changes once the answer of success came. */
  learn?: (world: World, args: Args, answer: Answer) => void
  /** What nobody can know any more when no answer came. */
  forget?: (world: World, args: Args) => void
  /** What an answer proves to be broken, in a sentence, by its rule; asked before anything is learnt from it. */
  judge?: (world: World, args: Args, answer: Answer) => { rule: string; message: string } | null
}

/** A call of the API; without `send` it is a plain request. Or, without an endpoint, something else that people do. */
export type Operation = What &
  (
    | { endpoint: Called; send?: (errand: Errand) => Promise<Answer | null> }
    | { endpoint: null; send: (errand: Errand) => Promise<Answer | null> }
  )

/** The status of success; what is no call of the API says 200 for it. */
export const successOf = ({ endpoint }: Operation): number => endpoint?.status ?? 200

/** Answers that say nothing of the call itself: sign in, later, busy. */
export const isPutOff = ({ status }: Answer): boolean => [401, 429, 503].includes(status)

export const idOf = (known: Known): string => known.id ?? 'missing'

export const chooseIn = ({ world, user, random }: Choice, kind: Kind, ...more: Kind[]) =>
  random.pick([kind, ...more].flatMap((one) => ownedBy(world, user, one)))

type Rest = Partial<What> & { weight: number; send?: (errand: Errand) => Promise<Answer | null> }

/** An operation on one object of a project: its path parameter is `param`. */
export function on(kind: Kind, param: string, endpoint: Called, rest: Rest): Operation {
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

/** Something of the account or the server, which needs no object. */
export const plain = (weight: number, endpoint: Called, rest: Partial<Rest> = {}): Operation => ({
  weight,
  endpoint,
  choose: () => ({}),
  parts: () => ({}),
  ...rest,
})

export const projectOf = (args: Args, find: (handle: Args[string] | undefined) => Known) => ({
  projectId: idOf(find(args.project)),
})

export function setFacts(world: World, args: Args, facts: Known['facts']): void {
  const object = objectOf(world, args.on)
  object.facts = { ...object.facts, ...facts }
}

export function forgetFacts(world: World, args: Args, ...names: string[]): void {
  const { facts } = objectOf(world, args.on)
  for (const name of names) delete facts[name]
}

/**
 * What every VM and group is made of; null while the user has no project or no key. A cluster has no image of our own
 * templates until an operator uploads it: there it is a template whose image the cluster fetches.
 */
export function newVm(choice: Choice): Args | null {
  const [project, key] = [chooseIn(choice, 'project'), chooseIn(choice, 'sshKey')]
  if (!project || !key) return null
  const template = choice.engine === 'kubevirt' && [...choice.world.objects.values()].find(isBootable)
  return { project: project.handle, key: key.handle, ...(template && { template: template.handle }) }
}

const isBootable = ({ kind, fate, facts }: Known) =>
  kind === 'template' && fate === 'there' && typeof facts.image_url === 'string'

export const templateOf = (args: Args, find: (handle: Args[string] | undefined) => Known): string =>
  args.template === undefined ? 'starter' : idOf(find(args.template))
