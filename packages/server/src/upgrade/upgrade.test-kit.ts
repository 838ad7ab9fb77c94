/** Data directories as old versions of Slipway left them. */
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { run } from '../lib/command.ts'

/** Makes the database that version 0.1.0 left: `0.1.0/slipway.sql`. */
export async function makeOldDatabase(file: string): Promise<void> {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec(await readFile(path.join(import.meta.dirname, '0.1.0/slipway.sql'), 'utf8'))
  db.close()
}

/**
 * Lays out the files of some of its VMs, disks and snapshots: records as they were, and disks that hold nothing. Their
 * data directory was `/var/lib/slipway`, which version 0.1.0 wrote into records and disks.
 */
export async function layOutOldFiles(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await cp(path.join(import.meta.dirname, '0.1.0/files'), dataDir, { recursive: true })
  const packed = path.join(dataDir, 'disks.tar.gz')
  await run('tar', ['-xzf', packed, '--no-same-owner', '-C', dataDir])
  await rm(packed)
}
