import { endpoints, fillPath } from '@slipway/contract'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, call, newKey, setSessionLostHandler } from './client.ts'

let seen: { method: string; path: string; body: string; type: string | null }[]
let credentials: RequestCredentials[]
let answer: { status: number; body: string | null } | 'no network'
/** Keys of the calls, in their order. */
let keys: (string | null)[]

beforeEach(() => {
  seen = []
  credentials = []
  keys = []
  answer = { status: 200, body: '[]' }
  // The network ends here; requests and responses are the real ones.
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const request = new Request(new URL(path, 'http://console.test'), init)
    request.signal.throwIfAborted()
    const type = request.headers.get('content-type')
    seen.push({ method: request.method, path, body: await request.text(), type })
    credentials.push(request.credentials)
    keys.push(request.headers.get('idempotency-key'))
    if (answer === 'no network') throw new TypeError('fetch failed')
    return new Response(answer.body, { status: answer.status })
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  setSessionLostHandler(() => {})
})
// The files share a process: the next one gets a client with the usual address.
afterAll(() => void vi.resetModules())

test('a call fills its path and query and returns the answer', async () => {
  answer = { status: 200, body: '[{"id":"d1"}]' }
  const disks = await call('disk.list', { params: { projectId: 'a/b' }, query: { status: 'available' } })
  expect(disks).toEqual([{ id: 'd1' }])
  expect(seen).toEqual([
    { method: 'GET', path: '/api/projects/a%2Fb/disks?status=available', body: '', type: null },
  ])
})

test('a body is sent as JSON and an empty answer is undefined', async () => {
  answer = { status: 204, body: null }
  const result = await call('vm.stop', { params: { projectId: 'p', vmId: 'v' }, body: { force: true } })
  expect(result).toBeUndefined()
  expect(seen).toEqual([
    { method: 'POST', path: '/api/projects/p/vms/v/stop', body: '{"force":true}', type: 'application/json' },
  ])
})

test('a call without a body sends no content type', async () => {
  answer = { status: 204, body: null }
  await call('sshKey.delete', { params: { sshKeyId: 'k' } })
  expect(seen[0]?.type).toBeNull()
})

test('a refusal carries the status, the sentence and the fields of the server', async () => {
  answer = { status: 400, body: '{"message":"Please enter a project name","fields":{"name":"Missing"}}' }
  const error = await call('project.create', { body: { name: '' } }).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 400,
    message: 'Please enter a project name',
    fields: { name: 'Missing' },
  })
})

test.each(['{}', '', '<h1>Bad gateway</h1>'])(
  'a failure with the body "%s" has no sentence',
  async (body) => {
    answer = { status: 502, body }
    await expect(call('project.list')).rejects.toMatchObject({ status: 502, message: '' })
  },
)

test('a lost connection is an error without status', async () => {
  answer = 'no network'
  await expect(call('project.list')).rejects.toMatchObject({ status: null, message: '' })
})

test('a call with an idempotency key is sent once more, with the same key, when no answer came', async () => {
  answer = 'no network'
  const idempotencyKey = newKey()
  await expect(call('project.create', { body: { name: 'x' }, idempotencyKey })).rejects.toMatchObject({
    status: null,
  })
  expect(keys).toEqual([idempotencyKey, idempotencyKey])
  keys = []
  answer = { status: 503, body: '{}' }
  await call('project.create', { body: { name: 'x' }, idempotencyKey }).catch(() => {})
  expect(keys).toEqual([idempotencyKey])
})

test('a call without a key is never sent twice', async () => {
  answer = 'no network'
  await call('project.create', { body: { name: 'x' } }).catch(() => {})
  expect(keys).toEqual([null])
})

test('a new key is a UUID, another each time', () => {
  expect(newKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(newKey()).not.toBe(newKey())
})

test('an aborted call rejects with the abort, not with a failure', async () => {
  const abort = new AbortController()
  abort.abort()
  await expect(call('project.list', { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
})

test('a 401 ends the session, except from the calls that deal with sessions', async () => {
  const lost = vi.fn()
  setSessionLostHandler(lost)
  answer = { status: 401, body: '{"message":"Not authenticated"}' }
  await call('project.list').catch(() => {})
  expect(lost).toHaveBeenCalledOnce()
  await call('account.me').catch(() => {})
  expect(lost).toHaveBeenCalledOnce()
})

test('every call goes to the one base address and carries the session', async () => {
  vi.stubEnv('VITE_API_BASE', 'https://api.example.org')
  vi.resetModules()
  const client = await import('./client.ts')
  const named = endpoints.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, 'x']))
  const params: Record<string, string> = Object.fromEntries(named)
  const calls = endpoints.filter(({ answers }) => !answers)
  const input: object = { params }
  for (const { id } of calls) await client.call(id, input)
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(
    calls.map(({ method, path }) => `${method} https://api.example.org${fillPath(path, params)}`),
  )
  expect(new Set(credentials)).toEqual(new Set(['include']))
})
