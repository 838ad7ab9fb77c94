import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HandClock, makeHandClock } from '../../../lib/hand-clock.ts'
import { silentLog } from '../../../lib/log.ts'
import type { KubeClient } from './kube-client.ts'
import {
  type Box,
  bookmark,
  box,
  boxes,
  event,
  isWatch,
  json,
  page,
  refusal,
  serveKube,
} from './kube-server.test-kit.ts'
import { makeReflector } from './reflector.ts'

type Told = [key: string, before: string | null, now: string | null]

/** A reflector that keeps of each box its word `x`, and what it told. */
function reflect(client: Pick<KubeClient, 'list' | 'watch'>, clock: HandClock, more = {}) {
  const told: Told[] = []
  const reflector = makeReflector({
    client,
    clock,
    log: silentLog,
    kind: boxes,
    trim: ({ data }: Box) => ({ x: data?.x ?? '' }),
    indexes: { byX: ({ x }) => (x === '' ? [] : [x]) },
    random: () => 0,
    ...more,
  })
  reflector.onChange((key, before, now) => told.push([key, before?.x ?? null, now?.x ?? null]))
  onTestFinished(() => reflector.close())
  return { reflector, told }
}

/**
 * A cluster whose state the test sets: `lists` and `watches` count what was asked from which version on, `open` is the
 * watch under way. Once a test spoils a request with `spoil` it is answered by that instead.
 */
async function playCluster() {
  const clock = makeHandClock()
  const play = {
    clock,
    items: [] as Box[],
    version: 10,
    lists: [] as string[],
    watches: [] as string[],
    open: null as ServerResponse | null,
    spoil: null as ((answer: ServerResponse, url: URL) => boolean) | null,
    tell: (line: string) => play.open?.write(line),
    /** Waits until a watch is open that was asked for from this version on. */
    watched: (from: number) =>
      expect.poll(() => (play.open?.writable ? play.watches.at(-1) : null)).toBe(String(from)),
    client: null as unknown as KubeClient,
  }
  const kube = await serveKube((_request, answer, url) => {
    const query = url.searchParams
    if (isWatch(url)) play.watches.push(query.get('resourceVersion') ?? '')
    else play.lists.push(query.get('continue') ?? '')
    if (play.spoil?.(answer, url)) return
    if (!isWatch(url)) return json(answer, 200, page(play.items, play.version))
    answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    play.open = answer
  })
  play.client = kube.client({ clock, qps: 1_000_000, burst: 1_000_000 })
  return play
}

/** Lets time pass in small steps until something is true. */
async function until(clock: HandClock, isTrue: () => boolean): Promise<void> {
  const later = async () => {
    await clock.advance(1_000)
    return isTrue()
  }
  await expect.poll(later, { interval: 2 }).toBe(true)
}

describe('a reflector', () => {
  it('lists page by page, watches from there on, and answers from memory', async () => {
    const play = await playCluster()
    play.spoil = (answer, url) => {
      if (isWatch(url)) return false
      const next = url.searchParams.get('continue')
      expect(url.searchParams.get('limit')).toBe('2')
      if (next === null) json(answer, 200, page([box('a', 1, { x: 'red' }), box('b', 2)], 10, 'more'))
      else json(answer, 200, page([box('c', 3, { x: 'red' })], 10))
      return true
    }
    const { reflector, told } = reflect(play.client, play.clock, { pageSize: 2 })
    expect(reflector.isSynced()).toBe(false)
    expect(reflector.staleSince()).not.toBeNull()
    await reflector.synced
    await play.watched(10)
    expect(play.lists).toEqual(['', 'more'])
    expect(reflector.all()).toEqual([{ x: 'red' }, { x: '' }, { x: 'red' }])
    expect(reflector.by('byX', 'red')).toHaveLength(2)

    // Cut in the middle of a line: it is one line all the same.
    const line = event('MODIFIED', box('a', 11, { x: 'blue' })) + event('DELETED', box('b', 12))
    play.tell(line.slice(0, 40))
    await play.clock.advance(0)
    play.tell(line.slice(40))
    await expect.poll(() => reflector.size()).toBe(2)
    expect(reflector.get('a/a')).toEqual({ x: 'blue' })
    expect(reflector.by('byX', 'red')).toEqual([{ x: 'red' }])
    expect(reflector.staleSince()).toBeNull()
    expect(told.slice(3)).toEqual([
      ['a/a', 'red', 'blue'],
      ['a/b', '', null],
    ])
  })

  it('goes on from the last version it heard of when the watch is cut, ended or told a bookmark', async () => {
    const play = await playCluster()
    const { reflector } = reflect(play.client, play.clock)
    await play.watched(10)
    play.tell(event('ADDED', box('a', 11)))
    await expect.poll(() => reflector.size()).toBe(1)
    play.open?.destroy()
    await play.watched(11)
    play.tell(bookmark(50))
    play.open?.end()
    await play.watched(50)
    play.tell(`${event('ADDED', box('b', 51))}{"type":"ADDED","object":{"meta`)
    await expect.poll(() => reflector.size()).toBe(2)
    play.open?.destroy()
    await play.watched(51)
    expect(play.lists).toHaveLength(1)
    expect(reflector.staleSince()).toBeNull()
  })

  it.each([
    ['an ERROR event in a good answer', true],
    ['a status', false],
  ])('lists anew on 410 as %s, and tells what was deleted meanwhile', async (_how, isEvent) => {
    const play = await playCluster()
    play.items = [box('a', 1, { x: 'old' }), box('b', 2), box('c', 3)]
    const { reflector, told } = reflect(play.client, play.clock)
    await play.watched(10)
    told.length = 0
    play.items = [box('a', 21, { x: 'new' }), box('c', 3)]
    play.version = 30
    const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }
    if (isEvent) play.tell(event('ERROR', gone))
    else {
      play.spoil = (answer, url) => {
        if (!isWatch(url) || url.searchParams.get('resourceVersion') !== '10') return false
        refusal(answer, 410, 'Expired', 'too old resource version')
        return true
      }
      play.open?.destroy()
    }
    await until(play.clock, () => play.watches.at(-1) === '30')
    expect(told).toEqual([
      ['a/a', 'old', 'new'],
      ['a/b', '', null],
    ])
    expect(reflector.size()).toBe(2)
  })

  it('takes in only what has changed when it lists anew', async () => {
    const play = await playCluster()
    play.items = Array.from({ length: 100 }, (_, i) => box(`box-${i}`, i + 1))
    play.version = 200
    const trimmed: string[] = []
    reflect(play.client, play.clock, {
      trim: ({ metadata }: Box) => {
        trimmed.push(metadata.name)
        return { x: '' }
      },
    })
    await play.watched(200)
    expect(trimmed).toHaveLength(100)
    play.items[7] = box('box-7', 250)
    play.version = 300
    play.tell(event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }))
    await until(play.clock, () => play.watches.at(-1) === '300')
    expect(trimmed.slice(100)).toEqual(['box-7'])
  })

  it('begins its list anew when a page has expired', async () => {
    const play = await playCluster()
    let expired = 0
    play.spoil = (answer, url) => {
      if (isWatch(url)) return false
      const next = url.searchParams.get('continue')
      if (next !== null && expired++ === 0)
        refusal(answer, 410, 'Expired', 'The continue parameter is too old')
      else if (next === null) json(answer, 200, page([box('a', 1)], 10, 'more'))
      else json(answer, 200, page([box('b', 2)], 10))
      return true
    }
    const { reflector } = reflect(play.client, play.clock)
    await until(play.clock, () => reflector.isSynced())
    expect(play.lists).toEqual(['', 'more', '', 'more'])
    expect(reflector.size()).toBe(2)
  })

  it.each([
    ['after a bookmark', bookmark(12), '12'],
    ['from the beginning', '', '10'],
  ])(
    'opens a watch anew that is silent %s, and says since when it may be behind',
    async (_when, said, from) => {
      const play = await playCluster()
      const { reflector } = reflect(play.client, play.clock, { silentMs: 60_000 })
      await play.watched(10)
      await until(play.clock, () => reflector.staleSince() === null)
      if (said !== '') play.tell(said)
      await play.clock.advance(10)
      const heard = play.clock.now()
      play.spoil = (answer) => !!answer.socket?.destroy()
      await until(play.clock, () => reflector.staleSince() !== null)
      expect(reflector.staleSince()).toBeLessThanOrEqual(heard)
      play.spoil = null
      await until(play.clock, () => reflector.staleSince() === null)
      expect(play.watches.at(-1)).toBe(from)
    },
  )

  it('gives up a list that does not end, and begins another', async () => {
    const play = await playCluster()
    play.items = [box('a', 1)]
    play.spoil = (answer) => answer.writeHead(200).write('{"items":[')
    const { reflector } = reflect(play.client, play.clock)
    await until(play.clock, () => play.lists.length === 1)
    play.spoil = null
    await until(play.clock, () => reflector.isSynced())
    expect(play.lists).toHaveLength(2)
    expect(reflector.size()).toBe(1)
  })

  it('asks less and less often while the server is away, and heals when it is back', async () => {
    const play = await playCluster()
    play.spoil = (answer) => {
      refusal(answer, 503, 'ServiceUnavailable', 'not today')
      return true
    }
    const { reflector } = reflect(play.client, play.clock)
    await until(play.clock, () => play.lists.length >= 2)
    await play.clock.advance(600_000)
    // Less than one in eight seconds.
    expect(play.lists.length).toBeLessThan(85)
    expect(reflector.trouble()?.message).toBe('not today')
    play.spoil = null
    await until(play.clock, () => reflector.staleSince() === null)
    expect(reflector.trouble()).toBeNull()
  })

  it('does not list again and again where watching fails at once', async () => {
    const play = await playCluster()
    play.spoil = (answer, url) => {
      if (!isWatch(url)) return false
      answer.end(event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }))
      return true
    }
    reflect(play.client, play.clock)
    await until(play.clock, () => play.lists.length >= 3)
    const before = play.lists.length
    for (let i = 0; i < 60; i++) await play.clock.advance(1_000)
    expect(play.lists.length - before).toBeLessThan(15)
  })

  it.each([
    ['garbage', 'this is no JSON\n'],
    ['an event without an object', '{"type":"ADDED"}\n'],
    ['a line without an end', `{"type":"ADDED","object":"${'x'.repeat(5_000)}`],
  ])('ends a watch that tells %s, and lists anew', async (_what, line) => {
    const play = await playCluster()
    const { reflector } = reflect(play.client, play.clock, { maxLineBytes: 4_000 })
    await play.watched(10)
    play.items = [box('a', 11)]
    play.version = 12
    play.tell(line)
    await until(play.clock, () => play.watches.at(-1) === '12')
    expect(reflector.size()).toBe(1)
  })

  it('reads at once what we wrote, and no older event takes it back', async () => {
    const play = await playCluster()
    play.items = [box('a', 1, { x: 'first' })]
    const { reflector, told } = reflect(play.client, play.clock)
    await play.watched(10)
    told.length = 0
    reflector.observe(box('a', 20, { x: 'ours' }))
    expect(reflector.get('a/a')).toEqual({ x: 'ours' })
    play.tell(event('MODIFIED', box('a', 15, { x: 'older' })))
    play.tell(event('MODIFIED', box('a', 20, { x: 'ours' })))
    play.tell(event('MODIFIED', box('a', 21, { x: 'later' })))
    await expect.poll(() => reflector.get('a/a')).toEqual({ x: 'later' })
    expect(told).toEqual([
      ['a/a', 'first', 'ours'],
      ['a/a', 'ours', 'later'],
    ])
  })

  it('does not bring back what was deleted before our answer came', async () => {
    const play = await playCluster()
    const { reflector } = reflect(play.client, play.clock)
    await play.watched(10)
    play.tell(event('ADDED', box('a', 11)) + event('DELETED', box('a', 12)) + event('ADDED', box('b', 13)))
    await expect.poll(() => reflector.size()).toBe(1)
    reflector.observe(box('a', 11))
    expect(reflector.get('a/a')).toBeNull()
  })

  it('keeps what we wrote while it was listing, and forgets what the list should have had', async () => {
    const play = await playCluster()
    let answerList = () => {}
    play.spoil = (answer, url) => {
      if (isWatch(url)) return false
      answerList = () => json(answer, 200, page([], 20))
      return true
    }
    const { reflector } = reflect(play.client, play.clock)
    await expect.poll(() => play.lists.length).toBe(1)
    reflector.observe(box('deleted', 15))
    reflector.observe(box('later', 25))
    answerList()
    await reflector.synced
    expect(reflector.get('a/deleted')).toBeNull()
    expect(reflector.get('a/later')).not.toBeNull()
  })

  it('goes on when a listener throws, and stops asking when it is closed', async () => {
    const play = await playCluster()
    play.items = [box('a', 1)]
    const { reflector } = reflect(play.client, play.clock)
    reflector.onChange(() => {
      throw new Error('cannot deal with it')
    })
    await play.watched(10)
    expect(reflector.size()).toBe(1)
    await reflector.close()
    await expect.poll(() => play.open?.closed).toBe(true)
    await play.clock.advance(600_000)
    expect(play.watches).toHaveLength(1)
  })
})
