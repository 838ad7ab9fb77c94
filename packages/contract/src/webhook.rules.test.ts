import { describe, expect, it } from 'vitest'
import { activityKinds, activityObjects } from './activity.rules.ts'
import {
  readActions,
  webhookObjects,
  webhookTakes,
  webhookTexts,
  webhookTitle,
  webhookUrlAllowed,
} from './webhook.rules.ts'

const all = { id: 'w', objects: null, kinds: null, actions: null }
const entry = (more: object = {}) =>
  ({ kind: 'wish', action: 'vm.start', object: { type: 'vm', id: 'v' }, ...more }) as const

describe('which entries a webhook takes', () => {
  it('is every one, without a choice', () => {
    for (const kind of activityKinds)
      for (const type of activityObjects)
        expect(webhookTakes(all, { kind, action: 'x.y', object: { type, id: 'o' } })).toBe(true)
  })

  it('is none about itself, so that no failure follows upon its own', () => {
    const own = { type: 'webhook', id: 'w' } as const
    expect(webhookTakes(all, entry({ object: own }))).toBe(false)
    expect(webhookTakes({ ...all, objects: ['webhook'] }, entry({ object: own }))).toBe(false)
    expect(webhookTakes(all, entry({ object: { ...own, id: 'other' } }))).toBe(true)
    expect(webhookTakes(all, entry({ object: { type: 'vm', id: 'w' } }))).toBe(true)
  })

  it('has to fit each choice that was made', () => {
    for (const objects of [null, ['vm'], ['disk']])
      for (const kinds of [null, ['wish'], ['failure']])
        for (const actions of [null, ['vm.start'], ['vm.stop']])
          expect(webhookTakes({ id: 'w', objects, kinds, actions }, entry())).toBe(
            objects?.[0] !== 'disk' && kinds?.[0] !== 'failure' && actions?.[0] !== 'vm.stop',
          )
  })

  it('offers objects that the log of a project can be about, and not those of accounts', () => {
    const ofAccounts = ['account', 'ssh_key', 'api_token', 'passkey', 'template']
    expect([...webhookObjects].sort()).toEqual(
      activityObjects.filter((one) => !ofAccounts.includes(one)).sort(),
    )
  })
})

describe('the URL of a webhook', () => {
  const urlOf = (length: number) => 'https://example.com/'.padEnd(length, 'x')

  it.each(['https://example.com', urlOf(2048), 'http://10.0.0.1:8080/a?b=c', 'HTTPS://[2001:db8::1]/'])(
    '%s is one',
    (url) => expect(webhookUrlAllowed(url)).toBe(true),
  )
  it.each([
    ['', webhookTexts.urlMissing],
    ['example.com', webhookTexts.urlInvalid],
    ['ftp://example.com', webhookTexts.urlInvalid],
    ['https://', webhookTexts.urlInvalid],
    ['https://a:b@example.com', webhookTexts.urlCredentials],
    ['https://a@example.com', webhookTexts.urlCredentials],
    ['https://:b@example.com', webhookTexts.urlCredentials],
    ['ftp://example.com/?to=http://example.com', webhookTexts.urlInvalid],
    [urlOf(2049), webhookTexts.urlTooLong],
  ])('%j is refused with what is wrong', (url, message) => expect(webhookUrlAllowed(url)).toBe(message))
})

describe('what people type and read', () => {
  it('actions have commas, spaces or lines between them, and count once', () => {
    expect(readActions(' vm.start,vm.stop\nvm.start  ')).toEqual(['vm.start', 'vm.stop'])
    expect(readActions('  ')).toEqual([])
  })

  it('a webhook is called by its description, or its host', () => {
    expect(webhookTitle({ url: 'https://example.com:8443/key', description: 'chat' })).toBe('chat')
    expect(webhookTitle({ url: 'https://example.com:8443/key', description: '' })).toBe('example.com:8443')
    expect(webhookTitle({ url: 'nonsense', description: '' })).toBe('nonsense')
  })
})
