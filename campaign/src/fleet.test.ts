import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { balance } from './balancer.ts'
import { processOf } from './holder.ts'
import { isUndisturbed, isUnnoticed, makeTroubles, slowMs, type Trouble, worse } from './trouble.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server that answers its name, and never to `/hang`. */
async function serve(name: string): Promise<{ url: string; server: HttpServer; end: () => void }> {
  const server = createServer((request, response) => void (request.url === '/hang' || response.end(name)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    server.close()
    server.closeAllConnections()
  }
  ends.push(end)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, server, end }
}

describe('the balancer', () => {
  /** A new connection each time. */
  const ask = async (url: string) =>
    (await fetch(url, { headers: { connection: 'close' } })).text().catch(() => 'broken')

  it('takes each connection to the server that is chosen for it, and breaks those that have none', async () => {
    const [one, other] = [await serve('one'), await serve('other')]
    const chosen = [one.url, other.url, null, one.url]
    const { url, close } = await balance(() => chosen.shift() ?? null)
    ends.push(close)
    expect([await ask(url), await ask(url)]).toEqual(['one', 'other'])
    await expect(ask(url)).rejects.toThrow()
    expect(await ask(url)).toBe('one')
  })

  it('breaks the connections of a server that ends, and tries nothing again', async () => {
    const [one, other] = [await serve('one'), await serve('other')]
    const chosen = [one.url, other.url]
    const balancer = await balance(() => chosen.shift() ?? null)
    const { url, close } = balancer
    ends.push(close)
    const arrived = once(one.server, 'request')
    const waiting = ask(`${url}/hang`).catch(() => 'broken')
    await arrived
    expect([balancer.connectionsTo(one.url), balancer.connectionsTo(other.url)]).toEqual([1, 0])
    one.end()
    expect(await waiting).toBe('broken')
    expect(await ask(url)).toBe('other')
  })
})

describe('the trouble of several servers', () => {
  it('excuses a call by the worst that happened while it was under way', () => {
    const { begin, watch } = makeTroubles()
    const [calm, early] = [watch(), watch()]
    expect(calm()).toBe('none')
    const frozen = begin('stands still')
    const late = watch()
    const away = begin('nobody drives')
    frozen()
    const last = watch()
    away()
    expect([early(), late(), last(), watch()()]).toEqual([
      'stands still',
      'stands still',
      'nobody drives',
      'none',
    ])
  })

  it('lets the calls of an account wait for its own flood, and for nothing else that answers', () => {
    expect(slowMs.floods).toBeGreaterThan(slowMs.none)
    expect(['none', 'floods', 'nobody drives'].map((trouble) => isUndisturbed(trouble as Trouble))).toEqual([
      true,
      true,
      false,
    ])
    expect([worse('none', 'floods'), worse('down', 'floods')]).toEqual(['floods', 'down'])
  })

  it('lets calls take longer that wait for another server, and excuses no reading for it', () => {
    expect(slowMs['nobody drives']).toBeGreaterThan(slowMs.none)
    expect([isUnnoticed('nobody drives'), isUnnoticed('database away')]).toEqual([true, false])
  })
})

it('the process that drives is named in the lease', () => {
  expect(processOf('host-1, process 4711 (0a1b2c3d)')).toBe(4711)
  expect(processOf('')).toBe(0)
})
