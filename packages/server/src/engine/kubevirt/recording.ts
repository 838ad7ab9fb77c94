/** The console of one run of a guest: a stream that is opened again whenever it breaks, and appended to a file. */
import { appendFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import type { atMost } from '../../lib/at-most.ts'
import { backoffMs } from '../../lib/backoff.ts'
import { isoTime } from '../../lib/clock.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { inBackground } from '../../lib/in-background.ts'
import { pause } from '../../lib/pause.ts'
import type { ConsoleLogs } from '../console/console-logs.ts'
import { typeInto } from '../console/console-reader.ts'
import type { Ground } from './ground.ts'
import { openPart } from './lines.ts'
import type { Recorded } from './recorded-mirror.ts'

/** A stream that held for so long was a good one: the pause before the next try is short again. */
const goodMs = 60_000
/** What a guest printed last may still be on its way when its end is known. */
const lastWordsMs = 2000
/** So long what is typed waits for a stream that is not there yet, or not there again. */
const typingMs = 10_000
/** Looked at for what can be forgotten whenever so much was added. */
const trimEveryBytes = 1024 * 1024

export interface Recording {
  run: string
  /** Types into the guest, as soon as there is a line; false when none comes. */
  write(bytes: Buffer): Promise<boolean>
  /** After the end of the guest: keeps its last words. */
  end(): Promise<void>
  stop(): Promise<void>
}

/** @param options.missed whether the guest may have printed something before */
export function startRecording(
  ground: Pick<Ground, 'client' | 'clock' | 'log'> & {
    logs: ConsoleLogs
    inTurn: ReturnType<typeof atMost>
  },
  instance: Recorded,
  options: { missed: boolean },
): Recording {
  const { clock, log, logs, inTurn } = ground
  const { id } = instance
  const over = new AbortController()
  let line: Duplex | null = null
  let isEnding = false
  /** What was missed before it goes on; `since` is null where nobody knows. */
  let gap: { since: number | null } | null = options.missed ? { since: null } : null
  let untrimmed = 0
  /** Resolves with each line that comes, and when none will come any more. */
  let change = Promise.withResolvers<void>()
  const isOver = () => over.signal.aborted || isEnding

  function changed(): void {
    change.resolve()
    change = Promise.withResolvers()
  }

  async function add(bytes: Buffer): Promise<void> {
    try {
      await appendFile(logs.pathOf(id), bytes, { mode: 0o600 })
    } catch (error) {
      if (!gap) log.warn({ err: error, machine: id }, 'What a VM printed could not be kept')
      gap ??= { since: clock.now() }
      return
    }
    logs.tell(id)
    untrimmed += bytes.length
    if (untrimmed < trimEveryBytes) return
    untrimmed = 0
    await logs
      .trim(id)
      .catch((error: unknown) => log.warn({ err: error, machine: id }, 'Old output was not removed'))
  }

  async function admitGap(): Promise<void> {
    if (!gap) return
    const { since } = gap
    gap = null
    await add(Buffer.from(gapLine(since, clock.now())))
  }

  async function record(): Promise<void> {
    const { signal } = over
    for (let failures = 0; !isOver(); ) {
      const opening = inTurn(() => openPart(ground, instance, 'console', { signal }))
      const opened = await opening.catch(() => null)
      const openedAt = clock.monotonic()
      if (opened) {
        line = opened
        changed()
        await admitGap()
        try {
          for await (const chunk of opened) {
            await admitGap()
            await add(chunk)
          }
        } catch {
          // It broke off; whether that was the end of the guest is known from elsewhere.
        }
        line = null
        opened.destroy()
      }
      if (isOver()) return
      gap ??= { since: clock.now() }
      failures = opened && clock.monotonic() - openedAt >= goodMs ? 1 : failures + 1
      await pause(clock, backoffMs(failures), signal)
    }
  }

  const done = record()
  inBackground(log, 'recording a console', done)

  async function stop(): Promise<void> {
    over.abort()
    changed()
    await done.catch(() => {})
  }

  return {
    run: instance.uid,
    async write(bytes) {
      if (!line && !isOver())
        await withDeadline(change.promise, typingMs, 'The console of a guest', clock).catch(() => {})
      return line && !isOver() ? typeInto(line, bytes) : false
    },
    async end() {
      isEnding = true
      changed()
      if (line) await withDeadline(done, lastWordsMs, 'The last words of a guest', clock).catch(() => {})
      await stop()
    },
    stop,
  }
}

/** A line of its own, between what came before and after. `since` is null where nobody knows. */
function gapLine(since: number | null, until: number): string {
  const time = (ms: number) => `${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC`
  const from = since === null ? 'before' : `from ${time(since)} to`
  return `\r\n[Slipway was not connected to this console ${from} ${time(until)}. Output from that time is missing.]\r\n`
}
