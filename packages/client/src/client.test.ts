import { expect, expectTypeOf, it } from 'vitest'
import { type Answer, ApiError, makeClient, type Sent } from './index.ts'

const answer = (status: number, text: string, retryAfter: string | null = null): Answer => ({
  ok: status < 300,
  status,
  headers: { get: (name) => (name === 'retry-after' ? retryAfter : null) },
  body: null,
  text: async () => text,
})

/** A client whose requests are answered by a function in place of a server. */
function clientOver(reply: (attempt: number) => Answer) {
  const requests: (Sent & { url: string })[] = []
  const client = makeClient({
    base: 'https://vms.example.com',
    timeoutMs: 60_000,
    request: (id) => ({ headers: { authorization: `Bearer ${id}` } }),
    async transport(url, sent) {
      requests.push({ url, ...sent })
      return reply(requests.length)
    },
  })
  return { ...client, requests }
}

it('sends what an endpoint takes, with what every request of the client has', async () => {
  const { call, requests } = clientOver(() => answer(200, '{"id":"v"}'))
  const vm = await call('vm.stop', { params: { projectId: 'a/b', vmId: 'v' }, body: { force: true } })
  expectTypeOf(vm.status).toEqualTypeOf<Awaited<ReturnType<typeof call<'vm.get'>>>['status']>()
  expect(vm).toEqual({ id: 'v' })
  expect(requests).toMatchObject([
    {
      url: 'https://vms.example.com/api/projects/a%2Fb/vms/v/stop',
      method: 'POST',
      body: '{"force":true}',
      headers: { authorization: 'Bearer vm.stop', 'content-type': 'application/json' },
    },
  ])
})

it('throws one class of errors, with status, sentence and field', async () => {
  const { call } = clientOver(() => answer(400, '{"message":"Bad name","fields":{"name":"Bad name"}}'))
  const error = await call('project.create', { body: { name: '' } }).catch((one: unknown) => one)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 400,
    message: 'Bad name',
    field: 'name',
    fields: { name: 'Bad name' },
  })
})

it('has no status and keeps the cause when there is no answer, and tries again only with a key', async () => {
  const lost = new Error('ECONNRESET')
  const { call, requests } = clientOver(() => {
    throw lost
  })
  await expect(call('project.list')).rejects.toMatchObject({ status: null, message: '', cause: lost })
  expect(requests).toHaveLength(1)
  await call('project.create', { body: { name: 'x' }, idempotencyKey: 'k' }).catch(() => {})
  expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'k', 'k'])
})

it('opens what is read as it comes, and refuses with the sentence of the server', async () => {
  const params = { projectId: 'p', vmId: 'v' }
  const log = answer(200, 'printed')
  expect(await clientOver(() => log).open('vm.consoleLog', { params })).toBe(log)
  await expect(
    clientOver(() => answer(404, '{"message":"VM not found"}')).open('vm.consoleLog', { params }),
  ).rejects.toMatchObject({ status: 404, message: 'VM not found' })
})

it('tells why it was refused where no time is left to read again, and waits no longer than it is wanted', async () => {
  const busy = () => answer(429, '{"message":"Too much"}', '3')
  const short = clientOver(busy)
  await expect(short.call('project.list', { timeoutMs: 4_000 })).rejects.toMatchObject({
    message: 'Too much',
  })
  expect(short.requests).toHaveLength(1)
  const left = new AbortController()
  const call = clientOver(busy).call('project.list', { timeoutMs: 60_000, signal: left.signal })
  setTimeout(() => left.abort(new Error('left')), 20)
  await expect(call).rejects.toThrow('left')
})

it('reads again when the server says so, and neither changes anything again nor waits for long', async () => {
  const busy = (retryAfter: string | null) => answer(429, '{"message":"Too much"}', retryAfter)
  const soon = clientOver((attempt) => (attempt < 3 ? busy('0') : answer(200, '[]')))
  expect(await soon.call('project.list')).toEqual([])
  expect(soon.requests).toHaveLength(3)
  for (const [retryAfter, tries] of [
    ['0', 4],
    ['60', 1],
    [null, 1],
  ] as const) {
    const never = clientOver(() => busy(retryAfter))
    await expect(never.call('project.list')).rejects.toMatchObject({ status: 429, message: 'Too much' })
    expect(never.requests).toHaveLength(tries)
  }
  const change = clientOver(() => busy('0'))
  await expect(change.call('project.create', { body: { name: 'p' } })).rejects.toMatchObject({ status: 429 })
  expect(change.requests).toHaveLength(1)
})
