import { expect, test } from 'vitest'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { whenMirrored } from './mirror-wait.ts'

function playChanges() {
  const listeners = new Set<() => void>()
  return {
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change: () => {
      for (const listener of [...listeners]) listener()
    },
    listening: () => listeners.size,
  }
}

test('what is there already is not waited for', async () => {
  const changes = playChanges()
  expect(await whenMirrored(makeHandClock(), [changes], () => 'seen', { ms: 1000 })).toBe('seen')
  expect(changes.listening()).toBe(0)
})

test('it looks after each change of anything it watches, and stops listening when it has seen', async () => {
  const [one, two] = [playChanges(), playChanges()]
  let seen: string | null = null
  const waiting = whenMirrored(makeHandClock(), [one, two], () => seen, { ms: 1000 })
  one.change()
  seen = 'seen'
  two.change()
  expect(await waiting).toBe('seen')
  expect([one.listening(), two.listening()]).toEqual([0, 0])
})

test('it ends with nothing when its time is over', async () => {
  const [changes, clock] = [playChanges(), makeHandClock()]
  const waiting = whenMirrored(clock, [changes], () => null, { ms: 1000 })
  await clock.advance(999)
  expect(changes.listening()).toBe(1)
  await clock.advance(1)
  expect(await waiting).toBe(null)
  expect(changes.listening()).toBe(0)
})

test('it ends when the work is ended, before or meanwhile', async () => {
  const [changes, ending] = [playChanges(), new AbortController()]
  const wait = () => whenMirrored(makeHandClock(), [changes], () => null, { ms: 1000, signal: ending.signal })
  const waiting = wait()
  ending.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  await expect(wait()).rejects.toMatchObject({ code: 'aborted' })
  expect(changes.listening()).toBe(0)
})

test('a look that fails ends it', async () => {
  const changes = playChanges()
  let isBad = false
  const look = () => {
    if (isBad) throw new Error('bad')
    return null
  }
  const waiting = whenMirrored(makeHandClock(), [changes], look, { ms: 1000 })
  isBad = true
  changes.change()
  await expect(waiting).rejects.toThrow('bad')
  expect(changes.listening()).toBe(0)
})
