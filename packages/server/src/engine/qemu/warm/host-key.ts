import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** An SSH host key: what the SSH servers of our images read it from, and how others see it. */
export interface HostKey {
  /** The file of Dropbear. */
  dropbear: Buffer
  /** The file of OpenSSH. */
  openssh: string
  /** `ssh-ed25519 …`. */
  public: string
}

/** Bytes as a shell's `printf %b` writes them. */
export const forPrintf = (bytes: Buffer): string =>
  [...bytes].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')

/**
 * Makes an Ed25519 host key: on the host it takes no time, in a guest that runs in software half a second. Files: OpenSSH's
 * PROTOCOL.key; Dropbear's `buf_put_ed25519_priv_key`; both put numbers and strings as RFC 4251 does, section 5.
 */
export function makeHostKey(comment: string): HostKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  const own = Buffer.from(x, 'base64url')
  const both = Buffer.concat([Buffer.from(d, 'base64url'), own])
  const name = string('ssh-ed25519')
  const shown = Buffer.concat([name, string(own)])
  // Twice the same number: whoever decrypts a file sees by it that the password was right. This one has none.
  const check = randomBytes(4)
  const secret = Buffer.concat([check, check, shown, string(both), string(comment)])
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1))
  const file = Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), string('none'), string('none'), string(''), number(1)],
    ...[string(shown), string(Buffer.concat([secret, padding]))],
  ])
  const lines = file.toString('base64').match(/.{1,70}/g) ?? []
  return {
    dropbear: Buffer.concat([name, string(both)]),
    openssh: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
      '\n',
    ),
    public: `ssh-ed25519 ${shown.toString('base64')}`,
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function string(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([number(bytes.length), bytes])
}
