import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'

/** The secret in a file that only the owner may read; made when there is none. */
export async function keptSecret(file: string): Promise<string> {
  const there = await readFile(file, 'utf8').catch(absent)
  const secret = (there ?? (await makeSecret(file))).trim()
  if (secret.length < 32) throw new Error(`${file} holds no secret. Remove it, and the next start makes one.`)
  return secret
}

/** Made under another name first: a crash leaves the whole file or none, and who comes first decides. */
async function makeSecret(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}
