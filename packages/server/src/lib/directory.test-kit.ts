/** Directories that are gone with the tests they were made for. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'

const make = (): string => mkdtempSync(join(tmpdir(), 'slipway-test-'))
/** A process that is ending may still write a last file. */
const remove = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 5 })

/** A directory for each test; gives paths in it. */
export function directoryForEach(): (...names: string[]) => string {
  let dir = ''
  beforeEach(() => {
    dir = make()
  })
  afterEach(() => remove(dir))
  return (...names) => join(dir, ...names)
}

/** A directory for all tests; gives paths in it. */
export function directoryForAll(): (...names: string[]) => string {
  let dir = ''
  beforeAll(() => {
    dir = make()
  })
  afterAll(() => remove(dir))
  return (...names) => join(dir, ...names)
}

/** A directory for all tests that is there at once, for what a file sets up before them. */
export function directoryOfFile(): string {
  const dir = make()
  afterAll(() => remove(dir))
  return dir
}

/** A directory for the test that runs, gone after all that it puts in order at its end. */
export function directoryOfTest(): string {
  const dir = make()
  onTestFinished(() => remove(dir))
  return dir
}
