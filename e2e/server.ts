import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from './program.ts'

const ready = /Slipway is ready at (http:\/\/\S+)/

/** A real server in a process of its own, with its own data directory. */
export interface Server {
  url: string
  pid: number
  dataDir: string
  /** Everything it printed so far. */
  output(): string
  isUp(): boolean
  /** The path and query of the newest link to `page` that was mailed to an address; waits until there is one. */
  mailedLink(
    address: string,
    page: 'verify-email' | 'reset-password' | 'invitation' | 'confirm-email',
  ): Promise<string>
  /** Ends the server without giving it a chance, as a power cut would; its data stay. */
  kill(): Promise<void>
  /** Ends the server cleanly and removes its data, unless the directory was given. */
  stop(): Promise<void>
}

/**
 * Starts the server on the simulated engine and a free port; `settings` are more of its environment. With `keptDir`
 * it works on that directory and leaves it behind. `cut` kills it at any moment, also while it is starting; `entry` leads
 * it somewhere.
 */
export async function startServer(
  settings: Record<string, string> = {},
  keptDir?: string,
  cut?: AbortSignal,
  entry: readonly string[] = [],
): Promise<Server> {
  const dataDir = keptDir ?? (await mkdtemp(join(tmpdir(), 'slipway-e2e-')))
  const program = await startProgram(
    'main.ts',
    ready,
    {
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_PORT: '0',
      SLIPWAY_SSH_PORT: '0',
      // Open to all, so that a test can come from elsewhere.
      SLIPWAY_SSH_LISTEN: '0.0.0.0',
      SLIPWAY_PRIVATE_WEBHOOKS: '127.0.0.1',
      SLIPWAY_DATA_DIR: dataDir,
      ...settings,
    },
    cut,
    entry,
  )
  return {
    url: program.ready,
    pid: program.pid,
    dataDir,
    output: program.output,
    isUp: program.isUp,
    mailedLink: (address, page) => mailedLink(join(dataDir, 'outbox'), address, page),
    kill: () => program.end('SIGKILL'),
    async stop() {
      await program.end('SIGTERM')
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
