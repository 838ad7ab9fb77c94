import { finished } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { systemClock } from '../lib/clock.ts'

/** How fast a client has to take what is sent, looked at over a span: a slow one holds a place that others wait for. */
export const leastTaken = { bytesPerS: 16 * 1024, overMs: 30_000 }

/** Where an answer goes to, as far as it tells how much was taken of it. */
interface Out {
  /** Bytes given to it so far, and how many of these nobody has taken yet. */
  readonly bytesWritten: number
  readonly writableLength: number
}

/**
 * Ends an answer that its client takes too slowly; returns the way to stop looking. While there is nothing to take, the client
 * is not at fault.
 */
export function requireTaking(
  out: Out,
  end: () => void,
  clock: Pick<Clock, 'after'> = systemClock,
): () => void {
  let cancel = () => {}
  const taken = () => out.bytesWritten - out.writableLength
  const look = (before: number) => {
    cancel = clock.after(leastTaken.overMs, () => {
      const isSlow = taken() - before < (leastTaken.bytesPerS * leastTaken.overMs) / 1000
      if (isSlow && out.writableLength > 0) end()
      else look(taken())
    })
  }
  look(taken())
  return () => cancel()
}

/** Cuts the connection of a client that takes too little of an answer; until all of it was sent. */
export function cutUnlessTaken({ raw, request }: FastifyReply, what: string): void {
  const { socket } = request.raw
  const stopLooking = requireTaking(socket, () => {
    request.log.warn({ what }, 'an answer was ended: its client takes too little of it')
    socket.destroy()
  })
  finished(raw, stopLooking)
}
