/**
 * What tells a data directory from every other one, wherever it is moved or mounted: a line in a file of it. It begins
 * with the name of the host that made it, so that people know where to look. It is no part of a backup: what is
 * restored is another directory, beside which the first may still be there.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import path from 'node:path'
import { keptLine, readLine } from './kept-line.ts'

const fileIn = (dir: string) => path.join(dir, 'directory.id')
const pattern = /^[\w.-]{1,255}-[0-9a-f]{16}$/

/** The id of a data directory; made when it has none. */
export async function directoryId(dir: string): Promise<string> {
  const file = fileIn(dir)
  const name = hostname().replaceAll(/[^\w.-]/g, '') || 'host'
  const id = await keptLine(file, () => `${name.slice(0, 100)}-${randomBytes(8).toString('hex')}`)
  if (!pattern.test(id))
    throw new Error(`${file} holds no id. Bring it back from where it was last whole, or remove it.`)
  return id
}

/** The id of a data directory; null when it has none yet. */
export const directoryIdIfAny = (dir: string): Promise<string | null> => readLine(fileIn(dir))
