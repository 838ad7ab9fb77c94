import { createHash } from 'node:crypto'

/** An ed25519 public key as OpenSSH writes it, which a text repeats; nobody has its other half. */
export function publicKeyOf(text: string): string {
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const point = createHash('sha256').update(text).digest()
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)])
  return `ssh-ed25519 ${blob.toString('base64')} ${text}`
}
