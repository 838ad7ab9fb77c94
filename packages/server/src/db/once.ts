/**
 * Calls that create or change something once, however often they are made: the request that carries an idempotency key,
 * and the item of a batch. What says that the call was made is written in the transaction that writes what it made:
 * neither is ever stored without the other.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Tx } from './open.ts'

/** What a call made, as its entry in the activity log has it. */
interface Made {
  id: string
  at: string
}

export interface Once {
  account_id: string
  /** Name of the call. */
  endpoint: string
  /** Writes that the call was made; throws to have it not made after all. */
  keep: (tx: Tx, made: Made) => Promise<void>
}

/** The call that is being made. Passing it through every service would make it part of all their signatures. */
const underWay = new AsyncLocalStorage<Once>()

/** Makes a call; what it stores is tied to it. */
export const once = <T>(call: Once, make: () => Promise<T>): Promise<T> => underWay.run(call, make)

/** Ties what is being stored to the call under way, if that is what the call was to make. */
export async function keepOnce(
  tx: Tx,
  { by, endpoint, ...made }: Made & { by: string | null; endpoint: string },
): Promise<void> {
  const call = underWay.getStore()
  // Work that was started by a call goes on within its context; it makes nothing by that name for that account.
  if (call?.endpoint !== endpoint || call.account_id !== by) return
  await call.keep(tx, made)
}
