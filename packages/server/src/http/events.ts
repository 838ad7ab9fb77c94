/**
 * Server-sent events. The stream carries whole objects, so a client needs no history: after a broken connection it
 * fetches its lists again. A client that reads too slowly is cut off rather than buffered without bound; it comes
 * back by itself.
 */
import type { FastifyReply } from 'fastify'

/** Listens to a topic; returns the way to stop. */
export type Subscribe = (topic: string, listener: (event: string, data: unknown) => void) => () => void

const heartbeatMs = 15_000
const maxBufferedBytes = 1024 * 1024

export interface EventStreams {
  /** Takes over the reply and streams the topic until either side ends. */
  open: (reply: FastifyReply, topic: string, stillAllowed: () => Promise<boolean>) => void
  /** Ends all streams; the server closes. */
  close: () => void
}

export function makeEventStreams(subscribe: Subscribe): EventStreams {
  const open = new Set<() => void>()
  return {
    open(reply, topic, stillAllowed) {
      reply.hijack()
      const out = reply.raw
      out.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      const write = (text: string) => {
        out.write(text)
        if (out.writableLength > maxBufferedBytes) end()
      }
      const unsubscribe = subscribe(topic, (event, data) =>
        write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      )
      const heartbeat = setInterval(() => {
        write(': still here\n\n')
        // A session that ended must not go on listening.
        stillAllowed().then(
          (allowed) => !allowed && end(),
          () => end(),
        )
      }, heartbeatMs)
      heartbeat.unref()
      function end() {
        if (!open.delete(end)) return
        clearInterval(heartbeat)
        unsubscribe()
        out.end()
      }
      open.add(end)
      out.on('close', end)
      out.on('error', end)
      write('retry: 2000\n: welcome\n\n')
    },
    close() {
      for (const end of [...open]) end()
    },
  }
}
