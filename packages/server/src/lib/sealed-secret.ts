/**
 * How secrets are stored that have to be read again: encrypted with AES-256-GCM under a key that is not in the database, so
 * that a copy of the database alone is of no use. An encrypted secret opens for what it belongs to only.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const version = 'v1'

/** The key of one kind of secrets, from the text of `factor.key`; `purpose` keeps the kinds apart. */
export const sealingKey = (text: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', text, '', purpose, 32))

/** Encrypts a secret of the object or account `ownerId`. */
export function sealSecret(secret: Uint8Array, key: Buffer, ownerId: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(ownerId))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return [version, ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join(
    '.',
  )
}

/** Throws when it was sealed with another key or for another owner, or is damaged. */
export function openSecret(text: string, key: Buffer, ownerId: string): Buffer {
  const [form, ...parts] = text.split('.')
  const [nonce, tag, sealed] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (form !== version || !nonce || !sealed || tag?.length !== 16) throw new Error('The secret is damaged')
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(ownerId)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}
