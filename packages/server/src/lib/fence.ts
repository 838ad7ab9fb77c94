import { AsyncLocalStorage } from 'node:async_hooks'

const under = new AsyncLocalStorage<number>()

/** Does something under a number of the lease: what it writes is refused by the database once another has the lease. */
export const underLease = <T>(number: number, act: () => T): T => under.run(number, act)

/** The number of the lease under which this is done; undefined for what any server may do. */
export const leaseNow = (): number | undefined => under.getStore()
