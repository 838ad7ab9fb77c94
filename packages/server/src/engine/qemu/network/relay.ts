/** Connections to guests in a namespace that the host has no route into: a process in there makes them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectUnix } from '../../../lib/unix-socket.ts'
import { EngineError } from '../../engine.ts'
import { plainEnvironment } from '../process.ts'
import type { Ground } from './ground.ts'

const START_MS = 20_000
const ANSWER_MS = 15_000
const NAME = 'relay.sock'
/** `open`, or the name of an error. */
const LONGEST_ANSWER = 32

export function makeRelay(ground: Pick<Ground, 'entry' | 'files'>) {
  let running: Promise<ChildProcess> | null = null

  async function start(): Promise<ChildProcess> {
    await mkdir(ground.files, { recursive: true, mode: 0o700 })
    await rm(join(ground.files, NAME), { force: true })
    const [program = '', ...before] = ground.entry()
    const file = fileURLToPath(import.meta.resolve('./relay.program.ts'))
    // A heap for next to nothing.
    const node = [process.execPath, '--max-semi-space-size=1', '--max-old-space-size=64', file, NAME]
    const child = spawn(program, [...before, ...node], {
      cwd: ground.files,
      env: plainEnvironment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const failed = once(child, 'exit').then(() => Promise.reject(new Error('The relay ended')))
    failed.catch(() => {})
    await Promise.race([once(child.stdout, 'data', { signal: AbortSignal.timeout(START_MS) }), failed]).catch(
      (error: unknown) => {
        child.kill('SIGKILL')
        throw error
      },
    )
    return child
  }

  /** One at a time; the next is started when this one has ended, or could not be started. */
  function started(): Promise<ChildProcess> {
    if (running) return running
    const mine = start()
    running = mine
    const forget = () => {
      if (running === mine) running = null
    }
    mine.then((child) => child.once('exit', forget).once('error', forget), forget)
    return mine
  }

  /** The line that the relay answers with. */
  function answerOf(socket: Socket): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = ''
      const broken = () => reject(new Error('The relay did not answer'))
      const read = () => {
        for (let one = socket.read(1); one !== null; one = socket.read(1)) {
          if (String(one) !== '\n') {
            answer += one
            if (answer.length > LONGEST_ANSWER) socket.destroy()
            continue
          }
          socket.off('readable', read).off('close', broken).off('end', broken)
          return resolve(answer)
        }
      }
      socket.on('readable', read).once('close', broken).once('end', broken)
      socket.setTimeout(ANSWER_MS, () => socket.destroy())
    })
  }

  return {
    /** Connects to a port of a guest; throws an `unreachable` error when it cannot be. */
    async connect(ip: string, port: number): Promise<Socket> {
      const unreachable = (message: string, cause?: unknown) =>
        new EngineError('unreachable', message, { retryable: true, cause })
      let socket: Socket
      let answer: string
      try {
        await started()
        socket = await connectUnix(join(ground.files, NAME))
        socket.write(`${ip} ${port}\n`)
        answer = await answerOf(socket)
      } catch (error) {
        throw unreachable('The way into the network of the project does not respond.', error)
      }
      socket.setTimeout(0)
      if (answer === 'open') return socket
      socket.destroy()
      throw unreachable(
        answer === 'ECONNREFUSED' ? 'No program is listening on it.' : 'The VM did not respond in time.',
      )
    },

    async close(): Promise<void> {
      const child = await running?.catch(() => null)
      running = null
      child?.kill('SIGKILL')
    },
  }
}
