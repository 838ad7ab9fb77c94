import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseRange, type Range, rangeText } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'
import { exists, ifThere } from '../durable.ts'
import { HOST_LINK, hashesOfTables, hostTable } from './rules.ts'
import { makeTable } from './table.ts'

const COMMAND_MS = 10_000
/** What is printed of a thousand interfaces has a few hundred bytes each. */
const MOST_BYTES = 8 * 1024 * 1024

/** Where `ip netns` keeps the names of namespaces; see ip-netns(8). */
const NAMESPACES = '/run/netns'
const FILES = '/run'
const PREFIX = 'slipway-'
const isName = (entry: string): boolean => /^slipway-[0-9a-f]{8}$/.test(entry)

/**
 * The network namespace in which all guests of a data directory live, with nothing of the host in it, by the id of the
 * directory. It stays when the server ends, as guests do, and goes with the host.
 */
export const namespaceOf = (directoryId: string) =>
  namespaceNamed(createHash('sha256').update(directoryId).digest('hex').slice(0, 8))

function namespaceNamed(hash: string) {
  const name = `${PREFIX}${hash}`
  const path = `${NAMESPACES}/${name}`

  /** What leads a program into it: in front of its name and arguments. */
  const entry = ['nsenter', `--net=${path}`, '--'] as const
  const options = { timeoutMs: COMMAND_MS, maxOutputBytes: MOST_BYTES }

  return {
    name,
    entry,
    /** The host's end of the way out. */
    link: `${HOST_LINK}${hash}`,
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
/** In the files of a namespace: the range that its addresses are of. */
const RANGE = 'range'

/** Says which range the addresses of a namespace are of, to all installations of this host. */
export async function claimRange({ files }: Namespace, range: Range): Promise<void> {
  const path = join(files, RANGE)
  if ((await ifThere(path, readFile(path, 'utf8'))) === rangeText(range)) return
  // Others read it at any moment.
  await writeFile(`${path}.new`, rangeText(range))
  await rename(`${path}.new`, path)
}

/** The ranges of the namespaces of others. They keep them also while nothing on this host leads there. */
export async function claimedRanges({ name }: Namespace): Promise<Range[]> {
  const others = (await readdir(FILES)).filter((entry) => isName(entry) && entry !== name)
  const ranges: Range[] = []
  for (const other of others) {
    const path = join(FILES, other, RANGE)
    const range = parseRange((await ifThere(path, readFile(path, 'utf8'))) ?? '')
    if (range && (await exists(join(NAMESPACES, other)))) ranges.push(range)
  }
  return ranges
}

/**
 * Removes the namespaces of data directories that are gone, with what serves them: nobody else would. One in which a
 * guest still lives is left alone.
 */
export async function clearAbandonedByRoot(): Promise<void> {
  for (const entry of await readdir(FILES)) {
    if (!isName(entry)) continue
    const owner = await readFile(join(FILES, entry, OWNER), 'utf8').catch(() => null)
    if (owner === null || (await exists(owner).catch(() => true))) continue
    const namespace = namespaceNamed(entry.slice(PREFIX.length))
    const pids = await namespace.processes().catch(() => [])
    const programs = await Promise.all(pids.map(programOf))
    if (programs.some((program) => program !== 'dnsmasq')) continue
    await removeNamespace(namespace)
  }
  await clearTablesOfNobody()
}

/**
 * Removes the tables whose way out is gone: a server that was killed while it wrote one leaves it behind. Whoever lives
 * makes the way before the table, and both anew when they are missing.
 */
async function clearTablesOfNobody(): Promise<void> {
  const options = { timeoutMs: COMMAND_MS, maxOutputBytes: MOST_BYTES }
  for (const hash of hashesOfTables(await run('nft', ['list', 'tables'], options))) {
    const namespace = namespaceNamed(hash)
    if (!(await exists(`/sys/class/net/${namespace.link}`))) await tableOnHost(namespace).remove()
  }
}

/** The rules of the host that are about it. */
export const tableOnHost = ({ name, outside }: Namespace) =>
  makeTable((args, input) => outside('nft', args, input), `inet ${hostTable(name)}`)

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
  await tableOnHost(namespace).remove()
  if (await namespace.isThere()) await namespace.remove()
  await rm(namespace.files, { recursive: true, force: true })
}
