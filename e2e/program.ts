import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** How the server is started everywhere, so that what is tested and measured is what people run. */
const launch: { nodeFlags: string[]; environment: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'packages/server/launch.json'), 'utf8'),
)

/** A program of the server in a process of its own. */
export interface Program {
  pid: number
  /** What it said when it was ready. */
  ready: string
  /** Everything it printed so far. */
  output: () => string
  isUp: () => boolean
  /** Resolves when it has ended. */
  end: (signal: NodeJS.Signals) => Promise<void>
}

/** Runs a program of the server to its end; what it printed. Throws with that when it fails. */
export async function runProgram(
  file: 'images.ts',
  args: readonly string[],
  settings: Record<string, string>,
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...launch.nodeFlags, `packages/server/src/${file}`, ...args],
    { cwd: root, env: { PATH: process.env.PATH, ...launch.environment, ...settings } },
  )
  return stdout
}

/**
 * Starts a file of the server's sources, and waits for what it says when it is ready. `cut` kills it at any moment; `entry`
 * leads it somewhere: a program and arguments that end in its own.
 */
export async function startProgram(
  file: 'main.ts' | 'simulated-host.ts' | 'recorder.ts',
  ready: RegExp,
  settings: Record<string, string>,
  cut?: AbortSignal,
  entry: readonly string[] = [],
): Promise<Program> {
  const [program = '', ...args] = [...entry, process.execPath, ...launch.nodeFlags]
  const child = spawn(program, [...args, `packages/server/src/${file}`], {
    cwd: root,
    env: { PATH: process.env.PATH, ...launch.environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cut && { signal: cut, killSignal: 'SIGKILL' }),
  })
  let output = ''
  const isReady = new Promise<string>((resolve, reject) => {
    const listen = (chunk: string) => {
      output += chunk
      const [, said] = output.match(ready) ?? []
      if (said) resolve(said)
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    // After a cut its exit follows.
    child.on('error', (error) => error.name === 'AbortError' || reject(error))
    child.on('exit', (code) => reject(new Error(`${file} ended with exit code ${code}:\n${output}`)))
  })
  const isUp = () => child.exitCode === null && child.signalCode === null
  return {
    ready: await isReady,
    pid: child.pid ?? 0,
    output: () => output,
    isUp,
    async end(signal) {
      if (!isUp()) return
      // A cut meanwhile is an error of the child, and no other end.
      const exit = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await exit
    },
  }
}
