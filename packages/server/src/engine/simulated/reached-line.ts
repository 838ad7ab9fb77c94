/** Calls over a connection to a simulated world, which is opened anew by itself when it is lost. */
import type { Clock } from '../../lib/clock.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { EngineError, type Work } from '../engine.ts'
import { type ConsoleCalls, type ConsoleLook, makeLines, Telling } from './wire.ts'

export interface ReachedOptions {
  /** Where the host listens. */
  path: string
  clock: Clock
}

/** Nothing but long work may take longer. */
export const ANSWER_WITHIN_MS = 60_000
/** Between two tries to reach a host that is away. */
const TRY_EVERY_MS = 250

export const away = (cause?: unknown) =>
  new EngineError('internal', 'The simulated engine cannot be reached. Try again in a moment.', {
    retryable: true,
    cause,
  })

interface UnderWay {
  resolve: (answer: unknown) => void
  reject: (error: EngineError) => void
  onProgress: Work['onProgress'] | undefined
}

type Lines = ReturnType<typeof makeLines>

export type ReachedLine = ReturnType<typeof makeReachedLine>

export function makeReachedLine(
  { path, clock }: ReachedOptions,
  on: {
    onChanged: (machineId: string) => void
    onLook: (key: number, look: ConsoleLook) => void
    /** Opens consoles again, before anything else is asked over a new connection. */
    onReached: (openConsole: ConsoleCalls['openConsole']) => void
  },
) {
  const underWay = new Map<number, UnderWay>()
  let connection: Promise<Lines> | null = null
  let lastId = 0
  let isClosed = false

  function reach(): Promise<Lines> {
    if (isClosed) return Promise.reject(away())
    connection ??= connect().catch((error: unknown) => {
      connection = null
      throw away(error)
    })
    return connection
  }

  async function connect(): Promise<Lines> {
    const socket = await connectUnix(path)
    const lines = makeLines(socket, Telling, take)
    socket.once('close', () => {
      connection = null
      for (const { reject } of underWay.values()) reject(away())
      keepTrying()
    })
    if (isClosed) lines.close()
    lines.send({ begin: 'calls' })
    // Answers are taken at their word: who gives them is this program too.
    on.onReached((...args) => askOver(lines, 'openConsole', args) as Promise<boolean>)
    return lines
  }

  function keepTrying(): void {
    if (!isClosed) reach().catch(() => clock.after(TRY_EVERY_MS, keepTrying))
  }

  function take(telling: Telling): void {
    if ('changed' in telling) on.onChanged(telling.changed)
    else if ('console' in telling) on.onLook(telling.console, telling.look)
    else takeAnswer(telling)
  }

  function takeAnswer(telling: Extract<Telling, { id: number }>): void {
    const asked = underWay.get(telling.id)
    if ('progress' in telling) asked?.onProgress?.(telling.progress)
    else if ('failed' in telling)
      asked?.reject(new EngineError(telling.failed.code, telling.failed.message, telling.failed))
    else asked?.resolve(telling.done)
  }

  async function askOver(
    lines: Lines,
    call: string,
    args: readonly unknown[],
    work?: Work,
  ): Promise<unknown> {
    if (lines.isLost()) throw away()
    const id = ++lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    let cancel = () => {}
    const limit = () => {
      cancel = clock.after(ANSWER_WITHIN_MS, () => reject(away()))
    }
    const abort = () => {
      limit()
      lines.send({ abort: id })
    }
    underWay.set(id, { resolve, reject, onProgress: work?.onProgress })
    try {
      lines.send({ id, call, args: [...args] })
      if (!work) limit()
      else if (work.signal.aborted) abort()
      else work.signal.addEventListener('abort', abort)
      return await promise
    } finally {
      cancel()
      work?.signal.removeEventListener('abort', abort)
      underWay.delete(id)
    }
  }

  const ask = async (call: string, args: readonly unknown[], work?: Work): Promise<unknown> =>
    askOver(await reach(), call, args, work)

  return {
    /** Throws when nobody serves there. */
    async open(): Promise<void> {
      await reach().catch((cause: unknown) => {
        throw new Error(`No simulated host is serving ${path}. Start one with: npm run simulated-host`, {
          cause,
        })
      })
    },
    ask,
    askConsole: <C extends keyof ConsoleCalls>(call: C, ...args: Parameters<ConsoleCalls[C]>) =>
      ask(call, args) as ReturnType<ConsoleCalls[C]>,
    close(): void {
      isClosed = true
      connection?.then((lines) => lines.close()).catch(() => {})
    },
  }
}
