import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { missingBallast, openToOthers } from './data-directory.mjs'

const dir = mkdtempSync(join(tmpdir(), 'slipway-doctor-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('names a data directory that others may enter, with what they could read there', () => {
  writeFileSync(join(dir, 'slipway.sqlite'), '')
  chmodSync(join(dir, 'slipway.sqlite'), 0o644)
  writeFileSync(join(dir, 'metrics.token'), '', { mode: 0o600 })
  mkdirSync(join(dir, 'outbox'), { mode: 0o700 })
  symlinkSync('/usr', join(dir, 'elsewhere'))
  chmodSync(dir, 0o755)
  expect(openToOthers(dir)).toEqual([
    { path: dir, mode: '0755' },
    { path: join(dir, 'slipway.sqlite'), mode: '0644' },
  ])
})

it('says nothing of one that is closed, whatever lies in it', () => {
  chmodSync(dir, 0o700)
  expect(openToOthers(dir)).toEqual([])
})

it('counts what was given up of the ballast, once a server has made it', () => {
  expect(missingBallast(dir)).toBe(null)
  mkdirSync(join(dir, 'ballast'))
  for (let piece = 0; piece < 8; piece++) writeFileSync(join(dir, 'ballast', `${piece}`), '')
  expect(missingBallast(dir)).toBe(0)
  rmSync(join(dir, 'ballast', '3'))
  mkdirSync(join(dir, 'machines', '.ballast'), { recursive: true })
  expect(missingBallast(dir)).toBe(9)
})
