/** What the plans of a pool or set need to know of it and of its members. */
import type { VmStatus } from '@slipway/contract'

export interface GroupFacts {
  desired: number
  /** Whether members keep their root disk; what such a member holds is never thrown away on its behalf. */
  persistent: boolean
  /** Members in a row that could not be brought up. */
  failures: number
  failedAt: number | null
  failedWhy: string | null
  /** Raised by each roll-out of other settings; a member with a smaller one has older settings. */
  revision: number
  /** Whether members with older settings are being replaced; null: they are left as they are. */
  rollOut: 'running' | 'paused' | null
  /** Why it is paused. */
  rollOutWhy: string | null
  /** A set keeps its size: a member goes before the one that replaces it comes. A pool is one larger meanwhile. */
  inPlace: boolean
}

export interface Member {
  id: string
  name: string
  /** From 1; the smallest free one is the next member's. */
  number: number
  status: VmStatus
  statusSince: number
  statusMessage: string | null
  /** The group has become smaller, or replaces it: it shuts down and goes. */
  retiring: boolean
  /** How often in a row it was started again after it broke. */
  heals: number
  /** When it last answered; null when it never did. */
  upAt: number | null
  /** Since when the host has no memory for it; null when that is not what it waits for. */
  shortSince: number | null
  /** Nothing is done to it now: a snapshot of it is being made, it is being restored, or it cannot be read. */
  busy: boolean
  /** Which settings of the group it was made of. */
  revision: number
  /** Against deletion. */
  isProtected: boolean
}

/** A member that broke so often in a row is left as it is, for its user to decide. */
export const healsAtMost = 3
/** One that answered for so long before it broke is healthy enough to be healed from the first time on. */
const provenMs = 10 * 60_000
/** One that answered for so long came up. */
export const steadyMs = 60_000
/** How long a host may have no room before the group says so as an error. */
export const shortageMs = 60_000
export const busyPollMs = 5_000

export const coming: readonly VmStatus[] = ['pending', 'creating', 'provisioning', 'starting']

export const stays = (member: Member): boolean => !member.retiring
/** Ids sort in the order they were made. */
export const byAge = (a: Member, b: Member): number => (a.id < b.id ? -1 : 1)

/** How often in a row it has been healed by now. */
export const healsOf = ({ heals, upAt, statusSince }: Member): number =>
  upAt !== null && statusSince - upAt >= provenMs ? 0 : heals

/** Whether a member that broke had answered for a while; one that had not counts as one that never came up. */
export const wasUp = ({ upAt, statusSince }: Member): boolean =>
  upAt !== null && statusSince - upAt >= steadyMs

export const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)
