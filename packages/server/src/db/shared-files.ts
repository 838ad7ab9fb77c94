/**
 * Small files of the data directory that have to be the same at all servers on a database, such as keys by which guests
 * know the servers: the server that came first has stored its own, and the others take them over.
 */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { flush } from '../lib/flush.ts'
import type { Db } from './open.ts'

export interface SharedFile {
  name: string
  /** Makes the file when the data directory has none. */
  make: () => Promise<unknown>
}

/** Makes these files what they are at the other servers. One that was another here is kept beside it. */
export async function shareFiles(db: Db, dataDir: string, files: readonly SharedFile[]): Promise<void> {
  // One server at a time writes, so one is first.
  await db.transaction().execute(async (tx) => {
    for (const { name, make } of files) {
      const file = path.join(dataDir, name)
      const shared = await tx
        .selectFrom('shared_file')
        .select('content')
        .where('name', '=', name)
        .executeTakeFirst()
      if (shared) {
        await replace(file, shared.content)
        continue
      }
      await make()
      const content = await readFile(file, 'utf8')
      await tx.insertInto('shared_file').values({ name, content }).execute()
    }
  })
}

async function replace(file: string, content: string): Promise<void> {
  const here = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  if (here === content) return
  const id = randomUUID()
  if (here !== null) await link(file, `${file}.before-${id}`)
  await writeFile(`${file}.${id}`, content, { mode: 0o600, flush: true })
  await rename(`${file}.${id}`, file)
  await flush(path.dirname(file))
}
