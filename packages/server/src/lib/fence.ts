/**
 * What is done under a lease: the number goes with all that `act` begins, down to the database, which refuses writes
 * under a number that is over (db/postgres-driver.ts). What is done outside, such as requests of users, is not fenced.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const numbers = new AsyncLocalStorage<number>()

export const underLease = <T>(number: number, act: () => T): T => numbers.run(number, act)

/** The number of the lease under which the present code runs; null outside. */
export const leaseNow = (): number | null => numbers.getStore() ?? null
