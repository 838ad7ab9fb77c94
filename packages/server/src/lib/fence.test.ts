import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { leaseNow, underLease } from './fence.ts'
import { heldLease } from './lease.ts'

it('goes with everything that is begun under a lease, and with nothing else', async () => {
  const numbers = await Promise.all([
    underLease(7, async () => {
      await sleep(2)
      return [leaseNow(), await underLease(8, async () => leaseNow()), leaseNow()]
    }),
    underLease(9, () => leaseNow()),
    leaseNow(),
  ])
  expect(numbers).toEqual([[7, 8, 7], 9, null])
})

it('of a server that is alone is its own from when it takes it until it gives it up', async () => {
  const lease = heldLease('we')
  const { signal } = new AbortController()
  expect([lease.number(), lease.holder()]).toEqual([null, null])
  expect(await lease.take(signal)).toBe(1)
  expect([lease.number(), lease.holder()]).toEqual([1, 'we'])
  await lease.release()
  await lease.release()
  expect([lease.number(), lease.holder()]).toEqual([null, null])
  await expect(lease.take(AbortSignal.abort())).rejects.toThrow()
})
