import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../lib/command.ts'
import { exists } from '../durable.ts'
import { hostTable } from './rules.ts'

const COMMAND_MS = 10_000
/** What is printed of a thousand interfaces has a few hundred bytes each. */
const MOST_BYTES = 8 * 1024 * 1024

/** Where `ip netns` keeps the names of namespaces; see ip-netns(8). */
const NAMESPACES = '/run/netns'
const FILES = '/run'

/**
 * The network namespace in which all guests of a data directory live, with nothing of the host in it, by the id of the
 * directory. It stays when the server ends, as guests do, and goes with the host.
 */
export const namespaceOf = (directoryId: string) =>
  namespaceNamed(createHash('sha256').update(directoryId).digest('hex').slice(0, 8))

function namespaceNamed(hash: string) {
  const name = `slipway-${hash}`
  const path = `${NAMESPACES}/${name}`

  /** What leads a program into it: in front of its name and arguments. */
  const entry = ['nsenter', `--net=${path}`, '--'] as const
  const options = { timeoutMs: COMMAND_MS, maxOutputBytes: MOST_BYTES }

  return {
    name,
    entry,
    /** The host's end of the way out. */
    link: `sw-${hash}`,
    /** What is written for the programs that serve it; goes with the host, too. */
    files: `${FILES}/${name}`,
    isThere: () => exists(path),
    make: () => run('ip', ['netns', 'add', name], options),
    remove: () => run('ip', ['netns', 'delete', name], options),
    /** Runs a program in it. */
    inside: (command: string, args: readonly string[], input?: string): Promise<string> =>
      run('nsenter', [`--net=${path}`, '--', command, ...args], {
        ...options,
        ...(input === undefined ? {} : { input }),
      }),
    outside: (command: string, args: readonly string[], input?: string): Promise<string> =>
      run(command, args, { ...options, ...(input === undefined ? {} : { input }) }),
    /** Ids of the processes in it. */
    async processes(): Promise<number[]> {
      const text = await run('ip', ['netns', 'pids', name], options)
      return text
        .split('\n')
        .map(Number)
        .filter((pid) => pid > 1)
    },
  }
}

export type Namespace = ReturnType<typeof namespaceOf>

/** Whether a process runs a program with this file among its arguments. */
export async function servesFile(pid: number, file: string): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return text.split('\0').some((argument) => argument.endsWith(file))
}

/** In the files of a namespace: which data directory it is of. */
export const OWNER = 'data-directory'

/**
 * Removes the namespaces of data directories that are gone, with what serves them: nobody else would. One in which a
 * guest still lives is left alone.
 */
export async function clearAbandonedByRoot(): Promise<void> {
  for (const entry of await readdir(FILES)) {
    const hash = /^slipway-([0-9a-f]{8})$/.exec(entry)?.[1]
    if (hash === undefined) continue
    const owner = await readFile(join(FILES, entry, OWNER), 'utf8').catch(() => null)
    if (owner === null || (await exists(owner).catch(() => true))) continue
    const namespace = namespaceNamed(hash)
    const pids = await namespace.processes().catch(() => [])
    const programs = await Promise.all(pids.map(programOf))
    if (programs.some((program) => program !== 'dnsmasq')) continue
    await removeNamespace(namespace)
  }
}

const programOf = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'dnsmasq')).trim()

/** Ends what serves a namespace and removes all there is of it. No guest may live in it. */
export async function removeNamespace(namespace: Namespace): Promise<void> {
  const files = await readdir(namespace.files).catch(() => [])
  for (const file of files.filter((name) => name.endsWith('.conf'))) {
    const settings = join(namespace.files, file)
    const pid = Number(await readFile(settings.replace(/conf$/, 'pid'), 'utf8').catch(() => ''))
    if (pid > 1 && (await servesFile(pid, settings))) process.kill(pid, 'SIGKILL')
  }
  await namespace.outside('ip', ['link', 'delete', namespace.link]).catch(() => {})
  const table = `inet ${hostTable(namespace.name)}`
  await namespace.outside('nft', ['-f', '-'], `table ${table} {}\ndelete table ${table}\n`)
  if (await namespace.isThere()) await namespace.remove()
  await rm(namespace.files, { recursive: true, force: true })
}
