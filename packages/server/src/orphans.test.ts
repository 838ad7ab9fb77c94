import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { migrate } from './db/migrate.ts'
import { openSqlite } from './db/sqlite.ts'
import { run } from './lib/command.ts'
import { directoryOfFile } from './lib/directory.test-kit.ts'
import { newId } from './lib/id.ts'

const dataDir = directoryOfFile()

test('what belongs to no object is told, with its path and size, and stays where it is', async () => {
  const program = path.join(import.meta.dirname, 'orphans.ts')
  const find = async () =>
    JSON.parse(await run(process.execPath, [program], { env: { SLIPWAY_DATA_DIR: dataDir } }))
  expect(await find()).toEqual([])

  const db = openSqlite(path.join(dataDir, 'slipway.sqlite'))
  await migrate(db, null)
  const [owned, lost, snapshot] = [newId(), newId(), newId()]
  await db
    .insertInto('disk')
    .values({
      ...{ id: owned, project_id: null, vm_id: null, name: 'd', description: '' },
      ...{ status: 'deleting', status_message: null, size_bytes: 1, source: 'EMPTY' },
      ...{ image_url: null, image_sha256: null, snapshot_id: null, snapshot_kind: null },
      ...{ plugged: 0, detaching: 0, created_at: '', status_since: '' },
    })
    .execute()
  await db.destroy()
  const aside = `machines-${newId()}-2026-11-22T101500.000Z`
  for (const folder of ['volumes', `snapshots/${snapshot}`, `orphans/${aside}`]) {
    await mkdir(path.join(dataDir, folder), { recursive: true })
  }
  const at = (...names: string[]) => path.join(dataDir, ...names)
  const file = (id: string) => at('volumes', `${id}.qcow2`)
  for (const id of [owned, lost]) await writeFile(file(id), 'x'.repeat(8192))
  await writeFile(at('snapshots', snapshot, 'root.qcow2'), 'x'.repeat(4096))

  const expected = [
    { kind: 'volume', id: lost, path: file(lost), bytes: 8192 },
    { kind: 'machine snapshot', id: snapshot, path: at('snapshots', snapshot), bytes: 4096 },
    { kind: 'directory moved aside', id: aside, path: at('orphans', aside), bytes: 0 },
  ]
  expect(await find()).toEqual(expected)
  expect(await find()).toEqual(expected)
})
