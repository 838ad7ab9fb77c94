/** What an engine really holds, read past the server: the one thing that every engine is asked for. */
import type { Finding } from '../compare.ts'
import type { Kind } from '../world.ts'

export interface Truth {
  /** Machines that run. */
  alive: Set<string>
  /** Everything that lies there; null owns what nobody can tell the owner of. */
  holdings: Holding[]
  /** What there is of the objects themselves, as `ownerKey`; null where only what belongs to nobody can be told. */
  kept: Set<string> | null
  /** Which disks guests that run have; null where that cannot be told. */
  disksOf: Map<string, Set<string>> | null
  /** What is wrong with it by itself, by the rule that it breaks. */
  broken: Finding[]
}

export interface Holding {
  /** What it is, for people. */
  what: string
  owner: Owner | null
}

export interface Owner {
  kind: Kind
  id: string
}

export const ownerKey = ({ kind, id }: Owner): string => `${kind} ${id}`
