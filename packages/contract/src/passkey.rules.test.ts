import { describe, expect, it } from 'vitest'
import { passkeyOriginOf, passkeysWorkAt, passkeyTexts } from './index.ts'

describe('the origin of passkeys', () => {
  it.each([
    ['https://vms.example.com', 'https://vms.example.com'],
    ['https://vms.example.com/', 'https://vms.example.com'],
    ['https://vms.example.com:8443/console', 'https://vms.example.com:8443'],
    ['https://1st.example.com', 'https://1st.example.com'],
    ['https://web1', 'https://web1'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://slipway.localhost', 'http://slipway.localhost'],
    ['http://vms.example.com', null],
    ['http://127.0.0.1:3000', null],
    ['https://192.0.2.1', null],
    ['https://[2001:db8::1]', null],
    ['https://3221225985', null],
    ['nonsense', null],
    ['', null],
  ])('of %j is %j', (url, origin) => expect(passkeyOriginOf(url)).toBe(origin))

  it('is the only one where they work, and a sentence names it elsewhere', () => {
    const origin = 'https://vms.example.com'
    expect(passkeysWorkAt(origin, origin)).toBe(true)
    expect(passkeysWorkAt(origin, 'https://192.0.2.1')).toContain(origin)
    expect(passkeysWorkAt(null, origin)).toBe(passkeyTexts.noOrigin)
  })
})
