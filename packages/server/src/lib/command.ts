import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** A program of the host that ended with anything but success. `message` is its last line of complaint. */
export class CommandError extends Error {
  readonly command: string
  readonly stderr: string
  /** Errno name such as `ENOENT` (not installed) or `ENOSPC` (disk full), where one is known. */
  readonly code: string | null
  /** Exit status; null when it was ended by a signal or never ran. */
  readonly status: number | null

  constructor(
    command: string,
    stderr: string,
    fallback: string,
    end: { code?: string | null; status?: number | null } = {},
  ) {
    super(lastLine(stderr) || fallback)
    this.name = 'CommandError'
    this.command = command
    this.stderr = stderr
    this.code = end.code ?? null
    this.status = end.status ?? null
  }
}

export interface CommandOptions {
  cwd?: string
  env?: Record<string, string>
  /** Text for standard input. */
  input?: string
  /** Talks to the program as it runs, in place of `input`; has to end its standard input. */
  attend?: (child: ChildProcessWithoutNullStreams) => void
  timeoutMs?: number
  /** A program that prints more is killed; `run` then rejects with the code `ENOBUFS`. */
  maxOutputBytes?: number
  /** Kills the program; `run` then rejects with the code `ABORT_ERR` once it is gone. */
  signal?: AbortSignal
  uid?: number
  /** Runs it in a process group of its own, for programs that send signals to all of theirs. */
  ownGroup?: boolean
}

/**
 * The environment for programs of the host: ours without Slipway's own settings, which may hold passwords, and without
 * Node's but for the certificates that the administrator trusts. Debian keeps programs such as `mke2fs` where the PATH
 * of ordinary users does not lead.
 */
export function outsideEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(SLIPWAY_|NODE_(?!EXTRA_CA_CERTS$)|DATABASE_URL$)/.test(name))
      kept[name] = value
  }
  const path = `${kept.PATH ?? '/usr/local/bin:/usr/bin:/bin'}:/usr/sbin:/sbin`
  return { ...kept, PATH: path, LC_ALL: 'C' }
}

/** Runs a program without a shell and resolves with what it printed; throws a {@link CommandError}. */
export function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...outsideEnvironment(), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: options.ownGroup ?? false,
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    })
    let timedOut = false
    const timer =
      options.timeoutMs === undefined
        ? null
        : setTimeout(() => {
            timedOut = true
            child.kill('SIGKILL')
          }, options.timeoutMs)
    const abort = () => child.kill('SIGKILL')
    options.signal?.addEventListener('abort', abort, { once: true })
    if (options.signal?.aborted) abort()
    const settle = () => {
      if (timer) clearTimeout(timer)
      options.signal?.removeEventListener('abort', abort)
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle()
      reject(new CommandError(command, '', `${command} could not be run`, { code: error.code ?? null }))
    })
    // Where no descriptor is left it has no pipes either, and the error follows.
    if (child.pid === undefined) return
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    let printed = 0
    const tooMuch = () => printed > (options.maxOutputBytes ?? Number.POSITIVE_INFINITY)
    const keepIn = (chunks: Buffer[]) => (chunk: Buffer) => {
      printed += chunk.length
      if (tooMuch()) child.kill('SIGKILL')
      else chunks.push(chunk)
    }
    child.stdout.on('data', keepIn(stdout))
    child.stderr.on('data', keepIn(stderr))
    // A program that ends without reading its input is judged by its exit status.
    child.stdin.on('error', () => {})
    if (options.attend) options.attend(child)
    else child.stdin.end(options.input ?? '')
    child.on('close', (status, signal) => {
      settle()
      if (status === 0) return resolve(Buffer.concat(stdout).toString())
      const complaint = Buffer.concat(stderr).toString()
      const code = options.signal?.aborted
        ? 'ABORT_ERR'
        : timedOut
          ? 'ETIMEDOUT'
          : tooMuch()
            ? 'ENOBUFS'
            : /no space left on device/i.test(complaint)
              ? 'ENOSPC'
              : null
      reject(
        new CommandError(command, complaint, `${command} ended with ${signal ?? `status ${status}`}`, {
          code,
          status,
        }),
      )
    })
  })
}

/** The errno name of any error, found through its causes; null when there is none. */
export function errorCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return null
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
