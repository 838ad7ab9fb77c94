import { webhookPatienceDays, webhookTexts } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longestAskedMs, pauseAfter, pausesMs } from '../lib/retry-pauses.ts'
import { afterTry, type Tried } from './webhook.plan.ts'

const now = Date.UTC(2026, 10, 27)
const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

const tried = ({
  outcome,
  ...more
}: Partial<Omit<Tried, 'outcome'>> & { outcome?: Partial<Tried['outcome']> } = {}): Tried => ({
  outcome: { status: 500, failure: 'It failed.', retryAfterMs: null, ...outcome },
  tries: 1,
  isTest: false,
  failingSinceMs: null,
  nowMs: now,
  jitter: 0,
  ...more,
})

describe('the pauses between tries', () => {
  it('grow, and take about a day together', () => {
    for (const [i, pause] of pausesMs.entries())
      if (i > 0) expect(pause).toBeGreaterThan(pausesMs[i - 1] ?? 0)
    const total = pausesMs.reduce((sum, pause) => sum + pause, 0)
    expect(total).toBeGreaterThan(22 * hourMs)
    expect(total).toBeLessThan(26 * hourMs)
  })

  it('are those of the table, a little longer by chance, and end', () => {
    for (const [i, pause] of pausesMs.entries()) {
      expect(pauseAfter(i + 1, null, 0)).toBe(pause)
      expect(pauseAfter(i + 1, null, 1)).toBe(Math.round(pause * 1.2))
    }
    expect(pauseAfter(pausesMs.length + 1, null, 0)).toBeNull()
  })

  it('are at least what the receiver asks for, up to a limit', () => {
    expect(pauseAfter(1, 60_000, 0)).toBe(60_000)
    expect(pauseAfter(1, 1, 0)).toBe(pausesMs[0])
    expect(pauseAfter(1, 365 * dayMs, 0)).toBe(longestAskedMs)
    expect(pauseAfter(pausesMs.length + 1, 60_000, 0)).toBeNull()
  })
})

describe('after a try', () => {
  it('with any status from 200 to 299 it is delivered, and the webhook is well', () => {
    for (let status = 100; status < 600; status++) {
      const { delivery, webhook } = afterTry(tried({ outcome: { status }, failingSinceMs: now - 9 * dayMs }))
      const isRight = status >= 200 && status < 300
      expect(delivery.state === 'delivered').toBe(isRight)
      expect(webhook?.is).toBe(isRight ? 'well' : 'failing')
    }
  })

  it('that was no answer, or one about the receiver, everything waits until the next try', () => {
    for (const status of [null, 301, 302, 307, 401, 403, 404, 408, 429, 500, 502, 503, 504])
      expect(afterTry(tried({ outcome: { status } }))).toEqual({
        delivery: { state: 'waiting', nextMs: now + pausesMs[0] },
        webhook: { is: 'failing', sinceMs: now, heldUntilMs: now + pausesMs[0], pausedFor: null },
      })
  })

  it('with an answer about this request the others go on', () => {
    for (const status of [400, 405, 406, 409, 413, 415, 422])
      expect(afterTry(tried({ outcome: { status } }))).toMatchObject({
        delivery: { state: 'waiting' },
        webhook: { is: 'failing', heldUntilMs: null },
      })
  })

  it('of 410 it is given up at once, and the webhook is paused', () => {
    expect(afterTry(tried({ outcome: { status: 410 } }))).toEqual({
      delivery: { state: 'failed' },
      webhook: { is: 'failing', sinceMs: now, heldUntilMs: null, pausedFor: webhookTexts.gone },
    })
  })

  it('that was the last it is given up, and the next one is sent', () => {
    expect(afterTry(tried({ tries: pausesMs.length + 1 }))).toMatchObject({
      delivery: { state: 'failed' },
      webhook: { heldUntilMs: null, pausedFor: null },
    })
  })

  it('of a test it is tried no more, and says nothing of the webhook unless it succeeds', () => {
    expect(afterTry(tried({ isTest: true }))).toEqual({ delivery: { state: 'failed' }, webhook: null })
    expect(afterTry(tried({ isTest: true, outcome: { status: 410 } })).webhook).toBeNull()
    expect(afterTry(tried({ isTest: true, outcome: { status: 204 } })).webhook).toEqual({ is: 'well' })
  })

  it('the webhook is paused once nothing has succeeded for days', () => {
    const patienceMs = webhookPatienceDays * dayMs
    const pausedAfter = (ms: number) => {
      const { webhook } = afterTry(tried({ failingSinceMs: now - ms }))
      return webhook?.is === 'failing' ? webhook.pausedFor : null
    }
    expect(pausedAfter(patienceMs - 1)).toBeNull()
    expect(pausedAfter(patienceMs)).toBe('No delivery has succeeded for 3 days. It failed.')
  })

  it('a receiver that never succeeds ends in a pause, whatever it answers and when', () => {
    const status = fc.option(
      fc.integer({ min: 100, max: 599 }).filter((n) => n < 200 || n > 299),
      { nil: null },
    )
    const retryAfterMs = fc.option(fc.integer({ min: 1, max: 400 * dayMs }), { nil: null })
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.tuple(status, retryAfterMs, fc.double({ min: 0, max: 1, noNaN: true }))),
        (answers) => {
          let nowMs = now
          let tries = 0
          let failingSinceMs: number | null = null
          for (let count = 1; count < 200; count++) {
            const [status, retryAfterMs, jitter] = answers.next().value
            tries++
            const verdict = afterTry(
              tried({ outcome: { status, retryAfterMs }, tries, failingSinceMs, nowMs, jitter }),
            )
            if (verdict.webhook?.is !== 'failing') throw new Error('It did not fail')
            failingSinceMs = verdict.webhook.sinceMs
            if (verdict.webhook.pausedFor !== null) return nowMs - now <= 4 * dayMs
            // The next delivery follows at once upon one that was given up.
            if (verdict.delivery.state === 'waiting') nowMs = verdict.delivery.nextMs
            else tries = 0
          }
          return false
        },
      ),
    )
  })
})
