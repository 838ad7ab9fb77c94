import type { Duplex } from 'node:stream'

/** Joins two connections: each carries what the other has, as fast as it takes it, and both end together. */
export function join(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.pipe(to)
    from.once('error', () => to.destroy())
    // What was read to its end may still be on its way to the other side.
    from.once('close', () => from.readableEnded || to.destroy())
  }
}
