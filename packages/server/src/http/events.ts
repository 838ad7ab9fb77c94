/**
 * Server-sent events. The stream carries whole objects, so a client needs no history: after a broken connection it
 * fetches its lists again. A client that reads too slowly is cut off rather than buffered without bound; it comes
 * back by itself. An event is turned into text once, however many listen.
 */
import type { FastifyReply } from 'fastify'
import type { Session, SessionLines } from './sessions.ts'

/** Listens to a topic; returns the way to stop. */
export type Subscribe = (topic: string, listener: (event: string, data: unknown) => void) => () => void

const heartbeatMs = 15_000
const maxBufferedBytes = 1024 * 1024
/** How long a client has to take the end of its stream before the connection is cut. */
const farewellMs = 1_000

export interface EventStreams {
  /**
   * Takes over the reply and streams the topic until either side ends or the session does. Throws, with the reply
   * untouched, when there are too many streams.
   */
  open: (reply: FastifyReply, topic: string, session: Session, isAllowed: () => Promise<boolean>) => void
  /** Ends all streams; the server closes. */
  close: () => void
}

interface Stream {
  write: (text: string) => void
  end: () => void
}

export function makeEventStreams(subscribe: Subscribe, lines: SessionLines): EventStreams {
  const topics = new Map<string, { streams: Set<Stream>; unsubscribe: () => void }>()

  function join(topic: string, stream: Stream): void {
    const joined = topics.get(topic)
    if (joined) {
      joined.streams.add(stream)
      return
    }
    const streams = new Set([stream])
    const unsubscribe = subscribe(topic, function sendToAll(event, data) {
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      for (const one of [...streams]) one.write(text)
    })
    topics.set(topic, { streams, unsubscribe })
  }

  function part(topic: string, stream: Stream): void {
    const joined = topics.get(topic)
    if (!joined?.streams.delete(stream) || joined.streams.size > 0) return
    joined.unsubscribe()
    topics.delete(topic)
  }

  return {
    open(reply, topic, session, isAllowed) {
      const place = lines.take('stream', session)
      reply.hijack()
      const out = reply.raw
      out.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      let isOver = false
      let hasTaken = true
      const stream: Stream = {
        write(text) {
          if (isOver) return
          if (!out.write(text)) hasTaken = false
          if (out.writableLength > maxBufferedBytes) cutOff()
        },
        end() {
          if (isOver) return
          forget()
          out.end()
          setTimeout(() => out.destroy(), farewellMs).unref()
        },
      }
      let stalledBeats = 0
      const heartbeat = setInterval(function beat() {
        stalledBeats = hasTaken ? 0 : stalledBeats + 1
        if (stalledBeats > 1) cutOff()
        else stream.write(': still here\n\n')
      }, heartbeatMs)
      heartbeat.unref()

      function forget(): void {
        if (isOver) return
        isOver = true
        clearInterval(heartbeat)
        part(topic, stream)
        place.leave()
      }

      /** Waiting for a client that does not read would keep its buffer for ever. */
      function cutOff(): void {
        forget()
        out.destroy()
      }

      out.on('drain', () => {
        hasTaken = true
      })
      out.on('close', forget)
      out.on('error', cutOff)
      join(topic, stream)
      stream.write('retry: 2000\n: welcome\n\n')
      place.hold({ isAllowed, end: stream.end })
    },
    close() {
      for (const { streams } of [...topics.values()]) for (const stream of [...streams]) stream.end()
    },
  }
}
