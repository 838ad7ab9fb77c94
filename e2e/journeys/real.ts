/** What the journeys stand on: real guests, OpenSSH's client, and the boot image that all test runs share. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { imagesDir } from '../images-dir.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { type Server, startServer } from '../server.ts'
import { clearNamespace, hostTableOf, namespaceOf } from './namespace.ts'

const run = promisify(execFile)

export { hostTableOf, imagesDir, namespaceOf }

/** What a console shows when somebody is signed in there. */
export const greeting = 'Welcome to Starter Linux'

/** A data directory that uses the shared boot image; building it takes longer than all else. */
export async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-journey-'))
  await shareImages(dataDir)
  return dataDir
}

/** Gives a data directory that lies somewhere else the shared boot image, too. */
export async function shareImages(dataDir: string): Promise<void> {
  await mkdir(imagesDir, { recursive: true })
  await symlink(imagesDir, join(dataDir, 'images'))
  // What runs guest code was found out by the engine's own tests, which takes seconds where KVM is emulated.
  const verdict = 'accelerator.json'
  await copyFile(join(imagesDir, verdict), join(dataDir, verdict)).catch(() => {})
}

/** By data directory, where everything is asked to run on PostgreSQL. */
const databases = new Map<string, Promise<Postgres>>()

async function databaseOf(dataDir: string): Promise<Record<string, string>> {
  if (process.env.E2E_DATABASE !== 'postgres') return {}
  const database = databases.get(dataDir) ?? startPostgres({ durable: true })
  databases.set(dataDir, database)
  return { SLIPWAY_DATABASE_URL: (await database).url }
}

/** The server on QEMU; a second call on the same directory is a restart. */
export async function startRealServer(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<Server> {
  // Guests that are frozen in the background would take the processor from those that are measured and killed here.
  return startServer(
    {
      SLIPWAY_ENGINE: 'qemu',
      SLIPWAY_WARM: 'off',
      // Journeys look at what a deletion leaves.
      SLIPWAY_BIN_DAYS: '0',
      ...(await databaseOf(dataDir)),
      ...settings,
    },
    dataDir,
  )
}

/** Ends every guest of a data directory and removes it: the last resort after a test, passed or not. */
export async function clear(dataDir: string): Promise<void> {
  for (const { pid } of [...(await guestsOf(dataDir)), ...(await nobodiesOf(dataDir))]) end(pid)
  await clearNamespace(dataDir)
  await rm(dataDir, { recursive: true, force: true })
  await (await databases.get(dataDir))?.remove()
  databases.delete(dataDir)
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** The QEMU processes that work in a data directory; each stands in the directory of its machine. */
export const guestsOf = (dataDir: string): Promise<{ pid: number; machineId: string }[]> =>
  processesIn(dataDir, 'machines')

/** Those of guests that are being frozen or tried out, and belong to nobody. */
export const nobodiesOf = (dataDir: string): Promise<{ pid: number; machineId: string }[]> =>
  processesIn(dataDir, 'warm')

async function processesIn(dataDir: string, folder: 'machines' | 'warm') {
  const found: { pid: number; machineId: string }[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const [program, cwd] = await Promise.all(
      ['exe', 'cwd'].map((link) => readlink(`/proc/${name}/${link}`).catch(() => '')),
    )
    if (!program?.includes('/qemu-system-') || !cwd?.startsWith(`${dataDir}/${folder}/`)) continue
    found.push({ pid: Number(name), machineId: basename(cwd) })
  }
  return found
}

/** A new key pair; the path of the private half and the text of the public one. */
export async function newKeyPair(dir: string): Promise<{ file: string; publicKey: string }> {
  const file = join(dir, 'id_ed25519')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'journey', '-f', file])
  return { file, publicKey: (await readFile(`${file}.pub`, 'utf8')).trim() }
}

/** Runs the command that the console shows, with a key and a command for the guest. */
export async function runShown(sshCommand: string, keyFile: string, command: string): Promise<string> {
  const [program = '', ...args] = sshCommand.split(' ')
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ]
  const { stdout } = await run(program, [
    '-i',
    keyFile,
    ...options.flatMap((option) => ['-o', option]),
    ...args,
    command,
  ])
  return stdout.trim()
}
