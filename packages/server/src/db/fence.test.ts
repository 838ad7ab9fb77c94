// @module-tag both-databases
/** Writes under the number of a lease, which PostgreSQL refuses when that is over. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { underLease } from '../lib/fence.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { databaseProblem, LeaseLost } from './errors.ts'
import { type Contender, contender } from './lease.test-kit.ts'
import { lookMs, termMs } from './lease-row.ts'
import { migrate } from './migrate.ts'
import { type Db, openDatabase } from './open.ts'

let url: string
let db: Db
let first: Contender
let second: Contender
beforeEach(async () => {
  if (!onPostgres) return
  url = await createDatabase()
  db = openDatabase({ url })
  await migrate(db, null)
  first = contender(url, 'first')
  second = contender(url, 'second')
})
afterEach(async () => {
  await first?.end()
  await second?.end()
  await db?.destroy()
})

const insert = (to: Db, id: number) =>
  to.insertInto('seen_time').values({ id, trusted_ms: 0, watched_ms: 0 }).execute()
const ids = async () =>
  (await db.selectFrom('seen_time').select('id').orderBy('id').execute()).map(({ id }) => id)

/** The second takes the lease from one that was not heard of for a term. */
async function takeOver() {
  void second.wait()
  // A beat that was under way may be seen late.
  for (let i = 0; i < 3 && second.result() === null; i++) await second.clock.advance(termMs + lookMs)
  expect(second.result()).toBe(2)
}

describe.runIf(onPostgres)('what is written under a lease', () => {
  it('is stored while its number is that of the lease', async () => {
    await first.wait()
    await underLease(1, async () => {
      await insert(db, 1)
      await db.transaction().execute((tx) => insert(tx, 2))
    })
    expect(await ids()).toEqual([1, 2])
  })

  it('is refused afterwards, alone and in a transaction, with a sentence; what is read is not', async () => {
    await first.wait()
    await takeOver()
    let began = false
    const refusals = await underLease(1, () =>
      Promise.all(
        [
          insert(db, 1),
          db.transaction().execute(async (tx) => {
            began = true
            await insert(tx, 2)
          }),
          db.deleteFrom('lease').execute(),
        ].map((write) => write.catch((error: unknown) => error)),
      ),
    )
    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(LeaseLost)
      expect(databaseProblem(refusal)).toBe('Another server has taken over. Try again.')
    }
    expect(began).toBe(false)
    expect(await underLease(1, ids)).toEqual([])
    await underLease(1, () =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute(async () => {}),
    )
    // The same connection goes on for others, and requests of users are nobody's lease.
    await underLease(2, () => insert(db, 3))
    await insert(db, 4)
    expect(await ids()).toEqual([3, 4])
  })

  it('is refused when nobody ever took the lease', async () => {
    await expect(underLease(1, () => insert(db, 1))).rejects.toBeInstanceOf(LeaseLost)
  })

  it('in a transaction that was begun before another took the lease is stored before that', async () => {
    await first.wait()
    const { promise: wait, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
    const writing = underLease(1, () =>
      db.transaction().execute(async (tx) => {
        await insert(tx, 1)
        begins()
        await wait
        await insert(tx, 2)
      }),
    )
    await begun
    await first.lease.release()
    const taking = second.wait()
    expect(second.result()).toBeNull()
    goOn()
    await writing
    await taking
    expect([second.result(), await ids()]).toEqual([2, [1, 2]])
  })

  it('is refused when it has waited for the one who takes the lease', async () => {
    await first.wait()
    const [other, third] = [openDatabase({ url }), openDatabase({ url })]
    const waiting = async (count: number) =>
      expect
        .poll(async () => (await sql`select from pg_locks where not granted`.execute(db)).rows)
        .toHaveLength(count)
    let late: Promise<unknown> = Promise.resolve()
    let taking: Promise<unknown> = Promise.resolve()
    await other.transaction().execute(async () => {
      await first.lease.release()
      taking = second.wait()
      await waiting(1)
      late = underLease(1, () => insert(third, 1)).catch((error: unknown) => error)
      await waiting(2)
    })
    expect(await late).toBeInstanceOf(LeaseLost)
    await taking
    expect([second.result(), await ids()]).toEqual([2, []])
    await other.destroy()
    await third.destroy()
  })

  it('never sees the number of another lease, however they meet', async () => {
    await first.wait()
    const seen: (number | undefined)[] = []
    const write = (id: number) =>
      underLease(1, () =>
        db.transaction().execute(async (tx) => {
          await insert(tx, id)
          seen.push((await tx.selectFrom('lease').select('number').executeTakeFirst())?.number)
        }),
      )
    let refusal: unknown = null
    const writing = (async () => {
      for (let id = 1; !refusal; id++)
        await write(id).catch((error: unknown) => {
          refusal = error
        })
    })()
    await expect.poll(() => seen).not.toEqual([])
    await first.lease.release()
    await second.wait()
    await writing
    expect(refusal).toBeInstanceOf(LeaseLost)
    expect(new Set(seen)).toEqual(new Set([1]))
    expect(await ids()).toHaveLength(seen.length)
  })
})

const module = (name: string) => JSON.stringify(path.join(import.meta.dirname, name))
/** Drives, until it is stopped in the middle of a transaction; then goes on. Says what became of each write. */
const program = `
  const { openDatabase } = await import(${module('open.ts')})
  const { makeLease } = await import(${module('lease.ts')})
  const { underLease } = await import(${module('../lib/fence.ts')})
  const { once } = await import('node:events')
  const [url] = process.argv.slice(1)
  const db = openDatabase({ url })
  const lost = once(process, 'lost')
  const onLost = () => process.emit('lost')
  const lease = makeLease({ url, name: 'child', home: null, log: { warn() {} }, onLost })
  const say = (what) => console.log(JSON.stringify(what))
  const became = (writing) => writing.then(() => 'stored', (error) => error.constructor.name).then(say)
  const insert = (to, id) => to.insertInto('seen_time').values({ id, trusted_ms: 0, watched_ms: 0 }).execute()
  await underLease(await lease.take(new AbortController().signal), async () => {
    await became(db.transaction().execute(async (tx) => {
      await insert(tx, 1)
      say('in the middle')
      await once(process.stdin, 'data')
      await insert(tx, 2)
    }))
    await became(insert(db, 3))
    await became(db.transaction().execute((tx) => insert(tx, 4)))
  })
  await lost
  say(lease.number())
  process.exit()
`

describe.runIf(onPostgres)('a server that drives', () => {
  // Takes as long as PostgreSQL leaves a transaction to a process that stands still.
  it('and stands still in the middle of a transaction writes nothing any more when it goes on', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    try {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      const said = async () => JSON.parse((await lines.next()).value ?? '"nothing"')
      expect(await said()).toBe('in the middle')
      child.kill('SIGSTOP')
      child.stdin.write('go on\n')
      await takeOver()
      await underLease(2, () => insert(db, 10))
      child.kill('SIGCONT')
      expect([await said(), await said(), await said()]).toEqual(['DatabaseAway', 'LeaseLost', 'LeaseLost'])
      expect(await said()).toBeNull()
      await once(child, 'exit')
      expect(await ids()).toEqual([10])
    } finally {
      child.kill('SIGKILL')
    }
  })
})
