import { open } from 'node:fs/promises'

/** Waits until a file's bytes, or a directory's names, are on the disk. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}
