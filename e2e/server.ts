import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** How the server is started everywhere, so that what is tested and measured is what people run. */
const launch: { nodeFlags: string[]; environment: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'packages/server/launch.json'), 'utf8'),
)

const ready = /Slipway is ready at (http:\/\/\S+)/

/** A real server in a process of its own, with its own data directory. */
export interface Server {
  url: string
  pid: number
  dataDir: string
  /** Everything it printed so far. */
  output(): string
  /** The path and query of the newest link to `page` that was mailed to an address; waits until there is one. */
  mailedLink(address: string, page: 'verify-email' | 'reset-password'): Promise<string>
  /** Ends the server without giving it a chance, as a power cut would; its data stay. */
  kill(): Promise<void>
  /** Ends the server cleanly and removes its data, unless the directory was given. */
  stop(): Promise<void>
}

/**
 * Starts the server on the simulated engine and a free port; `settings` are more of its environment. With `keptDir`
 * it works on that directory and leaves it behind. `cut` kills it at any moment, also while it is starting.
 */
export async function startServer(
  settings: Record<string, string> = {},
  keptDir?: string,
  cut?: AbortSignal,
): Promise<Server> {
  const dataDir = keptDir ?? (await mkdtemp(join(tmpdir(), 'slipway-e2e-')))
  const child = spawn(process.execPath, [...launch.nodeFlags, 'packages/server/src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      ...launch.environment,
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_PORT: '0',
      SLIPWAY_SSH_PORT: '0',
      // Open to all, so that a test can come from elsewhere.
      SLIPWAY_SSH_LISTEN: '0.0.0.0',
      SLIPWAY_DATA_DIR: dataDir,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cut && { signal: cut, killSignal: 'SIGKILL' }),
  })
  let output = ''
  const url = new Promise<string>((resolve, reject) => {
    const listen = (chunk: string) => {
      output += chunk
      const [, address] = output.match(ready) ?? []
      if (address) resolve(address)
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    // After a cut its exit follows.
    child.on('error', (error) => error.name === 'AbortError' || reject(error))
    child.on('exit', (code) => reject(new Error(`The server ended with exit code ${code}:\n${output}`)))
  })
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  return {
    url: await url,
    pid: child.pid ?? 0,
    dataDir,
    output: () => output,
    mailedLink: (address, page) => mailedLink(join(dataDir, 'outbox'), address, page),
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM')
      if (!keptDir) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Mails leave after the answer, so the file may come a moment later than the page that announces it. */
async function mailedLink(outbox: string, address: string, page: string): Promise<string> {
  const link = new RegExp(`/${page}\\?token=[\\w-]+`)
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline) {
    // Names begin with the time of sending.
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
    for (const name of names.reverse()) {
      const mail = decodeQuotedPrintable(await readFile(join(outbox, name), 'utf8'))
      const [found] = mail.match(link) ?? []
      if (found && mail.includes(`To: ${address}`)) return found
    }
    await sleep(50)
  }
  throw new Error(`No mail to ${address} with a link to ${page} in ${outbox}`)
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
