import { generateKeyPairSync } from 'node:crypto'

export interface Person {
  firstName: string
  lastName: string
  email: string
  password: string
}

/** An ed25519 public key nobody has used before, as OpenSSH writes it. */
export function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(raw)])
  return `ssh-ed25519 ${blob.toString('base64')} ada@example.com`
}
