import { expect, it } from 'vitest'
import { makeHandClock } from '../lib/hand-clock.ts'
import { makeBrokenFrames } from './broken-frames.ts'

it('malformed frames are one short line a minute, and what is unexpected is logged with its stack', async () => {
  const clock = makeHandClock()
  const note = makeBrokenFrames(clock)
  const said: unknown[] = []
  const log = {
    warn: (...words: unknown[]) => void said.push(words),
    error: (...words: unknown[]) => void said.push(words),
  }
  const malformed = Object.assign(new RangeError('Invalid WebSocket frame'), {
    code: 'WS_ERR_INVALID_OPCODE',
  })
  const line = (frames: number) => [
    { from: '192.0.2.1', reason: 'WS_ERR_INVALID_OPCODE', frames },
    'A client sent malformed WebSocket frames',
  ]
  for (let i = 0; i < 1000; i++) note(malformed, '192.0.2.1', log)
  expect(said).toEqual([line(1)])
  await clock.advance(60_000)
  note(malformed, '192.0.2.1', log)
  expect(said).toEqual([line(1), line(1000)])
  note(Object.assign(new Error('cut'), { code: 'ECONNRESET' }), '192.0.2.1', log)
  expect(said).toHaveLength(2)
  const bug = new TypeError('not a function')
  note(bug, '192.0.2.1', log)
  expect(said.at(-1)).toEqual([{ err: bug }, 'unexpected error of a socket'])
})
