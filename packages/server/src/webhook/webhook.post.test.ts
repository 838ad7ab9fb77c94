import { webhookTexts } from '@slipway/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../lib/clock.ts'
import { makeHostPolicy } from '../lib/public-hosts.ts'
import { startReceiver } from './receiver.test-kit.ts'
import { makePost, mayPostTo } from './webhook.post.ts'
import { newSecret, secretText, signedHeaders } from './webhook.signature.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { port } = new URL(receiver.url)

const nobody = () => Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }))

describe('hosts that are private', () => {
  const post = (addresses: string[], listed: string[] = []) =>
    makePost(
      makeHostPolicy(listed),
      async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      systemClock,
    )

  it.each([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['::1'], ['fd00::1'], ['::ffff:127.0.0.1']])(
    'are refused when a name leads to %s, and nothing is sent',
    async (address) => {
      const sent = await post([address])(`https://hooks.example.com:${port}/`, {}, '{}')
      expect(sent).toMatchObject({ status: null, failure: webhookTexts.urlPrivate })
      expect(receiver.received).toEqual([])
    },
  )

  it('are refused when the name led elsewhere a moment before: what is connected to is what was checked', async () => {
    let asked = 0
    const rebinding = makePost(
      makeHostPolicy([]),
      async () => [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }],
      systemClock,
    )
    for (let i = 0; i < 3; i++) {
      const sent = await rebinding(`https://hooks.example.com:${port}/`, {}, '{}')
      expect(sent.failure).toBe(webhookTexts.urlPrivate)
    }
    expect(receiver.received).toEqual([])
  })

  it('are taken when the operator lists the address that a name leads to, or the name', async () => {
    receiver.answer(204)
    const byName = makePost(makeHostPolicy(['localhost']), nobody, systemClock)
    expect(await byName(`http://localhost:${port}/hook`, {}, '{}')).toMatchObject({ status: 204 })
    const sent = await post(['127.0.0.1'], ['127.0.0.1'])(`https://hooks.example.com:${port}/`, {}, '{}')
    // It speaks no TLS, but it was reached.
    expect(sent.failure).not.toBe(webhookTexts.urlPrivate)
  })

  it('are refused by their address, and plain http by any that is not listed', () => {
    const verdict = (url: string, listed: string[] = []) => mayPostTo(makeHostPolicy(listed), new URL(url))
    expect(verdict('https://example.com/')).toBe(true)
    expect(verdict('https://8.8.8.8/')).toBe(true)
    expect(verdict('http://example.com/')).toBe(webhookTexts.urlHttps)
    expect(verdict('http://example.com/', ['example.com'])).toBe(true)
    for (const host of ['127.0.0.1', '0x7f.1', '[::1]', '[64:ff9b::7f00:1]', '192.168.1.1', '0.0.0.0'])
      expect(verdict(`https://${host}/`)).toBe(webhookTexts.urlPrivate)
    expect(verdict('http://10.20.3.4/', ['10.20.0.0/16'])).toBe(true)
  })
})

describe('a request', () => {
  const post = makePost(makeHostPolicy(['127.0.0.1', 'localhost']), nobody, systemClock)

  it('that cannot be sent says why', async () => {
    expect(await post('https://hooks.example.com/', {}, '{}')).toMatchObject({
      status: null,
      failure: 'The host name could not be resolved.',
    })
    expect((await post(`https://127.0.0.1:${port}/`, {}, '{}')).failure).not.toBeNull()
    expect(await post('http://127.0.0.1:1/', {}, '{}')).toMatchObject({
      failure: 'The server refused the connection.',
    })
  })

  it('hears when the receiver wants to be asked again', async () => {
    const asked = async (after: string) => {
      receiver.answer(() => (response) => void response.writeHead(429, { 'retry-after': after }).end())
      return (await post(receiver.url, {}, '{}')).retryAfterMs
    }
    expect(await asked('120')).toBe(120_000)
    expect(await asked('soon')).toBeNull()
    expect(await asked('-1')).toBeNull()
    const inAnHour = await asked(new Date(Date.now() + 3_600_000).toUTCString())
    expect(inAnHour).toBeGreaterThan(3_500_000)
  })
})

describe('a signature', () => {
  it('is that of the example of the specification', () => {
    // Of the tests of the specification's own libraries.
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330_999, '{"test": 2432232314}', [
      secret,
    ])
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
    expect(signedHeaders('i', 0, '', [secret, secret])['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  it('is made with secrets of 24 to 64 random bytes', () => {
    const secret = newSecret()
    expect(secret.length).toBeGreaterThanOrEqual(24)
    expect(secret.length).toBeLessThanOrEqual(64)
    expect(secretText(secret)).toBe(`whsec_${secret.toString('base64')}`)
    expect(newSecret()).not.toEqual(secret)
  })
})
