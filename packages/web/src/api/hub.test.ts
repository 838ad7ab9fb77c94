import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeHub, type ToTab } from './hub.ts'
import { silenceMs } from './stream.ts'

/** A browser's EventSource of which the test is the server. */
function makeSource(url: string) {
  const listeners = new Map<string, (event: MessageEvent<string>) => void>()
  return {
    url,
    readyState: 1,
    isClosed: false,
    addEventListener: (name: string, listener: (event: MessageEvent<string>) => void) =>
      void listeners.set(name, listener),
    close() {
      this.isClosed = true
    },
    send(name: string, data: object, lastEventId = '') {
      // The other parts of a message event do not matter here.
      listeners.get(name)?.({ data: JSON.stringify(data), lastEventId } as MessageEvent<string>)
    },
    breakOff(readyState = 0) {
      this.readyState = readyState
      this.send('error', {})
    },
  }
}

let sources: ReturnType<typeof makeSource>[]
let hub: ReturnType<typeof makeHub>
beforeEach(() => {
  vi.useFakeTimers()
  sources = []
  hub = makeHub((url) => {
    const source = makeSource(url)
    sources.push(source)
    return source
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Joins a tab; `said` is what it heard, in short. */
function join(after: string | null = 'e-0') {
  const heard: ToTab[] = []
  const tell = (message: ToTab) => heard.push(message)
  hub.take(tell, { do: 'join', url: '/api/events?account=u', names: ['vm'], after })
  const said = () =>
    heard.flatMap((message) =>
      message.say === 'event' ? [`${message.name} ${message.revision ?? message.data}`] : [],
    )
  const states = () => heard.flatMap((message) => (message.say === 'state' ? [message.lostSince] : []))
  const refusals = () => heard.filter(({ say }) => say === 'refused').length
  return { tell, said, states, refusals }
}
const source = () => {
  const last = sources.at(-1)
  if (!last) throw new Error('There is no stream')
  return last
}
const hello = (replayed = true) =>
  source().send('hello', { revision: 'e-5', replayed }, replayed ? '' : 'e-5')
const vm = (revision: string) => source().send('vm', { id: 'a' }, revision)

describe('tabs of one browser', () => {
  test('share one stream, which begins after the first tab’s first answer', () => {
    const tabs = Array.from({ length: 20 }, () => join('e-3'))
    expect(sources.map(({ url }) => url)).toEqual(['/api/events?account=u&after=e-3'])
    hello()
    vm('e-4')
    for (const { said } of tabs) expect(said()).toContain('vm e-4')
  })

  test('get what came since their own first answer when they open later', () => {
    join('e-0')
    hello()
    for (const revision of ['e-1', 'e-2', 'e-3']) vm(revision)
    expect(join('e-1').said()).toEqual(['vm e-2', 'vm e-3'])
    expect(join('e-9').said()).toEqual([])
  })

  test('fetch their lists when that is not known', () => {
    join('e-4')
    hello()
    for (const after of ['e-2', 'f-9', null])
      expect(join(after).said()).toEqual(['hello {"revision":"e-4","replayed":false}'])
  })

  test('end the stream with the last of them, and the next begins another', () => {
    const [one, other] = [join(), join()]
    hub.take(one.tell, { do: 'leave' })
    expect(source().isClosed).toBe(false)
    hub.take(other.tell, { do: 'leave' })
    expect(source().isClosed).toBe(true)
    vi.advanceTimersByTime(120_000)
    expect(sources).toHaveLength(1)
    join('e-7')
    expect(source().url).toContain('after=e-7')
  })

  test('leave it to one of them to find out why there is no stream', () => {
    const tabs = Array.from({ length: 5 }, () => join())
    source().breakOff(2)
    expect(tabs.map(({ refusals }) => refusals()).reduce((a, b) => a + b)).toBe(1)
  })
})

describe('a stream', () => {
  test('that breaks is opened anew, with what came last', () => {
    const { states } = join('e-3')
    hello()
    vm('e-4')
    const lostAt = Date.now()
    source().breakOff()
    expect(states()).toEqual([null, lostAt])
    vi.advanceTimersByTime(1_000)
    expect(sources.map(({ url }) => url.split('after=')[1])).toEqual(['e-3', 'e-4'])
    hello()
    expect(states()).toEqual([null, lostAt, null])
  })

  test('that is open but silent is dead', () => {
    const { states } = join()
    hello()
    vi.advanceTimersByTime(silenceMs - 1)
    source().send('beat', { revision: 'e-8' }, 'e-8')
    vi.advanceTimersByTime(silenceMs - 1)
    expect([sources.length, states()]).toEqual([1, [null]])
    vi.advanceTimersByTime(1)
    expect(states().at(-1)).toBe(Date.now())
    expect(sources[0]?.isClosed).toBe(true)
    vi.advanceTimersByTime(1_000)
    // The beats said how far it had come.
    expect(source().url).toContain('after=e-8')
  })

  test('is tried again at growing intervals, never longer than 15 s, and at once when there is reason to', () => {
    const { states, tell } = join()
    const since = Date.now()
    for (let i = 0; i < 10; i++) {
      const tries = sources.length
      source().breakOff()
      vi.advanceTimersByTime(15_000)
      expect(sources.length).toBeGreaterThan(tries)
    }
    expect(states()).toEqual([null, since])
    const tries = sources.length
    source().breakOff()
    hub.take(tell, { do: 'hurry' })
    expect(sources).toHaveLength(tries + 1)
    hello()
    hub.take(tell, { do: 'hurry' })
    expect(sources).toHaveLength(tries + 1)
  })

  test('that was closed has nothing to say any more', () => {
    const { said } = join()
    const old = source()
    old.breakOff()
    old.send('vm', { id: 'a' }, 'e-9')
    expect(said()).toEqual([])
  })
})
