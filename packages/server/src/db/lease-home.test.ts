// @module-tag both-databases
/** Databases in PostgreSQL that belong to one data directory, and what makes them another one's. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../lib/command.ts'
import { directoryId } from '../lib/directory-id.ts'
import { type HandClock, makeHandClock } from '../lib/hand-clock.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { contender } from './lease.test-kit.ts'
import { adoptHome, HomeElsewhere, requireHome } from './lease-home.ts'
import { beatMs, lookMs, termMs } from './lease-row.ts'
import { migrate } from './migrate.ts'
import { type Db, openDatabase } from './open.ts'

let url: string
let db: Db
let closing: (() => Promise<unknown>)[]
beforeEach(async () => {
  closing = []
  if (!onPostgres) return
  url = await createDatabase()
  db = openDatabase({ url })
  closing.push(() => db.destroy())
  await migrate(db, null)
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

function server(name: string, home: string | null) {
  const made = contender(url, name, home)
  closing.push(made.end)
  return made
}
const row = () => db.selectFrom('lease').select(['number', 'holder', 'home']).executeTakeFirst()
const ignore = () => {}

describe.runIf(onPostgres)('a database whose VMs only one host can run', () => {
  it('belongs to the data directory whose server took the lease first; another one is told which, and what to do', async () => {
    const here = server('server here', 'home-here')
    await here.wait()
    expect(await row()).toEqual({ number: 1, holder: 'server here', home: 'home-here' })
    const there = server('server there', 'home-there')
    await there.wait()
    expect(there.result()).toBeInstanceOf(HomeElsewhere)
    expect(`${there.result()}`).toMatch(
      /another data directory: home-here, used by server here\. .*Only the server of that directory.*npm run database -- adopt/,
    )
    await here.end()
    await there.wait()
    expect(`${there.result()}`).toContain('another data directory: home-here. ')
    const again = server('server here, later', 'home-here')
    await again.wait()
    expect(again.result()).toBe(2)
  })

  it('stays so while servers drive it that can run them anywhere, and is nobody’s when only those did', async () => {
    const free = server('free', null)
    await free.wait()
    expect((await row())?.home).toBeNull()
    await free.lease.release()
    const here = server('here', 'home-here')
    await here.wait()
    await here.lease.release()
    await free.wait()
    expect(await row()).toEqual({ number: 3, holder: 'free', home: 'home-here' })
  })

  it('is backed up from that data directory only', async () => {
    await requireHome(url, null)
    const here = server('here', 'home-here')
    await here.wait()
    await requireHome(url, 'home-here')
    for (const other of ['home-there', null])
      await expect(requireHome(url, other)).rejects.toBeInstanceOf(HomeElsewhere)
    await requireHome(await createDatabase(), 'home-there')
  })
})

describe.runIf(onPostgres)('a database that another data directory adopts', () => {
  /** Adopts on a clock that moves until that has come to its end. */
  async function adopt(clock: HandClock, meanwhile: () => Promise<unknown> = async () => {}) {
    const said: string[] = []
    let isOver = false
    const adopting = adoptHome(url, 'home-there', (line) => said.push(line), clock).finally(() => {
      isOver = true
    })
    adopting.catch(ignore)
    while (!isOver) {
      await meanwhile()
      await clock.advance(lookMs)
    }
    await adopting
    return said.join()
  }

  it('is that one’s from then on, and the first one’s server is refused', async () => {
    const here = server('here', 'home-here')
    await here.wait()
    await here.lease.release()
    const said = await adopt(makeHandClock())
    expect(said).toMatch(
      /belong to the data directory home-here.* to this one \(home-there\).*will show an error/,
    )
    await here.wait()
    expect(here.result()).toBeInstanceOf(HomeElsewhere)
    const there = server('there', 'home-there')
    await there.wait()
    expect(await row()).toEqual({ number: 3, holder: 'there', home: 'home-there' })
  })

  it('is so only when its holder was not heard of for a term, and that has lost the lease then', async () => {
    const here = server('here', 'home-here')
    await here.wait()
    await expect(adopt(makeHandClock(), () => here.clock.advance(beatMs))).rejects.toThrow(
      'A server is using the database (here). Nothing was changed. Stop it first.',
    )
    expect(await row()).toEqual({ number: 1, holder: 'here', home: 'home-here' })
    const clock = makeHandClock()
    await adopt(clock)
    expect(clock.monotonic()).toBeGreaterThanOrEqual(termMs)
    await here.clock.advance(beatMs)
    expect([here.lease.number(), here.lost.length]).toEqual([null, 1])
  })

  it('is refused where there is nothing to do', async () => {
    await expect(adopt(makeHandClock())).rejects.toThrow('does not belong to a data directory yet')
    const there = server('there', 'home-there')
    await there.wait()
    await expect(adopt(makeHandClock())).rejects.toThrow('belongs to this data directory already')
  })

  it('is by a program, for the data directory that it is given', async () => {
    const here = server('here', 'home-here')
    await here.wait()
    await here.lease.release()
    const dir = await mkdtemp(path.join(tmpdir(), 'slipway-adopt-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const program = (env: Record<string, string>) =>
      run(process.execPath, [path.join(import.meta.dirname, '../database.ts'), 'adopt'], { env })
    await expect(program({ SLIPWAY_DATA_DIR: dir })).rejects.toThrow('Set SLIPWAY_DATABASE_URL')
    const said = await program({ SLIPWAY_DATA_DIR: dir, SLIPWAY_DATABASE_URL: url })
    const mine = await directoryId(dir)
    expect(said).toContain(`(${mine})`)
    expect(said).toContain('Done. Start the server.')
    expect((await row())?.home).toBe(mine)
  })
})
