import { createHash, randomBytes } from 'node:crypto'
import {
  messages,
  parseSshPublicKey,
  proofUserOf,
  type SshKey,
  type SshKeyCreate,
  type SshKeyProof,
  sshKeyProofMin,
  sshKeyTexts,
} from '@slipway/contract'
import { access, entry, type Told, wish } from '../activity/entry.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { SshKeyRepo } from './ssh-key.repo.ts'

export type SshKeyService = ReturnType<typeof makeSshKeyService>

export interface SshKeyServiceOptions {
  repo: SshKeyRepo
  clock: Clock
  /** Whether there is SSH by name, where keys are proven. */
  hasGateway: boolean
  /** Told of a key that may not be used any more. */
  onDeleted: (userId: string, fingerprint: string) => void
}

export function makeSshKeyService({ repo, clock, hasGateway, onDeleted }: SshKeyServiceOptions) {
  const told = (userId: string, { id, name }: { id: string; name: string }, what: Told) =>
    entry(clock.now(), { type: 'ssh_key', id, name, accountId: userId }, what)

  return {
    list: (userId: string): Promise<SshKey[]> => repo.list(userId),

    /** The key, if it is the user's; null otherwise. */
    find: (userId: string, keyId: string): Promise<SshKey | null> => repo.find(userId, keyId),

    async create(userId: string, input: SshKeyCreate): Promise<SshKey> {
      const key = parseSshPublicKey(input.ssh_public_key)
      if (!key) throw new Problem(400, sshKeyTexts.invalidKey)
      const row = {
        id: newId(clock.now()),
        account_id: userId,
        name: input.key_name,
        public_key: [key.type, key.body, key.comment].filter(Boolean).join(' '),
        fingerprint: `SHA256:${createHash('sha256').update(key.blob).digest('base64').replace(/=+$/, '')}`,
        created_at: isoTime(clock.now()),
      }
      try {
        const added = wish(userId, 'sshKey.create', `Added SSH key ${row.name}`, `${row.fingerprint}.`)
        return await repo.insert(row, input.is_default, told(userId, row, added))
      } catch (error) {
        if (isUniqueViolation(error)) throw new Problem(409, sshKeyTexts.duplicate)
        throw error
      }
    },

    /** A user name for SSH by name: who signs in by it with the key has proven it. */
    async offerProof(userId: string, keyId: string): Promise<SshKeyProof> {
      const key = await repo.find(userId, keyId)
      if (!key) throw new Problem(404, messages.sshKeyNotFound)
      if (!hasGateway) throw new Problem(409, sshKeyTexts.noGateway)
      const code = randomBytes(10).toString('hex')
      const expiresAt = isoTime(clock.now() + sshKeyProofMin * 60_000)
      const asked = wish(
        userId,
        'sshKey.prove',
        `Requested proof of SSH key ${key.name}`,
        `${key.fingerprint}.`,
      )
      if (!(await repo.offerProof(userId, keyId, { code, expiresAt }, told(userId, key, asked))))
        throw new Problem(409, sshKeyTexts.alreadyProven)
      return { user_name: proofUserOf(code), expires_at: expiresAt }
    },

    /** Somebody who has the private key signed in by the code. Returns whose key it is now; null when the code is none of it. */
    prove: (fingerprint: string, code: string) =>
      repo.prove(fingerprint, code, isoTime(clock.now()), ({ accountId, ...key }) =>
        told(
          accountId,
          key,
          access(accountId, 'sshKey.proven', `Proved SSH key ${key.name}`, `${fingerprint}.`),
        ),
      ),

    async delete(userId: string, keyId: string): Promise<void> {
      const deleted = (key: SshKey) =>
        told(userId, key, wish(userId, 'sshKey.delete', `Deleted SSH key ${key.name}`, `${key.fingerprint}.`))
      const gone = await repo.delete(userId, keyId, deleted)
      if (!gone) throw new Problem(404, messages.sshKeyNotFound)
      onDeleted(userId, gone.fingerprint)
    },
  }
}
