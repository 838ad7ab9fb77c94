import { describe, expect, it } from 'vitest'
import { pausesMs } from '../lib/retry-pauses.ts'
import { failureOf } from '../mail/mail.ts'
import { afterTry, type Tried } from './mail-delivery.plan.ts'

const at = Date.parse('2026-05-01T10:00:00.000Z')
const tried = (change: Partial<Tried>): Tried => ({
  outcome: { message: 'no answer', about: 'server' },
  tries: 1,
  serverFailures: 1,
  nowMs: at,
  expiresMs: null,
  jitter: 0,
  ...change,
})

describe('after a try', () => {
  it('a mail that was taken is sent', () => {
    expect(afterTry(tried({ outcome: 'sent' }))).toEqual({ mail: { state: 'sent' }, holdMs: null })
  })

  it('a mail that is refused for good is tried no more, and holds up no other', () => {
    const outcome = { message: 'no such mailbox', about: 'mail' } as const
    expect(afterTry(tried({ outcome }))).toEqual({ mail: { state: 'failed' }, holdMs: null })
  })

  it('a mail waits longer from try to try, and fails after the last', () => {
    const outcome = { message: 'come back later', about: 'later' } as const
    for (const [i, pauseMs] of pausesMs.entries())
      expect(afterTry(tried({ outcome, tries: i + 1 }))).toEqual({
        mail: { state: 'waiting', nextMs: at + pauseMs },
        holdMs: null,
      })
    expect(afterTry(tried({ outcome, tries: pausesMs.length + 1 })).mail).toEqual({ state: 'failed' })
  })

  it('a mail is not tried when its link has stopped working by then', () => {
    expect(afterTry(tried({ expiresMs: at + 5_000 })).mail).toEqual({ state: 'failed' })
    expect(afterTry(tried({ expiresMs: at + 5_001 })).mail.state).toBe('waiting')
  })

  it('all mails wait while the mail server fails, for five minutes at most', () => {
    expect(afterTry(tried({ serverFailures: 1 })).holdMs).toBe(5_000)
    for (const serverFailures of [5, 50]) expect(afterTry(tried({ serverFailures })).holdMs).toBe(300_000)
  })

  it('no other mail waits for a failure that was known already', () => {
    expect(afterTry(tried({ serverFailures: null }))).toEqual({
      mail: { state: 'waiting', nextMs: at + 5_000 },
      holdMs: null,
    })
  })
})

describe('what a mail server answers', () => {
  it.each([
    [{ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }, 'mail'],
    [{ code: 'EENVELOPE', responseCode: 451, command: 'RCPT TO' }, 'later'],
    [{ code: 'EENVELOPE', responseCode: 550, command: 'MAIL FROM' }, 'server'],
    [{ code: 'EMESSAGE', responseCode: 554 }, 'mail'],
    [{ code: 'EAUTH', responseCode: 535 }, 'server'],
    [{ code: 'ECONNECTION' }, 'server'],
    [{ code: 'ENOSPC' }, 'server'],
  ])('%j is about the %s', (parts, about) => {
    expect(failureOf(Object.assign(new Error('failed'), parts))).toEqual({ message: 'failed', about })
  })
})
