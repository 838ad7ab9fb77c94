import { createHash } from 'node:crypto'
import { messages, parseSshPublicKey, type SshKey, type SshKeyCreate, sshKeyTexts } from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import { isUniqueViolation } from '../db/errors.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { SshKeyRepo } from './ssh-key.repo.ts'

export type SshKeyService = ReturnType<typeof makeSshKeyService>

export interface SshKeyServiceOptions {
  repo: SshKeyRepo
  clock: Clock
  /** Told of a key that may not be used any more. */
  onDeleted: (userId: string, fingerprint: string) => void
}

export function makeSshKeyService({ repo, clock, onDeleted }: SshKeyServiceOptions) {
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

    async delete(userId: string, keyId: string): Promise<void> {
      const deleted = (key: SshKey) =>
        told(userId, key, wish(userId, 'sshKey.delete', `Deleted SSH key ${key.name}`, `${key.fingerprint}.`))
      const gone = await repo.delete(userId, keyId, deleted)
      if (!gone) throw new Problem(404, messages.sshKeyNotFound)
      onDeleted(userId, gone.fingerprint)
    },
  }
}
