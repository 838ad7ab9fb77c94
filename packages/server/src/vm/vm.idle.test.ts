import { describe, expect, test } from 'vitest'
import { calmMs, isBusy, type Load, looked, type Watched } from './vm.idle.ts'

describe('a guest', () => {
  const atRest: Load = { cpu: 1.5, network: 300, disk: 2_000 }
  test.each<[string, Load | null, boolean]>([
    ['at rest', atRest, false],
    ['at rest, of which little is told', { cpu: 0, network: null, disk: null }, false],
    ['that computes', { ...atRest, cpu: 5 }, true],
    ['with traffic', { ...atRest, network: 2_000 }, true],
    ['that reads or writes', { ...atRest, disk: 100_000 }, true],
    ['that nobody measured', null, true],
    ['whose processors nobody could measure', { ...atRest, cpu: null }, true],
  ])('%s', (_, load, expected) => {
    expect(isBusy(load)).toBe(expected)
  })
})

/** Looks again and again, and stores what a look says. */
function watching() {
  let watched: Watched | undefined
  const vm: { idleSince: number | null } = { idleSince: null }
  let monotonic = 1_000
  let now = 1_000_000
  return {
    vm,
    pass(ms: number, setBy = 0) {
      monotonic += ms
      now += ms + setBy
    },
    now: () => now,
    look(isUsed = false) {
      const seen = looked(watched, vm, isUsed, { monotonic, now })
      watched = seen.watched
      vm.idleSince = seen.idleSince
      return vm.idleSince
    },
  }
}

describe('the time without use', () => {
  test('is shown after a minute, from its beginning, and stays', () => {
    const one = watching()
    const began = one.now()
    expect(one.look()).toBeNull()
    one.pass(calmMs - 1)
    expect(one.look()).toBeNull()
    one.pass(1)
    expect(one.look()).toBe(began)
    one.pass(600_000)
    expect(one.look()).toBe(began)
  })

  test('ends with a use, and begins anew after it', () => {
    const one = watching()
    one.look()
    one.pass(calmMs)
    expect(one.look()).not.toBeNull()
    expect(one.look(true)).toBeNull()
    one.pass(15_000)
    const again = one.now()
    expect(one.look()).toBeNull()
    one.pass(calmMs)
    expect(one.look()).toBe(again)
  })

  test('begins anew when somebody keeps the VM awake, or it was off in between', () => {
    const one = watching()
    one.look()
    one.pass(calmMs)
    one.look()
    one.vm.idleSince = null
    one.pass(15_000)
    const again = one.now()
    expect(one.look()).toBeNull()
    one.pass(calmMs)
    expect(one.look()).toBe(again)
  })

  test('begins anew with the server, whatever an earlier one stored', () => {
    const one = watching()
    one.vm.idleSince = 5
    expect(one.look()).toBeNull()
  })

  test('does not grow when the clock of the host is set', () => {
    const one = watching()
    one.look()
    one.pass(15_000, 7_200_000)
    expect(one.look()).toBeNull()
    one.pass(calmMs - 15_000)
    expect(one.look()).toBe(one.now() - calmMs)
  })
})
