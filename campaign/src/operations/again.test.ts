import { describe, expect, it } from 'vitest'
import type { Answer, Client, Request } from '../client.ts'
import { makeWorld, newKnown } from '../world.ts'
import { createAgain, sendTwice, withKey } from './again.ts'

const answer = (status: number, id?: string, took = 1): Answer => ({
  status,
  text: JSON.stringify(id === undefined ? { message: 'No' } : { id }),
  headers: {},
  took,
})
const request: Request = { method: 'POST', path: '/api/projects', body: '{}' }

/** Gives one answer after the other. */
function clientOf(...answers: (Answer | null)[]): Client {
  const left = [...answers]
  return { send: async () => left.shift() ?? null, cookie: '', from: '', close: () => {} }
}
const twice = (...answers: (Answer | null)[]) => sendTwice(clientOf(...answers), request, 'project s1')

describe('a creation that is sent twice at once', () => {
  it('carries one key both times, that of its step', () => {
    const [one, same, other] = ['s1', 's1', 's2'].map((handle) => withKey(request, handle).headers)
    expect(one).toEqual(same)
    expect(one).not.toEqual(other)
    expect(Object.values(one ?? {})[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('is found when it made two objects, or was refused once it had made one', async () => {
    expect((await twice(answer(201, 'a'), answer(201, 'b'))).finding?.rule).toBe('doubled')
    expect((await twice(answer(201, 'a'), answer(409))).finding?.rule).toBe('doubled')
    expect((await twice(answer(409), answer(201, 'a', 2))).finding).toBeNull()
    expect((await twice(answer(201, 'a'), answer(201, 'a'))).finding).toBeNull()
    expect((await twice(answer(503), answer(201, 'a'))).finding).toBeNull()
    expect((await twice(answer(409), answer(409))).finding).toBeNull()
  })

  it('is unknown while one of its answers is missing and the other is no success', async () => {
    expect((await twice(null, answer(503))).answer).toBeNull()
    expect((await twice(null, answer(201, 'a'))).answer).toMatchObject({ status: 201 })
    expect((await twice(answer(409), answer(503))).answer).toMatchObject({ status: 409 })
  })
})

describe('a creation that is sent again later', () => {
  const judged = (got: Answer, over: Partial<Parameters<typeof newKnown>[0]> = {}) => {
    const world = makeWorld()
    const known = {
      handle: 's1',
      kind: 'disk' as const,
      user: 0,
      name: 's1',
      id: 'a',
      fate: 'there' as const,
    }
    world.objects.set('s1', newKnown({ ...known, ...over }))
    return createAgain.judge?.(world, { on: 's1' }, got)?.rule ?? null
  }

  it('must answer with the same object, or that it is gone', () => {
    expect(judged(answer(200, 'a'))).toBeNull()
    expect(judged(answer(200, 'b'))).toBe('doubled')
    expect(judged(answer(409))).toBe('doubled')
    expect(judged(answer(503))).toBeNull()
    expect(judged(answer(404), { fate: 'leaving' })).toBeNull()
    expect(judged(answer(200, 'b'), { fate: 'gone' })).toBe('doubled')
  })

  it('tells what became of one that was never answered', () => {
    const world = makeWorld()
    world.objects.set('s1', newKnown({ handle: 's1', kind: 'disk', user: 0, name: 's1' }))
    createAgain.learn?.(world, { on: 's1' }, answer(200, 'a'))
    expect(world.objects.get('s1')).toMatchObject({ id: 'a', fate: 'there' })
  })
})
