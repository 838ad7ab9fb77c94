import { makeFairQueue } from './fair-queue.ts'

/** Lets so many pieces of work run at once that belong to nobody; the others wait, first come first served. */
export function atMost(count: number) {
  const queue = makeFairQueue({ inAll: count, ofOneKey: count })
  return <T>(work: () => Promise<T>): Promise<T> => queue.run(null, work)
}
