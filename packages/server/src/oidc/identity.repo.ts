import type { Identity } from '@slipway/contract'
import { insertAccount, insertSession } from '../account/account.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import type { AccountTable, IdentityTable, OidcSessionTable, SessionTable } from '../db/schema.ts'

/** An account, as far as a sign-in by a provider goes. */
export interface KnownAccount {
  id: string
  name: string
  email: string
  isVerified: boolean
  isDisabled: boolean
  hasPassword: boolean
}

/** What a visit ends in when the rules allow it, stored all at once. */
export interface SignInWrites {
  /** The account that comes with the first sign-in. */
  account?: { row: AccountTable; entry: Entry }
  /** The identity that is new to its account. */
  identity?: { row: IdentityTable; entry: Entry }
  session: { row: SessionTable; entry: Entry; of: Omit<OidcSessionTable, 'token_hash'> }
  /** When the visit began that ends with this. */
  begun: string
  /** The address at the provider, as it is now. */
  email: string | null
  now: string
}

export type IdentityRepo = ReturnType<typeof makeIdentityRepo>

/** Identities at providers, and the accounts that they sign in to. */
export function makeIdentityRepo(db: Db) {
  const accounts = () =>
    db
      .selectFrom('account')
      .select([
        'account.id',
        'account.name',
        'account.email',
        'account.email_verified_at',
        'account.disabled_at',
        'account.password_hash',
      ])

  return {
    /** The account that an identity is linked to. */
    async byIdentity(issuer: string, subject: string): Promise<KnownAccount | null> {
      const row = await accounts()
        .innerJoin('identity', 'identity.account_id', 'account.id')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return row ? toAccount(row) : null
    },

    /** The account with an address in lower case, and who it is linked to at that issuer. */
    async byEmail(
      email: string,
      issuer: string,
    ): Promise<(KnownAccount & { linkedSubject: string | null }) | null> {
      const row = await accounts()
        .leftJoin('identity', (join) =>
          join.onRef('identity.account_id', '=', 'account.id').on('issuer', '=', issuer),
        )
        .select('identity.subject')
        .where('account.email', '=', email)
        .executeTakeFirst()
      return row ? { ...toAccount(row), linkedSubject: row.subject } : null
    },

    async hasPassword(accountId: string): Promise<boolean> {
      const row = await accounts().where('account.id', '=', accountId).executeTakeFirst()
      return row !== undefined && toAccount(row).hasPassword
    },

    /**
     * Stores a sign-in with whatever comes along with it. `disabled` when the account may not sign in; `ended` when the
     * session at the provider is over already; `changed` when somebody else was faster, so that the rules have to be asked again.
     */
    async signIn(writes: SignInWrites): Promise<'done' | 'disabled' | 'ended' | 'changed'> {
      const { account, identity, session, begun, email, now } = writes
      return db
        .transaction()
        .execute(async (tx) => {
          if (await isOver(tx, session.of, begun)) return 'ended' as const
          if (account) await insertAccount(tx, account.row, account.entry)
          if (identity) await insertIdentity(tx, identity.row, identity.entry)
          else if (!(await touchIdentity(tx, session, email, now))) return 'changed' as const
          if (!(await insertSession(tx, session.row, session.entry))) throw new Refused('disabled')
          await tx
            .insertInto('oidc_session')
            .values({ token_hash: session.row.token_hash, ...session.of })
            .execute()
          return 'done' as const
        })
        .catch((error: unknown) => {
          // Nothing of it stays.
          if (error instanceof Refused) return error.outcome
          if (isUniqueViolation(error)) return 'changed' as const
          throw error
        })
    },

    /** Links an identity to an account; false when it, or another of its issuer, was linked meanwhile. */
    async link(row: IdentityTable, entry: Entry): Promise<boolean> {
      return db
        .transaction()
        .execute(async (tx) => {
          await insertIdentity(tx, row, entry)
          return true
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error)) return false
          throw error
        })
    },

    /** Tells of a sign-in that failed. */
    recordOnly: (entry: Entry): Promise<void> => db.transaction().execute((tx) => record(tx, [entry])),

    /** By age; `known` says what an issuer is called. */
    async list(
      accountId: string,
      known: (issuer: string) => Pick<Identity, 'provider' | 'label'>,
    ): Promise<Identity[]> {
      const rows = await db
        .selectFrom('identity')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('linked_at')
        .orderBy('id')
        .execute()
      return rows.map(({ id, issuer, email, linked_at, last_used_at }) => ({
        id,
        ...known(issuer),
        issuer,
        email,
        linked_at,
        last_used_at,
      }))
    },

    /**
     * Takes an identity off an account, unless `allowed` throws at what is left. Its sessions go on. False when there is no
     * such identity.
     */
    async unlink(
      accountId: string,
      id: string,
      allowed: (tx: Tx, accountId: string) => Promise<void>,
      entryOf: (identity: Pick<IdentityTable, 'issuer'>) => Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('identity')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .returning('issuer')
          .executeTakeFirst()
        if (!gone) return false
        await allowed(tx, accountId)
        await record(tx, [entryOf(gone)])
        return true
      })
    },
  }
}

class Refused extends Error {
  readonly outcome: 'disabled'
  constructor(outcome: 'disabled') {
    super(outcome)
    this.outcome = outcome
  }
}

function toAccount(row: {
  id: string
  name: string
  email: string
  email_verified_at: string | null
  disabled_at: string | null
  password_hash: string
}): KnownAccount {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    isVerified: row.email_verified_at !== null,
    isDisabled: row.disabled_at !== null,
    hasPassword: row.password_hash !== '',
  }
}

/** Whether the provider ended this session of its own while somebody was on the way back from there. */
async function isOver(
  tx: Tx,
  { issuer, sid }: { issuer: string; sid: string | null },
  begun: string,
): Promise<boolean> {
  if (sid === null) return false
  const found = await tx
    .selectFrom('oidc_logout')
    .select('jti')
    .where('issuer', '=', issuer)
    .where('sid', '=', sid)
    .where('received_at', '>=', begun)
    .executeTakeFirst()
  return found !== undefined
}

async function insertIdentity(tx: Tx, row: IdentityTable, entry: Entry): Promise<void> {
  await tx.insertInto('identity').values(row).execute()
  await record(tx, [entry])
}

/** False when the identity was unlinked meanwhile. */
async function touchIdentity(
  tx: Tx,
  { row, of }: SignInWrites['session'],
  email: string | null,
  now: string,
): Promise<boolean> {
  const touched = await tx
    .updateTable('identity')
    .set({ email, last_used_at: now })
    .where('issuer', '=', of.issuer)
    .where('subject', '=', of.subject)
    .where('account_id', '=', row.account_id)
    .returning('id')
    .executeTakeFirst()
  return touched !== undefined
}
