import { afterEach, expect, test, vi } from 'vitest'
import { fetchUser } from './session.ts'

const ada = { id: 'u1', name: 'Ada', email: 'ada@example.org' }

/** Answers one call after the other; a missing answer is a lost network. */
function serve(...answers: { status: number; body: unknown }[]) {
  const fetch = vi.fn(async (_path: string) => {
    const answer = answers.shift()
    if (!answer) throw new TypeError('fetch failed')
    return new Response(JSON.stringify(answer.body), { status: answer.status })
  })
  vi.stubGlobal('fetch', fetch)
  return fetch
}
const refused = { status: 401, body: { message: 'Not authenticated' } }

afterEach(() => vi.unstubAllGlobals())

test('the user of the session is found', async () => {
  const fetch = serve({ status: 200, body: ada })
  expect(await fetchUser()).toEqual(ada)
  expect(fetch.mock.calls.map(([path]) => path)).toEqual(['/api/auth/me'])
})

test('a first 401 is asked about once more', async () => {
  serve(refused, { status: 200, body: ada })
  expect(await fetchUser()).toEqual(ada)
})

test('two 401 mean that nobody is signed in', async () => {
  const fetch = serve(refused, refused, { status: 200, body: ada })
  expect(await fetchUser()).toBeNull()
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('an answer without id, a failure and no answer mean the same, at once', async () => {
  serve({ status: 200, body: {} })
  expect(await fetchUser()).toBeNull()
  const failing = serve({ status: 500, body: {} }, { status: 200, body: ada })
  expect(await fetchUser()).toBeNull()
  expect(failing).toHaveBeenCalledTimes(1)
  serve()
  expect(await fetchUser()).toBeNull()
})
