import { describe, expect, test } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { EngineError } from '../engine.ts'
import { wholeOrNone } from './whole-or-none.ts'

describe('a snapshot that is made whole or not at all', () => {
  type State = 'none' | 'some' | 'whole'

  /** Begins with one state; `make` leaves another and may fail. */
  async function run(
    begin: State,
    make: (controller: AbortController) => State | Error,
    { aborted = false, removalFails = false } = {},
  ) {
    let state = begin
    const controller = new AbortController()
    if (aborted) controller.abort()
    const answer = await wholeOrNone({
      id: 'one',
      log: silentLog,
      signal: controller.signal,
      doing: 'The snapshot could not be taken.',
      look: () => state,
      async make() {
        const made = make(controller)
        state = made instanceof Error ? (state === 'whole' ? 'whole' : 'some') : made
        if (made instanceof Error) throw made
        return 'its size'
      },
      async remove() {
        if (removalFails) throw new Error('not now')
        state = 'none'
      },
    }).catch((error: unknown) => error)
    return { answer, state }
  }
  const failure = new EngineError('internal', 'No room.')

  test('gives back what making it gives, and leaves it', async () => {
    expect(await run('none', () => 'whole')).toEqual({ answer: 'its size', state: 'whole' })
  })

  test.each(['none', 'some'] as const)(
    'leaves nothing when it fails after %s of it was there',
    async (begin) => {
      expect(await run(begin, () => failure)).toEqual({ answer: failure, state: 'none' })
    },
  )

  test('leaves what was whole before, whatever happens to the call', async () => {
    expect(await run('whole', () => failure)).toEqual({ answer: failure, state: 'whole' })
    expect((await run('whole', () => 'whole', { aborted: true })).state).toBe('whole')
  })

  test('says that it was cancelled, before and in the middle of it', async () => {
    const cancelled = { code: 'aborted' }
    expect(await run('some', () => 'whole', { aborted: true })).toMatchObject({
      answer: cancelled,
      state: 'none',
    })
    const inTheMiddle = await run('none', (controller) => {
      controller.abort()
      return failure
    })
    expect(inTheMiddle).toMatchObject({ answer: cancelled, state: 'none' })
  })

  test('says why it failed also when what is left cannot be removed now', async () => {
    expect(await run('none', () => failure, { removalFails: true })).toEqual({
      answer: failure,
      state: 'some',
    })
  })
})
