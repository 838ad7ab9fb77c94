import type { SignInWays } from '@slipway/contract'
import type { Tx } from '../db/open.ts'

/** The ways to sign in to an account, as a transaction sees them. `issuers`: of the providers that are offered. */
export async function signInWaysOf(
  tx: Tx,
  accountId: string,
  { issuers, passkeysWork }: { issuers: readonly string[]; passkeysWork: boolean },
): Promise<SignInWays> {
  const account = await tx
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', accountId)
    .executeTakeFirst()
  const passkeys = await tx.selectFrom('passkey').select('id').where('account_id', '=', accountId).execute()
  const identities = await tx
    .selectFrom('identity')
    .select('issuer')
    .where('account_id', '=', accountId)
    .execute()
  return {
    password: account !== undefined && account.password_hash !== '',
    passkeys: passkeysWork ? passkeys.length : 0,
    identities: identities.filter(({ issuer }) => issuers.includes(issuer)).length,
  }
}
