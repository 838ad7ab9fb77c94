/**
 * Conditions on SSH keys, for the queries of this folder and of the gateway: who may be taken for whom by a key. A public key is
 * no secret: whoever knows one can store it. While several accounts have stored the same key, it is the key of those that
 * have proven to hold its private half.
 *
 * Nothing of this is stored but the proofs: whether others have the key is looked up whenever it matters. So two accounts that
 * add a key at the same moment are both seen by the next look, and a key that the others deleted needs no proof any more.
 */
import { expressionBuilder } from 'kysely'
import type { Schema } from '../db/schema.ts'

const e = expressionBuilder<Schema, 'ssh_key'>()

const others = () =>
  e
    .selectFrom('ssh_key as other')
    .select('other.id')
    .whereRef('other.fingerprint', '=', 'ssh_key.fingerprint')
    .whereRef('other.account_id', '<>', 'ssh_key.account_id')

const isProven = () => e('ssh_key.proven_at', 'is not', null)

/** Whether another account has stored the key of a row as well. */
export const isShared = () => e.exists(others())

/** Whether the account of a row is known by its key: it has proven it, or is the only one that stored it. */
export const isTrusted = () => e.or([isProven(), e.not(isShared())])

/** Whether the key of a row may still be that of its account: it has proven it, or no other account has. */
export const isTenable = () =>
  e.or([isProven(), e.not(e.exists(others().where('other.proven_at', 'is not', null)))])
