import { keepsWayIn } from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import { require409 } from '../lib/problem.ts'
import { signInWaysOf } from './sign-in-ways.repo.ts'

/** Throws 409 when nobody could sign in to an account any more as a transaction leaves it. */
export type RequireWayIn = (tx: Tx, accountId: string) => Promise<void>

/**
 * @param issuers - of the providers that are offered
 * @param passkeysWork - whether browsers let this server use passkeys
 */
export const makeRequireWayIn =
  (issuers: readonly string[], passkeysWork: () => boolean): RequireWayIn =>
  async (tx, accountId) =>
    require409(keepsWayIn(await signInWaysOf(tx, accountId, { issuers, passkeysWork: passkeysWork() })))
