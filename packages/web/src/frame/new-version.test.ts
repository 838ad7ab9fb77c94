import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetAllUnsaved, keepUnsaved } from '../shell/unsaved.ts'
import { newVersion, startOver } from './new-version.ts'

const reload = vi.fn()
let now = Date.parse('2026-11-22T10:00:00Z')

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('window', { location: { reload } })
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  vi.useFakeTimers({ toFake: ['Date'], now })
})

afterEach(() => {
  now += 3_600_000
  reload.mockReset()
  forgetAllUnsaved()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const server = (answer: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answer))
const there = async () => new Response('{}')
const away = async () => Promise.reject(new TypeError('Failed to fetch'))

test('a file that is gone reloads the page, once in ten seconds', async () => {
  server(there)
  await startOver()
  await startOver()
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a file that could not be loaded from a server that is away costs nobody the page', async () => {
  server(away)
  await startOver()
  expect(reload).not.toHaveBeenCalled()
  keepUnsaved({})
  await startOver()
  expect(newVersion.isReady()).toBe(false)
})

test('a half-filled form is not reloaded, but told that there is a new version', async () => {
  server(there)
  keepUnsaved({})
  await startOver()
  expect(reload).not.toHaveBeenCalled()
  expect(newVersion.isReady()).toBe(true)
})
