/**
 * What went wrong where nobody waited for it, counted for the operator: an error that nothing caught, and background
 * work that failed. The counters belong to the process, as the errors do.
 */

/** Node's names for what nothing caught; `background`: work that nobody waits for. */
export const troubleKinds = ['uncaughtException', 'unhandledRejection', 'background'] as const
export type TroubleKind = (typeof troubleKinds)[number]

export interface Trouble {
  /** How often since the process began. */
  count: number
  /** Milliseconds since the epoch; null while there was none. */
  lastAt: number | null
}

const troubles = new Map<TroubleKind, Trouble>()

/** Counts one failure of a kind. */
export function countTrouble(kind: TroubleKind): void {
  troubles.set(kind, { count: trouble(kind).count + 1, lastAt: Date.now() })
}

/** What was counted of a kind since the process began. */
export const trouble = (kind: TroubleKind): Trouble => troubles.get(kind) ?? { count: 0, lastAt: null }
