/** The simulated world in a process of its own, which several servers reach. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const startsWithinMs = 30_000

export interface SimulatedHost {
  socket: string
  /** 0 while it is down. */
  pid: () => number
  start: () => Promise<void>
  kill: () => Promise<void>
  /** Everything it printed so far. */
  output: () => string
}

export function makeSimulatedHost(dataDir: string, settings: Record<string, string>): SimulatedHost {
  const socket = `${dataDir}.sock`
  let child: ChildProcess | null = null
  let output = ''
  return {
    socket,
    pid: () => child?.pid ?? 0,
    output: () => output,
    async start() {
      if (child) return
      const started = spawn(process.execPath, ['packages/server/src/simulated-host.ts'], {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          SLIPWAY_ENGINE: 'simulated',
          SLIPWAY_DATA_DIR: dataDir,
          SLIPWAY_SIMULATED_SOCKET: socket,
          ...settings,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(new Error('The simulated host does not start')), startsWithinMs)
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk
          if (output.endsWith('\n') && chunk.includes('The simulated host is ready')) resolve()
        })
      started.on('exit', () => {
        if (child === started) child = null
        reject(new Error(`The simulated host ended:\n${output.slice(-2_000)}`))
      })
      await promise.finally(() => clearTimeout(timer))
    },
    async kill() {
      const ending = child
      child = null
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
      const exit = once(ending, 'exit')
      ending.kill('SIGKILL')
      await exit
    },
  }
}
