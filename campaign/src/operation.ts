/** What an operation of a campaign is; `operations.ts` and `readings.ts` list them. */
import type { Endpoint } from '@slipway/contract'
import type { Random } from '@slipway/e2e/random'
import type { Answer, CallParts, Client, Request } from './client.ts'
import type { Args } from './script.ts'
import type { Kind, Known, World } from './world.ts'

export interface Choice {
  world: World
  user: number
  random: Random
  engine: 'simulated' | 'qemu'
  /** The name for what the step creates. */
  handle: string
}

export interface Operation {
  weight: number
  endpoint: Pick<Endpoint, 'method' | 'path' | 'status' | 'id'>
  /** What to do it to; null when there is nothing now. */
  choose: (choice: Choice) => Args | null
  /** `id` of the objects that the arguments name. */
  parts: (args: Args, find: (handle: Args[string] | undefined) => Known, handle: string) => CallParts
  /** How it is sent, when not as a plain request. */
  send?: (url: string, client: Client, request: Request) => Promise<Answer | null>
  creates?: Kind
  /** Its deletion; the object is in the argument `on`. */
  deletes?: true
  /** What changes once the answer of success came. */
  learn?: (world: World, args: Args) => void
  /** What nobody can know any more when no answer came. */
  forget?: (world: World, args: Args) => void
}
