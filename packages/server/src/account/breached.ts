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

/** A word of the list with so many digits and signs after it is tried right after the word itself. */
const tailLength = 5
/** Shorter words say little of what follows them. */
const shortestWord = 4

/** What of a password is looked up: itself in lower case, and that without the digits and signs it ends with. */
export function wordsOf(password: string): string[] {
  const whole = password.normalize('NFKC').toLowerCase()
  const word = whole.replace(/[^\p{L}]+$/u, '')
  const isVariant = whole.length - word.length <= tailLength && [...word].length >= shortestWord
  return isVariant ? [...new Set([whole, word])] : [whole]
}

let kept: Promise<Buffer> | null = null

/** Half a megabyte, from the first new password on: as bytes, which take a tenth of what a set of words does. */
function listed(): Promise<Buffer> {
  kept ??= readFile(list).catch((error: unknown) => {
    kept = null
    throw error
  })
  return kept
}

/** Throws 400 at the field `password` for one that is in the list. Searching takes a few milliseconds at most. */
export async function requireUnbreached(password: string): Promise<void> {
  const bytes = await listed()
  // In quotes a word is found as a whole only.
  if (wordsOf(password).some((word) => bytes.includes(JSON.stringify(word))))
    throw refuse('password', accountTexts.breachedPassword)
}
