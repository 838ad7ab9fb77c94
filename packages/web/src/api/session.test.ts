import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { askUser } from './session.ts'

const ada = {
  id: 'u1',
  name: 'Ada',
  email: 'ada@example.org',
  email_verified: true,
  created_at: '2026-01-01T00:00:00Z',
  is_admin: false,
  delete_at: null,
}

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
// The files share a process: the next one begins without the user of the last page.
afterAll(() => void vi.resetModules())

test('the user of the session is found', async () => {
  const fetch = serve({ status: 200, body: ada })
  expect(await askUser()).toEqual(ada)
  expect(fetch.mock.calls.map(([path]) => path)).toEqual(['/api/auth/me'])
})

test('a first 401 is asked about once more', async () => {
  serve(refused, { status: 200, body: ada })
  expect(await askUser()).toEqual(ada)
})

test('two 401 mean that nobody is signed in', async () => {
  const fetch = serve(refused, refused, { status: 200, body: ada })
  expect(await askUser()).toBe('nobody')
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('an answer without id, a failure and no answer mean the same, at once', async () => {
  serve({ status: 200, body: {} })
  expect(await askUser()).toBe('unknown')
  const failing = serve({ status: 500, body: {} }, { status: 200, body: ada })
  expect(await askUser()).toBe('unknown')
  expect(failing).toHaveBeenCalledTimes(1)
  serve()
  expect(await askUser()).toBe('unknown')
})

/** A page of its own over a server that answers as the test says. */
async function openPage(answers: (path: string) => { status: number; body: unknown }) {
  vi.resetModules()
  /** How many of the next calls find no server. */
  let failing = 0
  const sent: { path: string; account: string | null }[] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    sent.push({ path, account: new Headers(init.headers).get('slipway-account') })
    const { status, body } = answers(path)
    if (failing-- > 0) throw new TypeError('fetch failed')
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
  const { startSession, signIn, signOut } = await import('./session.ts')
  const { call } = await import('./client.ts')
  const { queryClient } = await import('./query.ts')
  /** Whose page it is, as its calls say. */
  async function account(): Promise<string | null | undefined> {
    await call('project.list').catch(() => {})
    return sent.pop()?.account
  }
  const fail = () => {
    failing = 1
  }
  return { startSession, signIn, signOut, fail, account, call, queryClient, sent, replace, hear }
}

/** One that shows Ada, and is answered as the test says from then on. */
async function pageOfAda(answers: (path: string) => { status: number; body: unknown }) {
  let isOpen = false
  const page = await openPage((path) => (isOpen ? answers(path) : { status: 200, body: ada }))
  await page.startSession()
  isOpen = true
  page.queryClient.setQueryData(['secret'], 'of Ada')
  return page
}

describe('a page that was opened while the server could not say who is signed in', () => {
  const away = { status: 503, body: { message: 'The database of the server cannot be reached.' } }
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('shows them as soon as it can, and asks no more', async () => {
    const answers = [away, away, { status: 200, body: ada }]
    const page = await openPage((path) => (path === '/api/auth/me' && answers.shift()) || away)
    const started = page.startSession()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await page.account()).toBe(null)
    await vi.advanceTimersByTimeAsync(60_000)
    await started
    expect(await page.account()).toBe(ada.id)
    expect(page.sent).toHaveLength(3)
  })

  test('asks no more once it is nobody, or somebody signed in by hand', async () => {
    const answers = [away, refused, refused]
    const page = await openPage(() => answers.shift() ?? away)
    void page.startSession()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(page.sent).toHaveLength(3)

    const other = await openPage(() => away)
    void other.startSession()
    await vi.advanceTimersByTimeAsync(1_000)
    other.signIn(ada, ada)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(other.sent).toHaveLength(1)
    expect(await other.account()).toBe(ada.id)

    const left = await openPage((path) => (path === '/api/auth/me' ? { status: 200, body: ada } : away))
    left.fail()
    void left.startSession()
    await vi.advanceTimersByTimeAsync(500)
    left.signIn(ada, ada)
    await left.signOut()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(await left.account()).toBe(null)
  })
})

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
