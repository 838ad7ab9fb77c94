/**
 * How servers on one PostgreSQL tell each other: by NOTIFY, in the order in which the database counts the messages. A
 * server that hears a number which does not follow on the last has missed something, and so has one whose connection
 * was lost, or beside which another server ended without a word: that one may have stored what it did not tell.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { makeEars, makeNoPeers, newEpoch, type Peers } from '../lib/peers.ts'
import type { DatabasePlace } from './open.ts'

const channel = 'slipway'
const connectMs = 5_000
const statementMs = 10_000
const retryMs = 500
const lookAroundMs = 2_000
/** A message of NOTIFY has less than 8,000 bytes. */
const mostBytes = 7_500
/** What waits while the database is away. Whoever would have to wait for more reads everything anew. */
const mostWaiting = 10_000
const farewellMs = 2_000

const spoken = z.object({
  from: z.string(),
  said: z.array(z.tuple([z.string(), z.unknown(), z.boolean()])),
})
/** Topic, body, and whether its sender hears it too. */
type Said = [topic: string, body: unknown, toAll: boolean]

const bytesOf = (one: Said): number => Buffer.byteLength(JSON.stringify(one))

/** Topics of this file's own. */
const bye = 'bye'
const missed = 'missed'

/** The other servers on a database of either kind. */
export const peersOn = async (place: DatabasePlace, log: Log): Promise<Peers> =>
  'url' in place ? openPeers({ url: place.url, log }) : makeNoPeers()

/** Connects to the other servers on a database whose schema is up to date. Throws when it cannot be reached. */
export async function openPeers({ url, log }: { url: string; log: Log }): Promise<Peers> {
  const name = randomUUID()
  const ears = makeEars()
  const onGaps: (() => void)[] = []
  const onBacks: (() => void)[] = []
  let epoch = ''
  let position = 0
  /** The count when this server began to listen. */
  let joined = 0
  let waiting: Said[] = []
  let telling: Promise<void> | null = null
  let around = new Set<string>()
  const left = new Set<string>()
  const ends = new AbortController()

  const connect = async (what: string): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: what,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + connectMs,
    })
    // It ends with an error and an end; the end is what counts.
    client.on('error', () => {})
    await client.connect()
    return client
  }

  function gap(): void {
    for (const listener of onGaps) listener()
  }

  function hearPayload(payload: string): void {
    const [, digits = '', json = ''] = /^(\d+) (.*)$/s.exec(payload) ?? []
    const { from, said } = spoken.parse(JSON.parse(json))
    const last = Number(digits)
    // What came between LISTEN and the look at the count is part of it.
    if (last <= joined) return
    if (last - said.length !== position) {
      position = last
      gap()
      return
    }
    for (const one of said) {
      position++
      hearOne(from, one)
    }
  }

  function hearOne(from: string, [topic, body, toAll]: Said): void {
    if (topic === bye) left.add(from)
    if (topic === missed) gap()
    if (from === name && !toAll) return
    const read = ears.read(topic, body)
    if (read === undefined) return
    for (const listener of ears.of(topic)) {
      try {
        listener(read, position)
      } catch (error) {
        log.error({ err: error, topic }, 'A message of a server could not be dealt with')
      }
    }
  }

  async function listen(): Promise<pg.Client> {
    const client = await connect(`slipway ${name}`)
    client.on('notification', ({ payload = '' }) => {
      try {
        hearPayload(payload)
      } catch (error) {
        log.error({ err: error }, 'A message of a server could not be read')
      }
    })
    try {
      await client.query(`listen ${channel}`)
      await client.query(
        'insert into revision (id, epoch, number) values (1, $1, 0) on conflict (id) do nothing',
        [newEpoch()],
      )
      const { rows } = await client.query<{ epoch: string; number: string }>(
        'select epoch, number from revision',
      )
      const number = Number(rows[0]?.number)
      epoch = rows[0]?.epoch ?? ''
      joined = number
      if (number !== position) {
        position = number
        gap()
      }
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return client
  }

  /** Keeps a connection until the end, and begins anew whenever it is lost. */
  async function keep(
    first: pg.Client,
    again: () => Promise<pg.Client>,
    use: (client: pg.Client | null) => void,
  ) {
    for (let client: pg.Client | null = first; !ends.signal.aborted; ) {
      if (client) {
        const over = new Promise((resolve) => client?.once('end', resolve))
        use(client)
        await over
        use(null)
      } else {
        await sleep(retryMs, undefined, { ref: false })
      }
      client = ends.signal.aborted ? null : await again().catch(() => null)
    }
  }

  let listener: pg.Client | null = null
  let teller: pg.Client | null = null

  function say(topic: string, body: unknown, toAll: boolean): void {
    const one: Said = [topic, body, toAll]
    if (waiting.length >= mostWaiting) waiting = [[missed, null, true]]
    waiting.push(bytesOf(one) > mostBytes ? [missed, null, true] : one)
    wake()
  }

  function wake(): void {
    if (telling !== null || teller === null || waiting.length === 0) return
    telling = tellAll(teller).finally(() => {
      telling = null
    })
    inBackground(log, 'telling other servers', telling)
  }

  async function tellAll(client: pg.Client): Promise<void> {
    // What is told in one go is one message.
    await null
    while (waiting.length > 0 && client === teller) {
      const said = take()
      const text = JSON.stringify({ from: name, said })
      try {
        await client.query(
          `with counted as (update revision set number = number + $1 where id = 1 returning number)
           select pg_notify('${channel}', counted.number || ' ' || $2) from counted`,
          [said.length, text],
        )
      } catch (error) {
        // Whether it was told is not known; hearing twice does no harm.
        waiting = [...said, ...waiting]
        await client.end().catch(() => {})
        throw error
      }
    }
  }

  /** As much of what waits as fits into a message. */
  function take(): Said[] {
    let bytes = 0
    let count = 0
    for (const one of waiting) {
      bytes += bytesOf(one) + 1
      if (bytes > mostBytes && count > 0) break
      count++
    }
    return waiting.splice(0, count)
  }

  /** Whether a server is not there any more that did not say goodbye. */
  async function lookAround(): Promise<void> {
    const { rows } = (await teller?.query<{ name: string }>(
      `select substr(application_name, 9) as name from pg_stat_activity
       where datname = current_database() and application_name like 'slipway ________-____-____-____-____________'`,
    )) ?? { rows: null }
    if (!rows) return
    const now = new Set(rows.map((row) => row.name))
    const lost = [...around].some((one) => !now.has(one) && !left.has(one) && one !== name)
    around = now
    if (lost) gap()
  }

  listener = await listen()
  teller = await connect('slipway teller')
  const kept = [
    keep(listener, listen, (client) => {
      const isBack = client !== null && listener === null
      listener = client
      if (isBack) for (const one of onBacks) one()
    }),
    keep(
      teller,
      () => connect('slipway teller'),
      (client) => {
        teller = client
        if (client) wake()
      },
    ),
  ]
  const looking = setInterval(
    () => inBackground(log, 'looking for other servers', lookAround()),
    lookAroundMs,
  )
  looking.unref()

  return {
    get epoch() {
      return epoch
    },
    position: () => position,
    tell: (topic, body) => say(topic.name, body, true),
    tellOthers: (topic, body) => say(topic.name, body, false),
    hear: ears.hear,
    onGap: (one) => void onGaps.push(one),
    onBack: (one) => void onBacks.push(one),
    async close() {
      clearInterval(looking)
      say(bye, null, false)
      await Promise.race([telling, sleep(farewellMs, undefined, { ref: false })]).catch(() => {})
      ends.abort()
      await Promise.all([listener?.end(), teller?.end()].map((end) => end?.catch(() => {})))
      await Promise.race([Promise.all(kept), sleep(farewellMs, undefined, { ref: false })])
    },
  }
}
