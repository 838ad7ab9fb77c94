import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'

const field = (content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** PKCS 8 around the 32 bytes of an ed25519 private key (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The halves of an ed25519 key that a text repeats, so that a script needs to keep none. */
function halves(text: string): { secret: Buffer; point: Buffer; blob: Buffer } {
  const secret = createHash('sha256').update(text).digest()
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, secret]), format: 'der', type: 'pkcs8' })
  const point = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { secret, point, blob: Buffer.concat([field('ssh-ed25519'), field(point)]) }
}

/** The public key of a text as OpenSSH writes it. */
export const publicKeyOf = (text: string): string =>
  `ssh-ed25519 ${halves(text).blob.toString('base64')} ${text}`

/** Its other half, as OpenSSH keeps it in a file (PROTOCOL.key of OpenSSH). */
export function privateKeyOf(text: string): string {
  const { secret, point, blob } = halves(text)
  const check = Buffer.alloc(8, 7)
  const inside = [check, blob, field(Buffer.concat([secret, point])), field(text)]
  const length = inside.reduce((sum, part) => sum + part.length, 0)
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (length % 8)) % 8))
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(blob),
    field(Buffer.concat([...inside, padding])),
  ])
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}
