import { randomBytes } from 'node:crypto'
import { keptLine } from './kept-line.ts'

/** The secret in a file that only the owner may read; made when there is none. */
export async function keptSecret(file: string): Promise<string> {
  const secret = await keptLine(file, () => randomBytes(32).toString('base64url'))
  if (secret.length < 32) throw new Error(`${file} holds no secret. Remove it, and the next start makes one.`)
  return secret
}
