// @module-tag both-databases
import { randomUUID } from 'node:crypto'
import { projectApi } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openTestDb } from '../db/database.test-kit.ts'
import { makeIdempotencyKeys } from '../db/idempotency-keys.ts'
import { systemClock } from '../lib/clock.ts'
import { makeIdempotency } from './idempotency.ts'

it('of two requests with one key at once the second waits for the first, and creates only what that one did not', async () => {
  const db = await openTestDb()
  const idempotency = makeIdempotency({
    keys: makeIdempotencyKeys(db),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  const key = randomUUID()
  const send = (handle: () => Promise<never>) =>
    idempotency.once(
      projectApi.create,
      {
        // What is read of a request and its answer.
        request: {
          method: 'POST',
          url: '/',
          headers: { 'idempotency-key': key },
        } as unknown as FastifyRequest,
        reply: { header: () => {} } as unknown as FastifyReply,
        accountId: 'ada',
        body: { name: 'shop' },
      },
      handle,
      async () => [],
    )
  const happened: string[] = []
  const { promise, reject } = Promise.withResolvers<never>()
  const first = send(() => {
    happened.push('first begins')
    return promise
  })
  const second = send(() => {
    happened.push('second begins')
    return Promise.reject(new Error('second'))
  })
  await expect.poll(() => happened).toEqual(['first begins'])
  // Far longer than it takes to look the key up.
  for (let look = 0; look < 20; look += 1) await db.selectFrom('idempotency_key').selectAll().execute()
  expect(happened).toEqual(['first begins'])
  reject(new Error('first'))
  await expect(first).rejects.toThrow('first')
  await expect(second).rejects.toThrow('second')
  expect(happened).toEqual(['first begins', 'second begins'])
  await db.destroy()
})
