import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeOrder, type Order, type Said } from './order.ts'

interface Item {
  id: string
  project_id: string
  status: string
}

const at = (number: number, epoch = 'e') => ({ epoch, number })
const item = (id: string, status: string): Item => ({ id, project_id: 'p', status })
const gone = (id: string) => ({ id, project_id: 'p', deleted: true as const })

let order: Order
let shown: Item[] | undefined
beforeEach(() => {
  order = makeOrder()
  shown = undefined
})

/** What the console does with an answer, ... */
function answer(items: Item[], revision: ReturnType<typeof at> | null) {
  shown = order.list('vm.list', 'vm', items, revision, ({ project_id }) => project_id === 'p') ?? shown
}
/** ... and with events. */
function event(...all: Said<Item>[]) {
  const news = order.hear('vm', all)
  shown = shown && order.apply('vm.list', shown, news)
}
const words = () => shown?.map(({ id, status }) => `${id} ${status}`)

describe('a list answer that is older than an event', () => {
  test('does not overwrite it', () => {
    answer([item('a', 'running')], at(1))
    event({ object: item('a', 'stopped'), at: at(3) })
    answer([item('a', 'running')], at(2))
    expect(words()).toEqual(['a stopped'])
  })

  test('does not bring back what was deleted', () => {
    event({ object: gone('a'), at: at(3) })
    answer([item('a', 'running'), item('b', 'running')], at(2))
    expect(words()).toEqual(['b running'])
  })

  test('does not drop what was created after it, also before there was any list', () => {
    event({ object: item('b', 'pending'), at: at(3) })
    answer([item('a', 'running')], at(2))
    expect(words()).toEqual(['a running', 'b pending'])
  })

  test('takes nothing from another project, and nothing of another kind', () => {
    event({ object: { ...item('b', 'pending'), project_id: 'q' }, at: at(3) })
    order.hear('disk', [{ object: item('d', 'available'), at: at(3) }])
    answer([], at(2))
    expect(words()).toEqual([])
  })
})

test('an event changes an object in its place', () => {
  answer([item('a', 'running'), item('b', 'running')], at(1))
  event({ object: item('a', 'stopping'), at: at(2) })
  expect(words()).toEqual(['a stopping', 'b running'])
})

test('a new object is last, a deleted one is gone, and a later event wins', () => {
  answer([item('a', 'running'), item('b', 'running')], at(1))
  event(
    { object: item('c', 'pending'), at: at(2) },
    { object: gone('a'), at: at(3) },
    { object: item('c', 'creating'), at: at(4) },
  )
  expect(words()).toEqual(['b running', 'c creating'])
})

test('an event that is older than the list, or than another event, changes nothing', () => {
  answer([item('a', 'stopped')], at(5))
  event({ object: item('a', 'running'), at: at(4) }, { object: item('b', 'running'), at: at(5) })
  expect(words()).toEqual(['a stopped'])
  event({ object: item('a', 'starting'), at: at(7) })
  event({ object: item('a', 'stopped'), at: at(6) })
  expect(words()).toEqual(['a starting'])
})

test('an older list answer does not replace a newer one', () => {
  answer([item('a', 'stopped')], at(5))
  answer([item('a', 'running')], at(4))
  expect(words()).toEqual(['a stopped'])
})

test('a newer list answer ends what no event told of', () => {
  answer([item('a', 'running')], at(1))
  event({ object: item('b', 'running'), at: at(2) })
  answer([item('b', 'running')], at(3))
  expect(words()).toEqual(['b running'])
})

test('of one revision what comes later is believed', () => {
  event({ object: item('a', 'running'), at: at(5) })
  expect(order.one('vm.get a', 'vm', item('a', 'stopping'), at(5))?.status).toBe('stopping')
  answer([item('a', 'stopping')], at(5))
  expect(words()).toEqual(['a stopping'])
  answer([item('a', 'stopped')], at(5))
  expect(words()).toEqual(['a stopped'])
  for (const status of ['starting', 'running']) event({ object: item('a', status), at: at(6) })
  expect(words()).toEqual(['a running'])
})

test('the answer to a change is newer than a list at the same revision', () => {
  answer([item('a', 'running')], at(5))
  event({ object: item('a', 'stopping'), at: at(5.5) })
  expect(words()).toEqual(['a stopping'])
  answer([item('a', 'running')], at(5))
  expect(words()).toEqual(['a stopping'])
  answer([item('a', 'stopped')], at(6))
  expect(words()).toEqual(['a stopped'])
})

test('what was deleted here stays away, whatever is under way', () => {
  answer([item('a', 'running')], at(5))
  event({ object: gone('a'), at: null })
  answer([item('a', 'running')], at(5))
  expect(words()).toEqual([])
})

test('what was deleted here is gone as of the newest revision seen, and may come back after it', () => {
  answer([item('a', 'running')], at(1))
  for (const number of [5, 3]) event({ object: item('b', 'running'), at: at(number) })
  event({ object: gone('a'), at: null })
  answer([item('a', 'running'), item('b', 'running')], at(5))
  expect(words()).toEqual(['b running'])
  order.one('vm.get b', 'vm', item('b', 'running'), at(7))
  event({ object: gone('b'), at: null })
  answer([item('b', 'running')], at(7))
  expect(words()).toEqual([])
  event({ object: item('b', 'stopped'), at: at(8) })
  expect(words()).toEqual(['b stopped'])
})

test('after another start of the server its answers count, and those of the old one no more', () => {
  answer([item('a', 'running')], at(900, 'z'))
  answer([item('a', 'stopped')], at(2, 'b'))
  event({ object: item('a', 'running'), at: at(901, 'z') })
  answer([item('a', 'running')], at(902, 'z'))
  expect(words()).toEqual(['a stopped'])
})

test('what comes without a revision, as from another server, is believed as it comes', () => {
  answer([item('a', 'running')], at(5))
  event({ object: item('a', 'stopped'), at: null })
  expect(words()).toEqual(['a stopped'])
  answer([item('b', 'running')], null)
  expect(words()).toEqual(['b running'])
  answer([item('b', 'stopped')], at(4))
  expect(words()).toEqual(['b stopped'])
})

test('one object is shown as the newest that was said of it', () => {
  event({ object: item('a', 'stopped'), at: at(3) })
  expect(order.one('vm.get a', 'vm', item('a', 'running'), at(2))).toEqual(item('a', 'stopped'))
  expect(order.one('vm.get a', 'vm', item('a', 'starting'), at(4))).toEqual(item('a', 'starting'))
  expect(order.one('vm.get a', 'vm', item('a', 'running'), at(3))).toBeNull()
  const news = [at(4), at(5), null].map((revision) => order.isNews('vm.get a', revision))
  expect([...news, order.isNews('vm.get b', at(1))]).toEqual([false, true, true, true])
})

test('one object without a revision is shown as it comes, and so is whatever comes next', () => {
  expect(order.one('vm.get a', 'vm', item('a', 'running'), at(5))).toEqual(item('a', 'running'))
  expect(order.one('vm.get a', 'vm', item('a', 'stopped'), null)).toEqual(item('a', 'stopped'))
  expect(order.one('vm.get a', 'vm', item('a', 'starting'), at(4))).toEqual(item('a', 'starting'))
})

test('20,000 objects are remembered, and of more those that were said last', () => {
  const others = Array.from({ length: 19_998 }, (_, i) => ({ object: item(`${i}`, 'stopped'), at: at(3) }))
  event({ object: item('a', 'stopped'), at: at(3) }, { object: item('b', 'stopped'), at: at(3) }, ...others)
  event({ object: item('a', 'stopping'), at: at(4) })
  const asked = (id: string) => order.one(`vm.get ${id}`, 'vm', item(id, 'running'), at(2))?.status
  expect(asked('b')).toBe('stopped')
  event({ object: item('c', 'running'), at: at(5) })
  expect(['a', 'b', '0'].map((id) => asked(id))).toEqual(['stopping', 'running', 'stopped'])
})

test('nothing is left of one user for the next', () => {
  answer([item('b', 'running')], at(5))
  event({ object: item('a', 'stopped'), at: at(3) })
  order.clear()
  answer([item('a', 'running')], at(2))
  expect(words()).toEqual(['a running'])
})

test('answers and events that come late, twice, in any order or never end as the last state of the server', () => {
  const ids = ['a', 'b', 'c']
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom('change', 'delete'), id: fc.constantFrom(...ids) }),
    fc.record({
      do: fc.constantFrom('ask', 'read', 'arrive', 'arrive twice', 'restart'),
      id: fc.constant(''),
    }),
  )
  const pick = fc.infiniteStream(fc.nat())
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), pick, fc.boolean(), (steps, picks, areEventsLost) => {
      order = makeOrder()
      shown = undefined
      const server = new Map<string, Item>()
      const next = (below: number) => (picks.next().value ?? 0) % below
      let revision = at(0, 'start')
      let starts = 0
      /** Answers that were begun and not read, and everything that is on its way. */
      let begun: { at: typeof revision }[] = []
      let underWay: (() => void)[] = []
      const read = (one: { at: typeof revision }) => {
        const items = [...server.values()]
        underWay.push(() => answer(items, one.at))
      }
      const change = (id: string) => {
        revision = at(revision.number + 1, revision.epoch)
        const said = { object: server.get(id) ?? gone(id), at: revision }
        if (!areEventsLost || next(2) === 0) underWay.push(() => event(said))
      }
      const arrive = (times: number) => {
        const [one] = underWay.splice(next(underWay.length || 1), 1)
        for (let i = 0; i < times; i++) one?.()
      }
      answer([], revision)
      for (const one of steps) {
        if (one.do === 'ask') begun.push({ at: revision })
        if (one.do === 'read') for (const asked of begun.splice(0, 1)) read(asked)
        if (one.do === 'arrive') arrive(1)
        if (one.do === 'arrive twice') arrive(2)
        if (one.do === 'restart') {
          // What an ended server had not answered never comes; what it had may come late.
          begun = []
          revision = at(0, `start ${++starts}`)
          const items = [...server.values()]
          const fresh = revision
          // A page learns of the new start by its stream, and asks for its lists.
          answer(items, fresh)
        }
        if (one.do === 'change') server.set(one.id, item(one.id, `${next(1000)}`))
        if (one.do === 'delete') server.delete(one.id)
        if (one.id) change(one.id)
      }
      for (const asked of begun) read(asked)
      // Where events get lost the stream opens anew, and the lists are asked for.
      if (areEventsLost) read({ at: revision })
      while (underWay.length > 0) arrive(1)
      underWay = []
      const byId = (a: Item, b: Item) => (a.id < b.id ? -1 : 1)
      expect([...(shown ?? [])].sort(byId)).toEqual([...server.values()].sort(byId))
    }),
    { numRuns: 2_000 },
  )
})
