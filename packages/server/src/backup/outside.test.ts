// @module-tag full
// @module-tag long
/** Backups outside the host by the real programs and restic: made, listed, checked, thinned out and restored elsewhere. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { onPostgres } from '../db/database.test-kit.ts'
import type { DatabasePlace } from '../db/open.ts'
import { openDatabase } from '../db/open.ts'
import { digestOf, tablesOf } from '../db/tables.ts'
import { SIMULATED_FILE } from '../engine/simulated/kept.ts'
import { makeOutcomes } from './outcomes.ts'
import { directoryPlace, hasRestic, quickRepository, s3Place } from './outside.test-kit.ts'
import { openPrograms } from './programs.test-kit.ts'

const { home, installation, run, start, startServer } = openPrograms()
const seeded = { SLIPWAY_SEED: '1', SLIPWAY_SIMULATED_SPEED: '1000' }
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

const digests = async (place: DatabasePlace) => {
  const db = openDatabase(place)
  const found: Record<string, unknown> = {}
  // A backup is a row of the original that the backup does not have yet.
  for (const table of await tablesOf(db))
    if (table.name !== 'backup_run') found[table.name] = await digestOf(db, table)
  await db.destroy()
  return found
}
/** A guest that crashes by its name does so at every look of a program, and its console says so. */
const guestsIn = async (dir: string) =>
  (await readFile(path.join(dir, SIMULATED_FILE), 'utf8'))
    .split('\n')
    .filter((line) => !line.startsWith('["papers","'))
const idIn = (printed: string) =>
  /Backup (\d{8}-\d{6}-[0-9a-f]{6}) is in the repository/.exec(printed)?.[1] ?? ''

async function homeOf(name: string): Promise<string> {
  const own = path.join(home, name)
  await mkdir(own, { recursive: true })
  return own
}

describe.skipIf(!hasRestic)('a backup outside the host', () => {
  // repository.test and the backup of a real guest have one in a directory.
  it('in a repository on an S3 server is restored elsewhere when the installation is destroyed', async () => {
    const { settings, close } = await s3Place(await homeOf('place-s3'))
    closing.push(close)
    const first = await installation('first', { ...settings, ...seeded })
    const endServer = await startServer(first)
    const missing = await run('backup.ts', first, '--repository')
    expect(missing).toMatchObject({ status: 1 })
    expect(missing.printed).toContain('npm run backup -- --init')
    expect(await run('backup.ts', first, '--init')).toMatchObject({ status: 0 })
    const live = await run('backup.ts', first, '--repository')
    expect(live).toMatchObject({ status: 0 })
    await endServer()

    const rest = await run('backup.ts', first, '--repository')
    expect(rest).toMatchObject({ status: 0 })
    const listed = await run('backup.ts', first, '--list')
    expect(listed.printed.trim().split('\n')).toHaveLength(1)
    expect(listed.printed).toContain(idIn(rest.printed))
    expect((await run('backup.ts', first, '--check')).printed).toContain('is whole')
    expect((await readdir(first.dataDir)).filter((name) => name.endsWith('staging'))).toEqual([])

    // What the same installation is by a backup in a directory: guests that run are those of a host that went down.
    const plain = path.join(home, 'plain')
    expect(await run('backup.ts', first, plain)).toMatchObject({ status: 0 })
    const before = await digests(first.database)
    const guests = await guestsIn(path.join(plain, 'data'))
    await rm(first.dataDir, { recursive: true })
    const second = await installation('second', settings)
    const restored = await run('restore.ts', second, '--repository')
    expect(restored.printed).toContain(`Restoring backup ${idIn(rest.printed)}`)
    expect(restored).toMatchObject({ status: 0 })
    expect(await digests(second.database)).toEqual(before)
    expect(await guestsIn(second.dataDir)).toEqual(guests)
    const endSecond = await startServer({ ...second, env: { ...settings, SLIPWAY_BACKUP_SCHEDULE: '1h' } })
    // Its first one is due at once, and there is one of each data directory then.
    const outcomes = () => readFile(path.join(second.dataDir, 'backup-outcomes.json'), 'utf8').catch(() => '')
    await expect.poll(outcomes, { interval: 500 }).toContain('"good":{')
    await endSecond()
    expect((await run('backup.ts', second, '--list')).printed.trim().split('\n')).toHaveLength(2)
  })

  // What a process leaves is the same for either database.
  it.skipIf(onPostgres)(
    'that is killed in the middle counts as none and is told, and the next one removes it',
    async () => {
      const at = (name: string) => path.join(home, name)
      const [bin, gate, reached] = [at('bin'), at('gate'), at('reached')]
      await mkdir(bin)
      const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v restic'])
      // It stays in the second part of a backup, whose first part is stored, while there is a gate.
      await writeFile(
        path.join(bin, 'restic'),
        `#!/bin/sh
if [ "$1" = backup ] && [ -e "${gate}" ]; then
  case "$*" in *complete*) echo $$ > "${reached}"; while [ -e "${gate}" ]; do sleep 0.05; done ;; esac
fi
exec ${stdout.trim()} "$@"
`,
        { mode: 0o755 },
      )
      const settings = await directoryPlace(await homeOf('place-killed'))
      const PATH = `${bin}:${process.env.PATH}`
      const first = await installation('killed', { ...settings, ...seeded, PATH })
      await (await startServer(first))()
      await quickRepository(path.join(home, 'place-killed', 'repository'))
      await writeFile(gate, '')
      const half = start('backup.ts', first, '--repository')
      const pid = () => readFile(reached, 'utf8').catch(() => '')
      await expect.poll(pid).not.toBe('')
      // As when the power of the host fails.
      half.child.kill('SIGKILL')
      process.kill(Number(await pid()), 'SIGKILL')
      await half.ended
      await rm(gate)
      expect(await makeOutcomes(first.dataDir).read()).toMatchObject({
        good: null,
        failure: { message: expect.stringContaining('ended before the backup was complete') },
      })
      expect((await run('backup.ts', first, '--list')).printed).toContain('has no backup yet')

      const whole = await run('backup.ts', first, '--repository')
      expect(whole).toMatchObject({ status: 0 })
      expect(await readdir(first.dataDir)).not.toContain('backup-staging')
      expect(await makeOutcomes(first.dataDir).read()).toMatchObject({ failure: null, begun_at: null })
      const listed = await run('backup.ts', first, '--list')
      expect(listed.printed.trim().split('\n')).toEqual([expect.stringContaining(idIn(whole.printed))])
      expect(await readdir(path.join(home, 'place-killed', 'repository', 'snapshots'))).toHaveLength(2)
    },
    120_000,
  )
})
