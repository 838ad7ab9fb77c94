export const sshKeyTexts = {
  nameMissing: 'Please enter a name for the SSH key.',
  invalidKey: 'Please provide a valid SSH public key.',
  duplicate: 'This SSH key has already been added',
  alreadyProven: 'This SSH key has already been proven.',
  noGateway: 'SSH by name is off on this server, so SSH keys need no proof.',
} as const

/**
 * Whether SSH by name takes who signs in with a key for the account that stored it: always, while no other account has stored the
 * same key; with others, only once the account has proven that it holds the private key.
 */
export const sshKeyProofs = ['not_needed', 'needed', 'proven'] as const

/** How long a command that proves a key can be used, in minutes. */
export const sshKeyProofMin = 15

export const sshKeyTypes = [
  'ssh-rsa',
  'ssh-ed25519',
  'ssh-dss',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const
export type SshKeyType = (typeof sshKeyTypes)[number]

export interface SshPublicKey {
  type: SshKeyType
  /** Base64 of the key blob, as written. */
  body: string
  comment: string
  /** The decoded blob: length-prefixed fields, the first of which is the type again (RFC 4253, section 6.6). */
  blob: Uint8Array
}

/** How many length-prefixed fields the blob of each type has (RFC 4253, 5656, 8709). */
const fieldCount: Record<SshKeyType, number> = {
  'ssh-rsa': 3,
  'ssh-ed25519': 2,
  'ssh-dss': 5,
  'ecdsa-sha2-nistp256': 3,
  'ecdsa-sha2-nistp384': 3,
  'ecdsa-sha2-nistp521': 3,
}

/** Splits a blob into its fields; null when the lengths do not add up. */
function fieldsOf(blob: Uint8Array): Uint8Array[] | null {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  const fields: Uint8Array[] = []
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return null
    const end = at + 4 + view.getUint32(at)
    if (end > blob.length) return null
    fields.push(blob.subarray(at + 4, end))
    at = end
  }
  return fields
}

/**
 * Reads one line of an OpenSSH public key. Returns null unless it is a known type whose base64 decodes to a key
 * of that same type; a key that only looks right would lock its owner out of the guest.
 */
export function parseSshPublicKey(text: string): SshPublicKey | null {
  const match = /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,3})(?:[ \t]+([^\r\n]*))?$/.exec(text.trim())
  const type = sshKeyTypes.find((known) => known === match?.[1])
  const body = match?.[2]
  if (!type || !body) return null
  let blob: Uint8Array
  try {
    blob = Uint8Array.from(atob(body), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
  const fields = fieldsOf(blob)
  if (fields?.length !== fieldCount[type] || fields.some((field) => field.length === 0)) return null
  if (new TextDecoder().decode(fields[0]) !== type) return null
  if (type === 'ssh-ed25519' && fields[1]?.length !== 32) return null
  return { type, body, comment: match?.[3]?.trim() ?? '', blob }
}

/** What the list shows of a key: its type and 20 characters of the body, or the first 40 characters of the text. */
export function sshKeyPreview(publicKey: string): string {
  const [type, body] = publicKey.trim().split(/\s+/)
  return type && body ? `${type} ${body.slice(0, 20)}...` : `${publicKey.trim().slice(0, 40)}...`
}

export const keygenCommand = 'ssh-keygen -t rsa -b 4096 -C "your_email@example.com"'
export const publicKeyPath = '~/.ssh/id_rsa.pub'
