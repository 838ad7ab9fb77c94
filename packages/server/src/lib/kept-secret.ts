import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'

/** The secret in a file that only the owner may read; made when there is none. */
export async function keptSecret(file: string): Promise<string> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length < 32) throw new Error(`${file} holds no secret. Remove it, and the next start makes one.`)
  return secret
}
