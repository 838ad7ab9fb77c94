import { expect, test } from 'vitest'
import { judgeExit } from './exit.ts'
import { eventsIn } from './journal.ts'

const run = { run: 'one', shape: 1, bootId: 'boot-1', startedAt: 0 }
const by = (reason: string) => ({ events: [{ event: 'SHUTDOWN', data: { reason, guest: true }, at: 1 }] })
const evidence = { run, bootId: 'boot-1', asked: false, events: [], lastWords: '' }
const crashed = (reason: RegExp) => ({ how: 'crashed', reason: expect.stringMatching(reason) })

test.each<[string, Partial<Parameters<typeof judgeExit>[0]>, object]>([
  ['asked for, whatever the guest did then', { asked: true, ...by('guest-shutdown') }, { how: 'asked' }],
  ['asked for', { asked: true }, { how: 'asked' }],
  ['clean when the guest powered itself off', by('guest-shutdown'), { how: 'clean' }],
  ['clean before a host restart', { ...by('guest-shutdown'), bootId: 'boot-2' }, { how: 'clean' }],
  ['a reboot when the guest reset the machine', by('guest-reset'), { how: 'reboot' }],
  ['a host restart', { bootId: 'boot-2' }, { how: 'host-restart' }],
  ['a host restart with a signal', { bootId: 'boot-2', ...by('host-signal') }, { how: 'host-restart' }],
  ['a panic', by('guest-panic'), crashed(/^The kernel of the guest panicked\.$/)],
  ['a crash by a signal', by('host-signal'), crashed(/signal/)],
  ['a crash without evidence', {}, crashed(/without a shutdown/)],
  ['a crash with last words', { lastWords: 'KVM internal error' }, crashed(/KVM internal error/)],
])('a run ended: %s', (_, more, exit) => {
  expect(judgeExit({ ...evidence, ...more })).toEqual(exit)
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
