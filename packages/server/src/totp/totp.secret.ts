/**
 * How secrets of authenticator apps are stored: encrypted with AES-256-GCM under a key that is not in the database, so that a
 * copy of the database alone makes no codes. An encrypted secret opens for its own account only.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v1'

/** The key of the secrets, from the text of `factor.key`. */
export const factorKey = (text: string): Buffer =>
  Buffer.from(hkdfSync('sha256', text, '', 'slipway totp secret v1', 32))

export function sealSecret(secret: Uint8Array, key: Buffer, accountId: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(accountId))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return [version, ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join(
    '.',
  )
}

/** Throws when it was sealed with another key or for another account, or is damaged. */
export function openSecret(text: string, key: Buffer, accountId: string): Buffer {
  const [form, ...parts] = text.split('.')
  const [nonce, tag, sealed] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (form !== version || !nonce || !sealed || tag?.length !== 16) throw new Error('The secret is damaged')
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(accountId)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
