/**
 * The ground of a server that runs as an ordinary user: a namespace that a process holds (`holder.ts`), and pasta as the
 * way out, which opens the connections of guests as a program of that user does. What pasta could reach of this host, the
 * rules in the namespace refuse, as everywhere. The host has no way in: a relay in the namespace does it (`relay.ts`).
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../lib/command.ts'
import type { Log } from '../../../lib/log.ts'
import { exists } from '../durable.ts'
import { endProcess, kill, readPid } from '../process.ts'
import type { Ground } from './ground.ts'
import {
  argumentsOf,
  filesOfHolders,
  findHolder,
  pidsOfHost,
  processesBeside,
  programOf,
  startHolder,
  stillHolds,
} from './holder.ts'
import { routesOfHost } from './host-addresses.ts'
import { translationRules, UPLINK } from './rules.ts'
import { makeTable } from './table.ts'

const COMMAND_MS = 10_000
const AGAIN_MS = 60_000
const MOST_BYTES = 8 * 1024 * 1024
/** In the directory of a holder's file. */
const HOLDER = 'namespace-of-project-networks'
/** Questions for names that go there are asked by pasta of whom the host asks. */
const RESOLVER = '169.254.53.53'

export function makeUserGround(dataDir: string, log: Pick<Log, 'warn'>): Ground {
  const files = join(dataDir, 'networks', 'run')
  const holderFile = join(files, HOLDER)
  const pastaPid = join(files, 'pasta.pid')
  let holder: number | null = null
  /** Why there is no way out; said once. */
  let noWayOut: string | null = null
  /** No VM waits for what has just failed. */
  let notBefore = 0
  /** The holder of the namespace that pasta was started for last. */
  let pastaOf: number | null = null

  async function find(): Promise<number | null> {
    if (holder === null || !(await stillHolds(holder, holderFile))) holder = await findHolder(holderFile)
    return holder
  }

  function entry(): string[] {
    if (holder === null) throw new Error('The namespace of project networks is not there')
    const of = `/proc/${holder}/ns`
    return ['nsenter', '--preserve-credentials', `--user=${of}/user`, `--net=${of}/net`, '--']
  }

  function inside(command: string, args: readonly string[], input?: string): Promise<string> {
    const [program = '', ...before] = entry()
    const options = { timeoutMs: COMMAND_MS, maxOutputBytes: MOST_BYTES }
    return run(program, [...before, command, ...args], {
      ...options,
      ...(input === undefined ? {} : { input }),
    })
  }
  const translation = makeTable((args, input) => inside('nft', args, input), 'inet slipway_out')

  /** Whether pasta leads out of this very namespace, and of none that was here before. */
  async function pastaLives(): Promise<boolean> {
    const pid = await readPid(pastaPid)
    return pid !== null && holder !== null && (await leadsOutOf(pid, holder))
  }

  /** Starts pasta, which goes on by itself. man page: passt(1). */
  async function startPasta(): Promise<void> {
    if (holder !== null) for (const pid of await pastasOf(holder)) kill(pid)
    await rm(pastaPid, { force: true })
    const of = `/proc/${holder}/ns`
    const nothingIn = ['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none', '--no-map-gw']
    const where = ['--config-net', '--netns', `${of}/net`, '--userns', `${of}/user`, '-I', UPLINK]
    const names = ['--dns-forward', RESOLVER]
    const kept = ['--pid', pastaPid, '--log-file', join(files, 'pasta.log'), '--log-size', '65536']
    await run('pasta', ['-4', '--quiet', ...where, ...nothingIn, ...names, ...kept], {
      timeoutMs: COMMAND_MS,
      ownGroup: true,
    })
  }

  return {
    files,
    reach: 'door',
    user: null,
    entry,
    isThere: async () => (await find()) !== null,
    async make() {
      await mkdir(files, { recursive: true, mode: 0o700 })
      if ((await find()) !== null) return
      await writeFile(holderFile, '')
      holder = await startHolder(holderFile)
      const open = ['ipv6/conf/all/disable_ipv6 1', 'ipv4/ip_forward 1', 'ipv4/conf/all/rp_filter 2']
      const set = open
        .map((one) => one.split(' '))
        .map(([name, value]) => `echo ${value} > /proc/sys/net/${name}`)
      await inside('ip', ['link', 'set', 'lo', 'up'])
      await inside('sh', ['-c', set.map((one) => `{ ${one}; } 2> /dev/null || :`).join('\n')])
    },
    async remove() {
      const pid = await find()
      if (pid !== null) await endAllBeside(pid, holderFile)
      holder = null
      await rm(files, { recursive: true, force: true })
    },
    inside,
    takenRanges: () => routesOfHost(null),
    // What it could reach of this host, rules have to refuse first: see keepWayOut.
    ensureWayOut: async () => false,
    async keepWayOut() {
      const back = (await translation.ensure(translationRules())) === 'put back' ? ['firewall rules'] : []
      if (await ensurePasta()) back.push('the way out')
      return back
    },
    resolver: () => RESOLVER,
  }

  /** @returns whether it had been ended by somebody else */
  async function ensurePasta(): Promise<boolean> {
    if (await pastaLives()) return false
    if (performance.now() < notBefore) return false
    const said = noWayOut
    const isFirst = pastaOf !== holder
    pastaOf = holder
    noWayOut = await startPasta().then(
      () => null,
      (error: Error) => error.message,
    )
    if (noWayOut === null) return !isFirst
    // As on a host that has no network itself. VMs of a project still have each other.
    if (noWayOut !== said) log.warn({ why: noWayOut }, 'VMs cannot reach the Internet')
    notBefore = performance.now() + AGAIN_MS
    return false
  }
}

/**
 * Ends the namespaces of data directories that are gone, with what serves them: nobody else would. One in which a guest
 * still lives is left alone.
 */
export async function clearAbandonedByUser(): Promise<void> {
  for (const file of await filesOfHolders(HOLDER)) {
    if (await exists(file).catch(() => true)) continue
    const pid = await findHolder(file)
    if (pid === null) continue
    const programs = await Promise.all((await processesBeside(pid)).map(programOf))
    if (!programs.some((program) => program.startsWith('qemu'))) await endAllBeside(pid, file)
  }
}

/** Ends what is in a namespace, the holder last: while that lives, the rest can be found. */
async function endAllBeside(holder: number, file: string): Promise<void> {
  for (const pid of await processesBeside(holder)) if (pid !== holder) kill(pid)
  // It lives in the namespace of the host, and would go on for ever.
  for (const pid of await pastasOf(holder)) kill(pid)
  await endProcess({ isAlive: () => stillHolds(holder, file), kill: () => kill(holder) }, { politeMs: 0 })
}

/** Whether a process is the pasta that leads out of the namespace of a holder. */
const leadsOutOf = async (pid: number, holder: number): Promise<boolean> => {
  const [program = '', ...args] = await argumentsOf(pid)
  return program.includes('pasta') && args.includes(`/proc/${holder}/ns/net`)
}

async function pastasOf(holder: number): Promise<number[]> {
  const found: number[] = []
  for (const pid of await pidsOfHost()) if (await leadsOutOf(pid, holder)) found.push(pid)
  return found
}
