// @module-tag full
/** What version 0.1.0 kept of VMs, disks and snapshots beside its database is found and used by this version. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite.ts'
import { volumeSpec, work } from '../engine/engine.test-kit.ts'
import type { Engine } from '../engine/engine.ts'
import { blankEngine } from '../engine/qemu/blank-images.test-kit.ts'
import { readHoldings } from '../engine/qemu/holdings.ts'
import { missing } from '../engine/qemu/qemu-engine.test-kit.ts'
import { run } from '../lib/command.ts'
import { layOutOldFiles, makeOldDatabase } from './upgrade.test-kit.ts'

describe.skipIf(missing !== undefined)('the files of version 0.1.0', () => {
  let dataDir: string
  let engine: Engine
  const ids: Record<'vm' | 'disk' | 'vm_snapshot' | 'disk_snapshot', Record<string, string>> = {
    vm: {},
    disk: {},
    vm_snapshot: {},
    disk_snapshot: {},
  }
  const idOf = (table: keyof typeof ids, name: string) => {
    const id = ids[table][name]
    if (!id) throw new Error(`no ${table} ${name}`)
    return id
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'slipway-upgrade-'))
    await layOutOldFiles(dataDir)
    const file = path.join(dataDir, 'slipway.sqlite')
    await makeOldDatabase(file)
    const db = openSqlite(file)
    await migrate(db, null)
    for (const table of ['vm', 'disk', 'vm_snapshot', 'disk_snapshot'] as const)
      for (const { id, name } of await db.selectFrom(table).select(['id', 'name']).execute())
        ids[table][name] = id
    await db.destroy()
    engine = await blankEngine(dataDir)
    await engine.open()
  })
  afterAll(async () => {
    await engine.deleteMachine(idOf('vm', 'web'))
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('belong to the objects of its database', async () => {
    expect(await readHoldings(dataDir)).toHaveLength(7)
    const orphans = await run(process.execPath, [path.join(import.meta.dirname, '../orphans.ts')], {
      env: { SLIPWAY_DATA_DIR: dataDir },
    })
    expect(JSON.parse(orphans)).toEqual([])
  })

  it('are whole: VMs, disks, and snapshots of both', async () => {
    for (const name of ['web', 'resting'])
      expect(await engine.inspect(idOf('vm', name))).toMatchObject({ power: 'off' })
    for (const name of ['ledger', 'noble'])
      expect(await engine.inspectVolume(idOf('disk', name))).toEqual({ state: 'whole', sizeBytes: 1024 ** 2 })
    expect(await engine.inspectSnapshot('machine', idOf('vm_snapshot', 'good'))).toEqual({ state: 'whole' })
    for (const name of ['monday', 'tuesday'])
      expect(await engine.inspectSnapshot('volume', idOf('disk_snapshot', name))).toEqual({ state: 'whole' })
  })

  it('are used: a disk from a snapshot, an incremental snapshot upon an old one', async () => {
    const source = { from: 'volume-snapshot', snapshotId: idOf('disk_snapshot', 'tuesday') } as const
    expect(await engine.createVolume(volumeSpec(randomUUID(), source, 0), work())).toMatchObject({
      sizeBytes: 1024 ** 2,
    })
    const parentId = idOf('disk_snapshot', 'tuesday')
    const made = await engine.createVolumeSnapshot(
      randomUUID(),
      { volumeId: idOf('disk', 'ledger'), parentId },
      work(),
    )
    expect(made.parentId).toBe(parentId)
  })

  it('start: a VM that is restored from a snapshot, with its disk', async () => {
    const [web, ledger] = [idOf('vm', 'web'), idOf('disk', 'ledger')]
    await engine.prepareRestore(web, { snapshotId: idOf('vm_snapshot', 'good'), volumeIds: [ledger] }, work())
    await engine.switchDisks(web, randomUUID(), work())
    // As the server does at its start: nobody has said before which project it is of.
    const network = { label: 'first', internet: true, names: { web: [web] } }
    await engine.putNetwork(randomUUID(), network)
    await engine.startMachine(web, { freshRoot: false, volumeIds: [ledger] })
    expect(await engine.inspect(web)).toMatchObject({ power: 'booting' })
    await engine.powerOff(web)
  })
})
