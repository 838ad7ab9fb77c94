/**
 * Server-sent events. The stream carries whole objects, so a client needs no history. A client that reads too slowly
 * is cut off rather than buffered without bound; it comes back by itself. An event is turned into text once, however
 * many listen.
 */
import type { FastifyReply } from 'fastify'
import type { Session, SessionLines } from './sessions.ts'

/** An event as the stream sends it; with a revision, a client that comes back can say what it had last. */
interface StreamEvent {
  name: string
  revision: string | null
  data: unknown
}

/** Where events come from. The first one comes when everything is ready for those that follow. */
export interface EventSource<Topic> {
  subscribe: (topic: Topic, after: string | null, hear: (event: StreamEvent) => void) => () => void
  /** Everything up to this revision was sent to whoever had a first event. */
  sentRevision: () => string
}

const heartbeatMs = 15_000
const maxBufferedBytes = 1024 * 1024
/** How long a client has to take the end of its stream before the connection is cut. */
const farewellMs = 1_000

export interface EventStreams<Topic> {
  /**
   * Takes over the reply and streams what is said of the topic, and what came after a revision, until either side
   * ends or the session does. Throws, with the reply untouched, when there are too many streams.
   */
  open: (
    reply: FastifyReply,
    from: { topic: Topic; after: string | null },
    session: Session,
    isAllowed: () => Promise<boolean>,
  ) => void
  /** Ends all streams; the server closes. */
  close: () => void
}

export function makeEventStreams<Topic>(
  source: EventSource<Topic>,
  lines: SessionLines,
): EventStreams<Topic> {
  const streams = new Set<{ end: () => void }>()
  const texts = new WeakMap<StreamEvent, string>()

  function textOf(event: StreamEvent): string {
    const known = texts.get(event)
    if (known !== undefined) return known
    const id = event.revision === null ? '' : `id: ${event.revision}\n`
    const text = `event: ${event.name}\n${id}data: ${JSON.stringify(event.data)}\n\n`
    texts.set(event, text)
    return text
  }

  return {
    open(reply, { topic, after }, session, isAllowed) {
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
      let isGreeted = false
      let hasTaken = true
      const stream = {
        end() {
          if (isOver) return
          forget()
          out.end()
          setTimeout(() => out.destroy(), farewellMs).unref()
        },
      }

      function write(text: string): void {
        if (isOver) return
        if (!out.write(text)) hasTaken = false
        if (out.writableLength > maxBufferedBytes) cutOff()
      }

      let stalledBeats = 0
      const heartbeat = setInterval(function beat() {
        stalledBeats = hasTaken ? 0 : stalledBeats + 1
        if (stalledBeats > 1) return cutOff()
        const revision = source.sentRevision()
        if (isGreeted) write(textOf({ name: 'beat', revision, data: { revision } }))
      }, heartbeatMs)
      heartbeat.unref()

      function forget(): void {
        if (isOver) return
        isOver = true
        clearInterval(heartbeat)
        streams.delete(stream)
        unsubscribe()
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
      streams.add(stream)
      write('retry: 2000\n: welcome\n\n')
      const unsubscribe = source.subscribe(topic, after, function hear(event) {
        isGreeted = true
        try {
          write(textOf(event))
        } catch (error) {
          // It comes back for the rest.
          cutOff()
          throw error
        }
      })
      place.hold({ isAllowed, end: stream.end })
    },
    close() {
      for (const stream of [...streams]) stream.end()
    },
  }
}
