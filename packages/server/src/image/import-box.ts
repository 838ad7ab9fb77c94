import { writeFileSync } from 'node:fs'
import { chmod, lchown, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, type CommandOptions, run } from '../lib/command.ts'

/**
 * Where programs work on foreign bytes: as a user that owns nothing on the host, with limits of time and memory, and
 * killed when the server is. They reach files through their working directory alone, by relative names, so that the
 * directories above it can stay closed to them.
 */
export interface Box {
  /** The working directory; give it and its files away first (see `giveToBox`). */
  cwd: string
  signal: AbortSignal
  timeoutMs: number
  /** Memory it can write to; not address space, of which threads and Go programs reserve far more than they use. */
  memoryBytes: number
  /** Of any one file that is written. */
  maxFileBytes: number
}

/**
 * The user inside, when the server is root: the first of the 65,536 ids that systemd sets apart for files of foreign
 * containers (systemd's "Users, Groups, UIDs and GIDs": foreign UID range), so nothing else on a host has them.
 */
const FOREIGN_UID = 0x7ffe0000
const FOREIGN_UIDS = 65_536

/** What root of the namespace keeps: power over its files, not over mounts or networks, where kernels have had holes. */
const FILE_CAPABILITIES = '+chown,+dac_override,+dac_read_search,+fowner,+fsetid,+setfcap'

const isRoot = () => process.getuid?.() === 0

/** Whether {@link runAsForeignRoot} can give files to other users than its root. */
export const keepsOwners = isRoot

/** Runs a program in the box, without a shell; resolves with what it printed, throws a CommandError. */
export function runBoxed(program: string, args: readonly string[], box: Box): Promise<string> {
  return run('setpriv', ['--pdeathsig', 'KILL', '--no-new-privs', '--', ...limited(program, args, box)], {
    ...inside(box),
    ...(isRoot() ? { uid: FOREIGN_UID } : {}),
  })
}

/**
 * The same in a user namespace of its own and with no network: inside, the program is root over files of all users,
 * outside, those users own nothing. Where the server is not root, its root is the only user.
 */
export function runAsForeignRoot(program: string, args: readonly string[], box: Box): Promise<string> {
  // Only a process outside can say which users the namespace has, so the one inside waits for that.
  const wait = 'echo ready && read -r _ && exec setpriv "$@"'
  const become = ['--reuid', '0', '--regid', '0', isRoot() ? '--clear-groups' : '--keep-groups']
  const drop = ['--inh-caps', '-all', '--ambient-caps', '-all', '--bounding-set', `-all,${FILE_CAPABILITIES}`]
  return run(
    'unshare',
    [
      ...['--user', '--keep-caps', '--net', '--', 'sh', '-c', wait, 'sh'],
      ...[...become, ...drop, '--pdeathsig', 'KILL', '--', ...limited(program, args, box)],
    ],
    {
      ...inside(box),
      attend(child) {
        child.stdout.once('data', () => {
          try {
            nameUsers(child.pid ?? 0)
          } catch {
            // Without users the program cannot become root, and ends.
          }
          child.stdin.end('go\n')
        })
      },
    },
  ).then((printed) => printed.replace(/^ready\n/, ''))
}

function nameUsers(pid: number): void {
  const user = isRoot() ? FOREIGN_UID : process.getuid?.()
  const group = isRoot() ? FOREIGN_UID : process.getgid?.()
  const count = isRoot() ? FOREIGN_UIDS : 1
  // Whoever is not root may name a group only when the namespace gives up changing groups (user_namespaces(7)).
  if (!isRoot()) writeFileSync(`/proc/${pid}/setgroups`, 'deny')
  writeFileSync(`/proc/${pid}/uid_map`, `0 ${user} ${count}`)
  writeFileSync(`/proc/${pid}/gid_map`, `0 ${group} ${count}`)
}

const limited = (program: string, args: readonly string[], box: Box): string[] => [
  ...[
    'prlimit',
    `--data=${box.memoryBytes}`,
    `--fsize=${box.maxFileBytes}`,
    '--core=0',
    '--',
    program,
    ...args,
  ],
]

const inside = ({ cwd, signal, timeoutMs }: Box): CommandOptions => ({
  cwd,
  signal,
  timeoutMs,
  // Enough for what is read; complaints about a bad file can be without end.
  maxOutputBytes: 4 * 1024 * 1024,
})

/** Whether a program did not even start in the box: it is not installed, or this host allows no such box. */
export const isUnable = (error: unknown): boolean =>
  error instanceof CommandError &&
  (error.code === 'ENOENT' || error.status === 127 || /^(unshare|setpriv|prlimit): /m.test(error.stderr))

/** Lets programs in the box work on a file or directory with all that is in it. */
export async function giveToBox(path: string): Promise<void> {
  if (!isRoot()) return
  await lchown(path, FOREIGN_UID, FOREIGN_UID)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await giveToBox(join(path, name))
}

/** Removes a directory whatever programs left in it. */
export async function removeBoxed(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true }).catch(async () => {
    // Root is not stopped by modes; whoever is not owns the files and can change them.
    await makeWritable(dir)
    await rm(dir, { recursive: true, force: true })
  })
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700)
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(dir, entry.name))
  }
}
