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

/** A page of its own that shows Ada, over a server that answers as the test says. */
async function pageOfAda(answers: (path: string) => { status: number; body: unknown }) {
  vi.resetModules()
  const sent: { path: string; account: string | null }[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push({ path, account: new Headers(init.headers).get('slipway-account') })
    const { status, body } = sent.length === 1 ? { status: 200, body: ada } : answers(path)
    return new Response(JSON.stringify(body), { status })
  })
  const replace = vi.fn()
  vi.stubGlobal('window', { location: { replace } })
  const otherTabs = new EventTarget()
  const here = { addEventListener: otherTabs.addEventListener.bind(otherTabs), postMessage: vi.fn() }
  vi.stubGlobal('BroadcastChannel', function BroadcastChannel() {
    return here
  })
  const hear = (data: object) => otherTabs.dispatchEvent(Object.assign(new Event('message'), { data }))
  const { startSession } = await import('./session.ts')
  const { call } = await import('./client.ts')
  const { queryClient } = await import('./query.ts')
  await startSession()
  queryClient.setQueryData(['secret'], 'of Ada')
  return { call, queryClient, sent, replace, hear }
}

test('a page turns to the user who signed in meanwhile, and leaves nothing of the one it showed', async () => {
  const bob = { ...ada, id: 'u2', name: 'Bob' }
  const { call, queryClient, sent, replace } = await pageOfAda((path) =>
    path === '/api/auth/me' ? { status: 200, body: bob } : refused,
  )
  await call('sshKey.delete', { params: { sshKeyId: 'k' } }).catch(() => {})
  await vi.waitFor(() => expect(replace).toHaveBeenCalledWith('/'))
  expect(queryClient.getQueryData(['secret'])).toBeUndefined()
  // The call said whose page it came from; the question who is signed in does not.
  expect(sent).toEqual([
    { path: '/api/auth/me', account: null },
    { path: '/api/user/ssh-keys/k', account: 'u1' },
    { path: '/api/auth/me', account: null },
  ])
})

test('a page hears from another tab that somebody else signed in there, and turns to them', async () => {
  const bob = { ...ada, id: 'u2', name: 'Bob' }
  const { queryClient, sent, replace, hear } = await pageOfAda(() => ({ status: 200, body: bob }))
  hear({ in: ada.id })
  hear({ out: bob.id })
  expect(sent).toHaveLength(1)
  hear({ in: bob.id })
  await vi.waitFor(() => expect(replace.mock.calls).toEqual([['/']]))
  expect(queryClient.getQueryData(['secret'])).toBeUndefined()
})

test('a page hears from another tab that its user signed out there, and keeps nothing of them', async () => {
  const { queryClient, sent, hear } = await pageOfAda(() => refused)
  hear({ out: ada.id })
  expect(queryClient.getQueryData(['secret'])).toBeUndefined()
  expect(sent).toHaveLength(1)
})

test('many refused calls ask once who is signed in, and end the session when it is nobody', async () => {
  const { call, queryClient, sent, replace } = await pageOfAda(() => refused)
  await Promise.all([1, 2, 3].map(() => call('project.list').catch(() => {})))
  await vi.waitFor(() => expect(queryClient.getQueryData(['secret'])).toBeUndefined())
  expect(sent.filter(({ path }) => path === '/api/auth/me')).toHaveLength(2)
  expect(replace).not.toHaveBeenCalled()
})
