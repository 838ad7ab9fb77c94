// @module-tag full
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { makeOutcomes } from './backup/outcomes.ts'
import { directoryPlace, hasRestic, type Settings } from './backup/outside.test-kit.ts'
import { openPrograms } from './backup/programs.test-kit.ts'

const { home, installation, run } = openPrograms()

const found = async (name: string, env: Settings) => {
  const { status, printed } = await run('doctor-backups.ts', await installation(name, env))
  expect(status).toBe(0)
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

it('says so plainly where none are configured, and leaves wrong settings to their own lines', async () => {
  expect(await found('none', {})).toMatchObject([{ state: 'note', name: 'backups' }])
  expect(await found('wrong', { SLIPWAY_BACKUP_SCHEDULE: '6h' })).toMatchObject([{ state: 'note' }])
})

it.skipIf(!hasRestic)('asks the place itself, and changes nothing there or here', async () => {
  const settings: Settings = { ...(await directoryPlace(home)), SLIPWAY_BACKUP_SCHEDULE: '6h' }
  const { SLIPWAY_BACKUP_REPOSITORY: repository = '', SLIPWAY_BACKUP_PASSWORD_FILE: password = '' } = settings
  const init = ['init', '--no-cache', '--repo', repository, '--password-file', password]
  expect(await found('first', settings)).toMatchObject([
    { state: 'bad', text: expect.stringContaining('There is no repository at') as string },
  ])
  execFileSync('restic', init, { stdio: 'pipe' })
  expect(await found('first', settings)).toMatchObject([{ state: 'note' }])

  const { dataDir } = await installation('first')
  await mkdir(dataDir, { recursive: true })
  const record = (make: () => Promise<void>) =>
    makeOutcomes(dataDir)
      .record(make, () => ({ id: 'x', bytes: 1, added_bytes: 1, left_out: 0 }))
      .catch(() => undefined)
  await record(async () => {})
  const before = await readdir(repository, { recursive: true })
  expect(await found('first', settings)).toMatchObject([{ state: 'good' }])
  expect(await readdir(repository, { recursive: true })).toEqual(before)
  expect(await readdir(dataDir)).toEqual(['backup-outcomes.json'])

  await record(() => Promise.reject(new Error('The disk is full.')))
  await rm(repository, { recursive: true })
  expect(await found('first', settings)).toMatchObject([
    { state: 'bad', text: expect.stringContaining(repository) as string },
    { state: 'bad', text: expect.stringContaining('The disk is full.') as string },
  ])
})
