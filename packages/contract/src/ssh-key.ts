import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { parseSshPublicKey, sshKeyProofs, sshKeyTexts } from './ssh-key.rules.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { Id, name, Time } from './text.ts'

export const SshKeyProofStatus = z.enum(sshKeyProofs)

export const SshKey = z.object({
  id: Id,
  name: z.string(),
  public_key: z.string(),
  /** As `ssh-keygen -lf` prints it: `SHA256:` and unpadded base64. */
  fingerprint: z.string(),
  is_default: z.boolean(),
  created_at: Time,
  /** `needed`: another account has stored the same key, and SSH by name accepts it for this account only once it is proven. */
  proof: SshKeyProofStatus,
})
export type SshKey = z.infer<typeof SshKey>

export const SshKeyProof = z.object({
  /** For one sign-in to SSH by name with the key: `ssh <user_name>@<console> -p <port>`. */
  user_name: z.string(),
  expires_at: Time,
})
export type SshKeyProof = z.infer<typeof SshKeyProof>

export const SshKeyCreate = z.object({
  key_name: name(sshKeyTexts.nameMissing),
  ssh_public_key: z
    .string({ error: sshKeyTexts.invalidKey })
    .trim()
    .max(16_384, sshKeyTexts.invalidKey)
    .refine((text) => parseSshPublicKey(text) !== null, sshKeyTexts.invalidKey)
    // Of a key that people paste, only the comment could have them; tabs may stand between its parts.
    .refine((text) => !hasHiddenCharacters(text.replaceAll('\t', ' ')), sshKeyTexts.invalidKey),
  is_default: z.boolean().default(false),
})
export type SshKeyCreate = z.infer<typeof SshKeyCreate>

export const sshKeyApi = {
  list: endpoint('sshKey.list', {
    summary: "The user's SSH keys: the default key first, then by age",
    auth: 'session',
    status: 200,
    response: z.array(SshKey),
  }),
  create: endpoint('sshKey.create', {
    summary: 'Add an SSH public key',
    auth: 'session',
    status: 201,
    idempotent: true,
    body: SshKeyCreate,
    response: SshKey,
    errors: {
      400: [sshKeyTexts.nameMissing, sshKeyTexts.invalidKey],
      403: [proofTexts.needed],
      409: [sshKeyTexts.duplicate],
    },
  }),
  prove: endpoint('sshKey.prove', {
    summary: 'Ask for the user name by which a sign-in with the key proves it; it replaces an earlier one',
    auth: 'session',
    status: 200,
    params: z.object({ sshKeyId: Id }),
    response: SshKeyProof,
    errors: {
      404: [messages.sshKeyNotFound],
      409: [sshKeyTexts.alreadyProven, sshKeyTexts.noGateway],
    },
  }),
  delete: endpoint('sshKey.delete', {
    summary: 'Delete an SSH key; VMs that use it keep it',
    auth: 'session',
    status: 204,
    params: z.object({ sshKeyId: Id }),
    errors: { 404: [messages.sshKeyNotFound] },
  }),
}
