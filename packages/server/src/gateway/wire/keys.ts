import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'

const { utils } = ssh2

export interface KeyPair {
  /** In OpenSSH's format. */
  privateKey: string
  /** As it stands in `authorized_keys`. */
  publicKey: string
}

/** The key pair in a file of the data directory, made when there is none. Throws when the file is no private key. */
export async function keepKey(dataDir: string, name: string, comment: string): Promise<KeyPair> {
  const file = path.join(dataDir, name)
  let privateKey: string
  try {
    privateKey = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    privateKey = makePrivateKey(comment)
    await writeFile(`${file}.new`, privateKey, { mode: 0o600, flush: true })
    await rename(`${file}.new`, file)
  }
  const key = utils.parseKey(privateKey)
  if (key instanceof Error) throw new Error(`${file} is not a private key: ${key.message}`)
  return { privateKey, publicKey: `${key.type} ${key.getPublicSSH().toString('base64')} ${comment}` }
}

/** In OpenSSH's format. About one in 250 that ssh2 makes cannot be read, not even by ssh2: it pads a part wrongly. */
export function makePrivateKey(comment: string): string {
  for (;;) {
    const { private: text } = utils.generateKeyPairSync('ed25519', { comment })
    if (!(utils.parseKey(text) instanceof Error)) return text
  }
}

/** Of a key's blob, as `ssh-keygen -lf` prints it. */
export const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
