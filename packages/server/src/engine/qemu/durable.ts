import { open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Waits until a file's bytes, or a directory's names, are on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces a JSON file in one step that survives a power failure; a crash leaves the old or the new content. */
export async function writeDurably(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  await flush(dirname(path))
}

/** A JSON file's value; null when it is missing or torn. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
