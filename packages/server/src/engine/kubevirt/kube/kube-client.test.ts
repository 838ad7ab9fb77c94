import { describe, expect, it } from 'vitest'
import { makeHandClock } from '../../../lib/hand-clock.ts'
import { retryOnConflict } from './caller.ts'
import { KubeError } from './kube-error.ts'
import { box, boxes, json, refusal, serveKube } from './kube-server.test-kit.ts'
import { makeTokenBucket } from './token-bucket.ts'

const at = { namespace: 'a', name: 'one' }
const never = new AbortController().signal

/** How a call failed. */
async function failureOf(work: Promise<unknown>): Promise<KubeError> {
  const error = await work.catch((cause: unknown) => cause)
  if (error instanceof KubeError) return error
  throw new Error(`No KubeError: ${error}`)
}

describe('calls', () => {
  it('go where the object is, say who calls, and take what KubeVirt answers', async () => {
    const seen: string[] = []
    const who: unknown[] = []
    const kube = await serveKube((request, answer, url) => {
      const { authorization, accept, 'content-type': type } = request.headers
      who.push([authorization, accept])
      seen.push([request.method, `${url.pathname}${url.search}`, type].filter(Boolean).join(' '))
      if (request.method === 'PUT') answer.writeHead(202).end()
      else json(answer, 200, box('one', 1))
    })
    const client = kube.client()
    const machines = { group: 'subresources.kubevirt.io', version: 'v1', plural: 'virtualmachines' }
    expect(await client.get(boxes, at)).toEqual(box('one', 1))
    expect(await client.put(machines, at, 'start')).toBeNull()
    await client.create(boxes, 'a', { metadata: { name: 'one' } }, { dryRun: true })
    await client.patch(boxes, at, [{ op: 'remove', path: '/data/x' }], { part: 'status' })
    await client.merge(boxes, at, { data: { x: null } })
    await client.remove(boxes, at, { propagation: 'Foreground', uid: 'u' })
    expect(seen).toEqual([
      'GET /api/v1/namespaces/a/configmaps/one',
      'PUT /apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachines/one/start application/json',
      'POST /api/v1/namespaces/a/configmaps?dryRun=All&fieldValidation=Strict application/json',
      'PATCH /api/v1/namespaces/a/configmaps/one/status?fieldValidation=Strict application/json-patch+json',
      'PATCH /api/v1/namespaces/a/configmaps/one?fieldValidation=Strict application/merge-patch+json',
      'DELETE /api/v1/namespaces/a/configmaps/one application/json',
    ])
    expect(who).toEqual(Array(6).fill(['Bearer me', 'application/json, */*']))
  })

  it.each([
    [404, 'NotFound', 'configmaps "one" not found', 'not-found'],
    [409, 'AlreadyExists', 'configmaps "one" already exists', 'exists'],
    [409, 'Conflict', 'the object has been modified', 'conflict'],
    [410, 'Expired', 'The provided continue parameter is too old', 'gone'],
    [422, 'Invalid', 'spec.running: Invalid value', 'invalid'],
    [403, 'Forbidden', 'User "x" cannot get resource', 'forbidden'],
    [403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: project', 'quota'],
    [422, '', 'admission webhook "virtualmachine-validator.kubevirt.io" denied the request: no', 'refused'],
    [400, 'BadRequest', 'strict decoding error: unknown field "spec.x"', 'refused'],
    [500, 'InternalError', 'VM stop/start already underway', 'conflict'],
    [500, 'InternalError', 'etcd is sad', 'broken'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request', 'away'],
  ])('that fail with %i %s "%s" are %s, in the words of the server', async (code, reason, message, kind) => {
    const kube = await serveKube((_request, answer) => refusal(answer, code, reason, message))
    expect(await failureOf(kube.client().get(boxes, at))).toMatchObject({
      kind,
      message,
      reason,
      status: code,
    })
  })

  it('tell a failure that is plain text, and an answer that is no JSON', async () => {
    const kube = await serveKube((_request, answer, url) =>
      url.pathname === '/version'
        ? answer.writeHead(404).end('404 page not found\n')
        : answer.end('<html>welcome to the proxy'),
    )
    const client = kube.client()
    expect(await failureOf(client.text('/version'))).toMatchObject({
      kind: 'not-found',
      message: '404 page not found',
    })
    expect(await failureOf(client.get(boxes, at))).toMatchObject({ kind: 'broken' })
  })

  it('take a failed test of a patch for a conflict', async () => {
    const message = 'the server rejected our request due to an error in our request'
    const kube = await serveKube((_request, answer) => refusal(answer, 422, 'Invalid', message))
    const client = kube.client()
    const change = { op: 'add', path: '/data/x', value: 'y' } as const
    const test = { op: 'test', path: '/metadata/resourceVersion', value: '1' } as const
    expect(await failureOf(client.patch(boxes, at, [test, change]))).toMatchObject({ kind: 'conflict' })
    expect(await failureOf(client.patch(boxes, at, [change]))).toMatchObject({ kind: 'invalid' })
  })

  it('wait as long as the server asks, and give up after a few times', async () => {
    const clock = makeHandClock()
    let calls = 0
    let busyFor = 2
    const kube = await serveKube((_request, answer) => {
      calls++
      if (calls > busyFor) return json(answer, 201, box('one', 1))
      refusal(answer, 429, 'TooManyRequests', 'too many requests', { 'retry-after': '3' })
    })
    const client = kube.client({ clock, deadlineMs: 600_000 })
    const made = client.create(boxes, 'a', { metadata: { name: 'one' } })
    await expect.poll(() => calls).toBe(1)
    await clock.advance(2_900)
    expect(calls).toBe(1)
    const later = async <T>(look: () => T): Promise<T> => {
      await clock.advance(1_000)
      return look()
    }
    await expect.poll(() => later(() => calls)).toBe(3)
    expect(await made).toEqual(box('one', 1))

    busyFor = Number.POSITIVE_INFINITY
    let isOver = false
    const refused = failureOf(client.get(boxes, at)).finally(() => {
      isOver = true
    })
    await expect.poll(() => later(() => isOver)).toBe(true)
    expect(await refused).toMatchObject({ kind: 'too-many' })
    expect(calls).toBe(9)
  })

  it('are repeated on a lost connection only where that does no harm', async () => {
    let calls = 0
    const kube = await serveKube((request, answer) => {
      calls++
      if (calls % 2 === 1) request.socket.destroy()
      else json(answer, 200, box('one', 1))
    })
    const client = kube.client()
    expect(await client.get(boxes, at)).toEqual(box('one', 1))
    expect(calls).toBe(2)
    const create = (repeat?: boolean) =>
      client.create(boxes, 'a', { metadata: { name: 'one' } }, repeat === undefined ? {} : { repeat })
    expect(await failureOf(create())).toMatchObject({ kind: 'away' })
    expect(calls).toBe(3)
    calls = 0
    await create(true)
    expect(calls).toBe(2)
  })

  it('end at their deadline, when they are called off, and with too large an answer', async () => {
    const clock = makeHandClock()
    let calls = 0
    const kube = await serveKube((_request, answer, url) => {
      calls++
      if (url.pathname === '/large') answer.end('x'.repeat(2_000))
      else answer.writeHead(200).write('{"half":')
    })
    const client = kube.client({ clock })
    const late = failureOf(client.get(boxes, at, { deadlineMs: 5_000 }))
    await expect.poll(() => calls).toBe(1)
    await clock.advance(5_000)
    expect(await late).toMatchObject({ kind: 'away', message: 'The API server did not answer within 5 s' })

    const off = new AbortController()
    const calledOff = client.get(boxes, at, { signal: off.signal })
    await expect.poll(() => calls).toBe(2)
    off.abort(new Error('not wanted any more'))
    await expect(calledOff).rejects.toThrow('not wanted any more')

    expect(await failureOf(client.text('/large', { maxBytes: 1_000 }))).toMatchObject({ kind: 'broken' })
  })

  it('tell at once that nobody is there', async () => {
    const kube = await serveKube(() => {})
    const client = kube.client()
    await new Promise((resolve) => kube.server.close(resolve))
    expect(await failureOf(client.get(boxes, at))).toMatchObject({ kind: 'away', status: 0 })
  })

  it('show a token that was renewed when the old one is refused', async () => {
    const shown: unknown[] = []
    const kube = await serveKube((request, answer) => {
      shown.push(request.headers.authorization)
      if (request.headers.authorization === 'Bearer new') json(answer, 200, box('one', 1))
      else refusal(answer, 401, 'Unauthorized', 'Unauthorized')
    })
    kube.cluster.login = async (anew) => ({ authorization: anew ? 'Bearer new' : 'Bearer old' })
    await kube.client().get(boxes, at)
    expect(shown).toEqual(['Bearer old', 'Bearer new'])
  })

  it('read again what somebody else changed, and then change it', async () => {
    let version = 1
    const change = async (read: number) => {
      if (version < 3) {
        version++
        throw new KubeError('conflict', 'the object has been modified')
      }
      return `wrote over ${read}`
    }
    const hasty = (_ms: number, run: () => void) => {
      setImmediate(run)
      return () => {}
    }
    const options = { clock: { after: hasty } }
    expect(await retryOnConflict(async () => version, change, options)).toBe('wrote over 3')
    const always = async () => Promise.reject(new KubeError('conflict', 'again'))
    await expect(retryOnConflict(async () => 1, always, options)).rejects.toThrow('again')
  })
})

describe('the rate of calls', () => {
  it('lets a burst through and then so many a second, in order', async () => {
    const clock = makeHandClock()
    const bucket = makeTokenBucket({ qps: 10, burst: 3 }, clock)
    const gone: number[] = []
    for (let i = 0; i < 6; i++) void bucket.take(never).then(() => gone.push(i))
    await clock.advance(0)
    expect(gone).toEqual([0, 1, 2])
    await clock.advance(100)
    expect(gone).toEqual([0, 1, 2, 3])
    await clock.advance(200)
    expect(gone).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('gives the place of one that is called off to the next', async () => {
    const clock = makeHandClock()
    const bucket = makeTokenBucket({ qps: 1, burst: 1 }, clock)
    await bucket.take(never)
    const off = new AbortController()
    const first = bucket.take(off.signal)
    let isThrough = false
    void bucket.take(never).then(() => {
      isThrough = true
    })
    off.abort(new Error('off'))
    await expect(first).rejects.toThrow('off')
    await clock.advance(1_000)
    expect(isThrough).toBe(true)
  })
})
