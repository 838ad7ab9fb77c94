import { describe, expect, it } from 'vitest'
import { type FairQueue, makeFairQueue, type Places } from './fair-queue.ts'
import { makeHandClock } from './hand-clock.ts'
import { refuseForNow } from './problem.ts'

const places: Places = { inAll: 4, ofOneKey: 2 }

/** Who began, in order, and how each gives its place back. */
function watch(queue: FairQueue) {
  const begun: string[] = []
  const leaves = new Map<string, () => void>()
  return {
    begun,
    enter: (name: string, key = name[0] ?? '') =>
      queue.enter(key, (leave) => {
        begun.push(name)
        leaves.set(name, leave)
      }),
    leave: (name: string) => leaves.get(name)?.(),
  }
}

const bounded = () => {
  const clock = makeHandClock()
  const refusal = () => refuseForNow(429, 'Too many', 2)
  return { clock, queue: makeFairQueue(places, { clock, ofOneKey: 2, forMs: 10_000, refusal }) }
}

describe('a fair queue', () => {
  it('gives no key more than its share, and everybody a place while there are some', () => {
    const queue = makeFairQueue(places)
    const { begun, enter } = watch(queue)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'd1']) enter(name)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
    expect(queue.figures()).toEqual({ running: 4, waiting: 3, refused: 0 })
    expect(queue.runningOf('a')).toBe(2)
  })

  it('gives the next place to who has the fewest, and takes turns among equals', () => {
    const { begun, enter, leave } = watch(makeFairQueue({ inAll: 1, ofOneKey: 1 }))
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enter(name)
    for (let i = 0; i < 5; i++) leave(begun.at(-1) ?? '')
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('has a place once, however often it is given back', () => {
    const queue = makeFairQueue({ inAll: 1, ofOneKey: 1 })
    const { begun, enter, leave } = watch(queue)
    for (const name of ['a1', 'b1', 'c1']) enter(name)
    leave('a1')
    leave('a1')
    expect(begun).toEqual(['a1', 'b1'])
  })

  it('forgets who waits no longer', () => {
    const queue = makeFairQueue({ inAll: 1, ofOneKey: 1 })
    const { begun, enter, leave } = watch(queue)
    enter('a1')
    enter('b1').leave()
    enter('c1')
    leave('a1')
    expect(begun).toEqual(['a1', 'c1'])
    leave('c1')
    expect(queue.figures()).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  it('refuses who has too many waiting, and nobody else', async () => {
    const { queue } = bounded()
    const taken = [0, 1].map(() => queue.take('a'))
    await Promise.all(taken)
    void queue.take('a')
    void queue.take('a')
    await expect(queue.take('a')).rejects.toMatchObject({ status: 429, retryAfterS: 2 })
    await expect(queue.take('b')).resolves.toBeTypeOf('function')
    expect(queue.figures()).toEqual({ running: 3, waiting: 2, refused: 1 })
  })

  it('refuses who has waited too long', async () => {
    const { queue, clock } = bounded()
    await Promise.all([queue.take('a'), queue.take('a')])
    const late = queue.take('a')
    const refused = expect(late).rejects.toMatchObject({ status: 429 })
    await clock.advance(10_000)
    await refused
    expect(queue.figures()).toEqual({ running: 2, waiting: 0, refused: 1 })
  })

  it('gives no place to a caller who has gone, and refuses nobody for that', async () => {
    const { queue } = bounded()
    const [leave] = await Promise.all([queue.take('a'), queue.take('a')])
    const gone = new AbortController()
    const waiting = queue.take('a', gone.signal)
    gone.abort()
    await expect(waiting).rejects.toMatchObject({ status: 408 })
    await expect(queue.take('b', gone.signal)).rejects.toMatchObject({ status: 408 })
    leave?.()
    expect(queue.figures()).toEqual({ running: 1, waiting: 0, refused: 0 })
  })

  it('gives the place back of work that fails', async () => {
    const { queue } = bounded()
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(queue.figures().running).toBe(0)
  })

  it('tells who is refused whether that is for what they have themselves', async () => {
    const clock = makeHandClock()
    const refusal = (isOwn: boolean) => refuseForNow(isOwn ? 429 : 503, 'Not now', 2)
    const queue = makeFairQueue({ inAll: 2, ofOneKey: 1 }, { clock, ofOneKey: 1, forMs: 10_000, refusal })
    await Promise.all([queue.take('a'), queue.take('b')])
    const refused = Promise.allSettled([queue.take('a'), queue.take('c')])
    await clock.advance(10_000)
    expect(await refused).toMatchObject([{ reason: { status: 429 } }, { reason: { status: 503 } }])
  })
})
