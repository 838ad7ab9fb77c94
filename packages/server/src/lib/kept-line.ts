import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { flush } from './flush.ts'

/** The line in a file, or null when there is no such file. */
export async function readLine(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(absent)
  return text === null ? null : text.trim()
}

/** The line in a file that only the owner may read; made when there is no such file. */
export const keptLine = async (file: string, make: () => string): Promise<string> =>
  (await readLine(file)) ?? (await makeFile(file, make()))

/** Made under another name first: a crash leaves the whole file or none, and who comes first decides. */
async function makeFile(file: string, line: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${line}\n`)
    await handle.sync()
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
  await flush(path.dirname(file))
  return (await readFile(file, 'utf8')).trim()
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}
