/** Which runs have an SSH server that greets: asked with growing pauses, and never again once it did. */

import { atMost } from '../../lib/at-most.ts'
import { backoffMs } from '../../lib/backoff.ts'
import { inBackground } from '../../lib/in-background.ts'
import { pause } from '../../lib/pause.ts'
import type { Ground } from './ground.ts'
import type { Lines } from './lines.ts'
import type { MirroredInstance } from './mirror.ts'
import { mark } from './names.ts'

/** How many are asked at once: many may start together. */
const mostAtOnce = 20
/** Failures that still make the pause longer: it ends at 16 s, as a person waits for it. */
const mostFailures = 6

/**
 * Follows all living instances. `onReady` is told the machine's id when a run answers for the first time. What its machine
 * is noted to have answered in is not asked again, so a server that begins asks only about the starts it missed.
 */
export function makeReadiness(
  ground: Pick<Ground, 'mirror' | 'clock' | 'log'>,
  lines: Pick<Lines, 'answers'>,
  onReady: (machineId: string) => void,
) {
  const { mirror, clock, log } = ground
  /** By run, what stops asking. Stays when it has answered, so that nobody is asked again. */
  const known = new Map<string, { over: AbortController; ready: boolean }>()
  const inTurn = atMost(mostAtOnce)

  async function ask(id: string, run: { over: AbortController; ready: boolean }): Promise<void> {
    const { signal } = run.over
    for (let failures = 1; !signal.aborted; failures++) {
      const answered = await inTurn(async () => !signal.aborted && (await lines.answers(id)))
      if (signal.aborted) return
      if (answered) {
        run.ready = true
        onReady(id)
        return
      }
      await pause(clock, backoffMs(Math.min(failures, mostFailures)), signal)
    }
  }

  function look(before: MirroredInstance | null, now: MirroredInstance | null): void {
    if (before && before.uid !== now?.uid) forget(before.uid)
    if (!now) return
    const lives = now.status?.phase === 'Running' && !now.isGoing
    if (!lives) {
      if (now.status?.phase === 'Succeeded' || now.status?.phase === 'Failed') forget(now.uid)
      return
    }
    if (known.has(now.uid)) return
    const notes = mirror.machines.get(`${now.namespace}/${now.name}`)?.annotations
    const run = { over: new AbortController(), ready: notes?.[mark.ready] === now.uid }
    known.set(now.uid, run)
    if (run.ready) return
    inBackground(log, 'asking whether a guest is ready', ask(now.id, run))
  }

  function forget(uid: string): void {
    known.get(uid)?.over.abort()
    known.delete(uid)
  }

  const stop = mirror.instances.onChange((_key, before, now) => look(before, now))
  for (const instance of mirror.instances.all()) look(null, instance)

  return {
    /** By run: the uid of the instance. */
    isReady: (run: string): boolean => known.get(run)?.ready ?? false,
    close(): void {
      stop()
      for (const uid of [...known.keys()]) forget(uid)
    },
  }
}
