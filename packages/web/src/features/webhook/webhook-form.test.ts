import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { webhookTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { verifyExample } from './verify-example.ts'
import { brokenRule, fieldsOf, noFields, nothingChosen, toBody } from './webhook-form.ts'
import { answerText, conditionOf, deliveryWord, entriesText } from './webhook-words.ts'

const url = 'https://hooks.example.com/a'

describe('the form of a webhook', () => {
  it('sends all entries, whatever was chosen before', () => {
    const fields = { ...noFields, url: ` ${url} `, description: ' chat ', objects: ['vm'] as const }
    expect(toBody(fields)).toEqual({ url, description: 'chat', objects: null, kinds: null, actions: null })
  })

  it('sends what was chosen, and all of what nothing was chosen of', () => {
    const fields = {
      ...noFields,
      url,
      which: 'some',
      kinds: ['failure'],
      actions: 'vm.start,  vm.stop',
    } as const
    expect(toBody(fields)).toMatchObject({
      objects: null,
      kinds: ['failure'],
      actions: ['vm.start', 'vm.stop'],
    })
  })

  it('comes from a webhook and leads to the same', () => {
    const filter = { objects: ['vm' as const], kinds: null, actions: ['vm.start'] }
    const webhook = { url, description: 'chat', ...filter }
    // The rest is not read.
    const fields = fieldsOf(webhook as Parameters<typeof fieldsOf>[0])
    expect(toBody(fields)).toEqual(webhook)
  })

  it('says what is missing', () => {
    expect(brokenRule(noFields)).toBe(webhookTexts.urlMissing)
    expect(brokenRule({ ...noFields, url: 'example.com' })).toBe(webhookTexts.urlInvalid)
    expect(brokenRule({ ...noFields, url })).toBeUndefined()
    expect(brokenRule({ ...noFields, url, which: 'some' })).toBe(nothingChosen)
    expect(brokenRule({ ...noFields, url, which: 'some', actions: 'vm.start' })).toBeUndefined()
  })
})

describe('words about webhooks', () => {
  it('say which entries are sent', () => {
    expect(entriesText({ objects: null, kinds: null, actions: null })).toBe('All entries')
    expect(entriesText({ objects: ['vm', 'disk'], kinds: ['failure'], actions: null })).toBe(
      'VM, Disk; Failure',
    )
    expect(entriesText({ objects: null, kinds: null, actions: ['vm.start'] })).toBe('vm.start')
  })

  it('say how it is', () => {
    const since = '2026-11-27T03:00:00.000Z'
    expect(conditionOf({ paused: false, failing_since: null })).toBe('active')
    expect(conditionOf({ paused: false, failing_since: since })).toBe('failing')
    expect(conditionOf({ paused: true, failing_since: since })).toBe('paused')
  })

  it('say what came of a delivery', () => {
    expect(deliveryWord({ state: 'waiting', tries: 0 })).toBe('Waiting')
    expect(deliveryWord({ state: 'waiting', tries: 2 })).toBe('Waiting to be sent again')
    expect(deliveryWord({ state: 'failed', tries: 2 })).toBe('Failed')
    const of = (more: object) =>
      answerText({ tries: 1, status_code: null, duration_ms: null, ...more } as never)
    expect(of({ tries: 0 })).toBeNull()
    expect(of({ status_code: 204, duration_ms: 35 })).toBe('204, 35 ms, 1 try')
    expect(of({ duration_ms: 15_012, tries: 3 })).toBe('15.0 s, 3 tries')
  })
})

describe('the example that checks a signature', () => {
  const load = () => import(`data:text/javascript,${encodeURIComponent(verifyExample)}`)
  const key = Buffer.alloc(32, 7)
  const secret = `whsec_${key.toString('base64')}`
  const signed = (body: string, atS = Math.floor(Date.now() / 1000)) => {
    const signature = createHmac('sha256', key).update(`id.${atS}.${body}`).digest('base64')
    return {
      'webhook-id': 'id',
      'webhook-timestamp': `${atS}`,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} v1,${signature}`,
    }
  }

  it('takes what is signed, and nothing else', async () => {
    const { isFromSlipway } = await load()
    expect(isFromSlipway(signed('{}'), '{}', secret)).toBe(true)
    expect(isFromSlipway(signed('{}'), '{} ', secret)).toBe(false)
    expect(isFromSlipway(signed('{}', 1_000_000_000), '{}', secret)).toBe(false)
    expect(isFromSlipway({ ...signed('{}'), 'webhook-id': 'other' }, '{}', secret)).toBe(false)
    expect(isFromSlipway(signed('{}'), '{}', `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false)
  })

  it('is the one of the documentation', () => {
    const docs = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8')
    expect(docs).toContain(verifyExample)
  })
})
