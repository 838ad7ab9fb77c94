import { describe, expect, test } from 'vitest'
import { judgeExit } from './exit.ts'
import { eventsIn } from './journal.ts'

const run = { run: 'one', shape: 1, bootId: 'boot-1', startedAt: 0 }
const shutdown = (reason: string) => ({ event: 'SHUTDOWN', data: { reason, guest: true }, at: 1 })
const evidence = { run, bootId: 'boot-1', asked: false, events: [], lastWords: '' }
const judge = (more: Partial<Parameters<typeof judgeExit>[0]>) => judgeExit({ ...evidence, ...more })

describe('how a run ended', () => {
  test('is asked when it was asked for, whatever the guest did then', () => {
    expect(judge({ asked: true, events: [shutdown('guest-shutdown')] })).toEqual({ how: 'asked' })
    expect(judge({ asked: true })).toEqual({ how: 'asked' })
  })

  test('is clean when the guest powered itself off, even before the host restarted', () => {
    expect(judge({ events: [shutdown('guest-shutdown')] })).toEqual({ how: 'clean' })
    expect(judge({ events: [shutdown('guest-shutdown')], bootId: 'boot-2' })).toEqual({ how: 'clean' })
  })

  test('is a reboot when the guest reset the machine', () => {
    expect(judge({ events: [shutdown('guest-reset')] })).toEqual({ how: 'reboot' })
  })

  test('is a host restart when the host has started anew since, signalled or not', () => {
    expect(judge({ bootId: 'boot-2' })).toEqual({ how: 'host-restart' })
    expect(judge({ bootId: 'boot-2', events: [shutdown('host-signal')] })).toEqual({ how: 'host-restart' })
  })

  test('is a crash with the evidence otherwise', () => {
    const reason = (more: Partial<Parameters<typeof judgeExit>[0]>) => {
      const exit = judge(more)
      return exit.how === 'crashed' ? exit.reason : exit.how
    }
    expect(reason({ events: [shutdown('guest-panic')] })).toBe('The kernel of the guest panicked.')
    expect(reason({ events: [shutdown('host-signal')] })).toContain('signal')
    expect(reason({})).toContain('without a shutdown')
    expect(reason({ lastWords: 'KVM internal error' })).toContain('KVM internal error')
  })
})

test('a journal is read up to the line a crash tore', () => {
  const text = [
    '{"QMP": {}}',
    '{"return": {}}',
    '{"timestamp": {"seconds": 1, "microseconds": 0}, "event": "SHUTDOWN", "data": {"reason": "guest-reset"}}',
    '{"timestamp": {"sec',
  ].join('\n')
  expect(eventsIn(text)).toEqual([{ event: 'SHUTDOWN', data: { reason: 'guest-reset' }, at: 1000 }])
})
