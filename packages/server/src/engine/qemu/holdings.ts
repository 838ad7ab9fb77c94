import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere } from './durable.ts'

/** Something that lies in the data directory and belongs to one object of the console. */
export interface Holding {
  kind: 'machine' | 'volume' | 'machine snapshot' | 'volume snapshot' | 'directory moved aside'
  /** Of the object; of what was moved aside, its name. */
  id: string
  path: string
  /** Size on disk of the host. */
  bytes: number
}

const places = [
  { kind: 'machine', folder: 'machines', name: /^([0-9a-f-]{36})$/ },
  { kind: 'volume', folder: 'volumes', name: /^([0-9a-f-]{36})\.qcow2$/ },
  { kind: 'machine snapshot', folder: 'snapshots', name: /^([0-9a-f-]{36})$/ },
  { kind: 'volume snapshot', folder: 'volume-snapshots', name: /^([0-9a-f-]{36})\.qcow2$/ },
  { kind: 'directory moved aside', folder: 'orphans', name: /^(.+)$/ },
] as const

/** Everything the QEMU engine keeps in a data directory. Only looks, so it may run beside a server. */
export async function readHoldings(dataDir: string): Promise<Holding[]> {
  const found: Holding[] = []
  for (const { kind, folder, name } of places) {
    const dir = join(dataDir, folder)
    for (const entry of (await ifThere(dir, readdir(dir))) ?? []) {
      const id = name.exec(entry)?.[1]
      const path = join(dataDir, folder, entry)
      if (id !== undefined) found.push({ kind, id, path, bytes: await bytesIn(path) })
    }
  }
  return found
}

/** What a file or a folder takes; 0 when it is gone meanwhile. */
async function bytesIn(path: string): Promise<number> {
  const entry = await ifThere(path, stat(path))
  if (!entry) return 0
  if (!entry.isDirectory()) return entry.blocks * 512
  let bytes = 0
  for (const name of (await ifThere(path, readdir(path))) ?? []) bytes += await bytesIn(join(path, name))
  return bytes
}
