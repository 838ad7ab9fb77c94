import { canListenAt } from './share.front.ts'

/** Below those that connections get by themselves. */
const lowest = 20_000
const highest = 30_000

/** So many ports in a row that nobody has: servers of other tests share ports at the same time. */
export async function freePorts(count: number): Promise<{ first: number; last: number }> {
  const isFree = canListenAt('127.0.0.1')
  for (let tries = 0; tries < 100; tries += 1) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return { first, last: first + count - 1 }
  }
  throw new Error(`There are no ${count} free ports in a row`)
}
