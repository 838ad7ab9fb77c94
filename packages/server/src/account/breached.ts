/**
 * Passwords that attackers try first: they were in breaches so often that they are in everybody's lists. One such list
 * comes with a package, so nothing is asked of the network, and no password leaves the server.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { accountTexts } from '@slipway/contract'
import { refuse } from '../lib/problem.ts'

const require = createRequire(import.meta.url)
/** A JSON list of words in lower case. */
const list = require.resolve('@zxcvbn-ts/language-common/src/passwords.json')

let kept: Promise<Buffer> | null = null

/** Half a megabyte, from the first new password on: as bytes, which take a tenth of what a set of words does. */
function listed(): Promise<Buffer> {
  kept ??= readFile(list).catch((error: unknown) => {
    kept = null
    throw error
  })
  return kept
}

/**
 * Throws 400 at the field `password` for one that is in the list, in whatever case. Searching takes a few milliseconds at
 * most.
 */
export async function requireUnbreached(password: string): Promise<void> {
  const bytes = await listed()
  const word = password.normalize('NFKC').toLowerCase()
  // In quotes a word is found as a whole only.
  if (bytes.includes(JSON.stringify(word))) throw refuse('password', accountTexts.breachedPassword)
}
