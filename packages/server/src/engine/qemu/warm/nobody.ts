import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgentTalk } from '../agent.ts'
import { commandLine, MACHINE_SHAPE, MACHINE_SHAPE_ALONE } from '../command-line.ts'
import { makeSerialLine } from '../console-log.ts'
import { userOf } from '../guest-users.ts'
import type { HostFacts } from '../host-facts.ts'
import { keepJournal } from '../journal.ts'
import { launchQemu } from '../launch.ts'
import { fileNames, type MachineDirs } from '../machine-dir.ts'
import { goOn, statusOf } from '../memory.ts'
import { isRoot } from '../network/grounds.ts'
import { pickPort } from '../network/loopback-address.ts'
import type { Plug } from '../network/plug.ts'
import { endProcess, isRunOf, kill } from '../process.ts'
import { connectQmp, type Qmp } from '../qmp.ts'
import { saidReady } from '../readiness.ts'
import type { MachineRecord, RunRecord } from '../records.ts'
import { writeRoomySeed, writeSeed } from '../seed.ts'
import { beginLoading } from './clone.ts'
import { keepsTime } from './guest-clock.ts'
import { dropIdentity, renewIdentity, runScript } from './identity.ts'
import { addressOf } from './identity-text.ts'
import type { Frozen } from './store.ts'

/** On a busy host, behind everybody else, a guest takes its time. */
const BOOT_MS = 15 * 60_000
const PROGRAM_MS = 5 * 60_000
const GREETING_MS = 60_000
const LOOK_MS = 200
const LOOPBACK = '127.0.0.1'
/** In a network namespace of its own a guest may have any. */
const NOWHERE = { tap: 'nobody0', mac: '52:54:00:00:00:01', ip: '192.0.2.1' }

/** A guest that belongs to nobody: it has no user, no project and no network but itself, and gets what others leave. */
export interface Nobody {
  qmp: Qmp
  pid: number
  run: RunRecord
  boot(signal: AbortSignal): Promise<void>
  /** Loads a frozen guest in place of booting. */
  load(signal: AbortSignal): Promise<void>
  /** Whether its clock goes right. */
  keepsTime(signal: AbortSignal): Promise<boolean>
  /** Takes from it whatever no other may have. */
  drop(signal: AbortSignal): Promise<void>
  /** Gives it an identity; proves that a frozen guest can take one. With `sshPublicKeys` whoever has their other halves gets in. */
  renew(signal: AbortSignal, sshPublicKeys?: string[]): Promise<void>
  /** Runs a shell script in it, as root. */
  runScript(script: string, signal: AbortSignal): Promise<void>
  end(): Promise<void>
}

/**
 * Launches it, paused, in the directory `<dirs>/<id>/` with the root disk that is there.
 *
 * @param source where its memory and devices come from; null for a guest that boots and has its memory in a file
 * @param place where it will be when it is somebody: its firmware tells its id then, and it works as fast as others do
 */
export async function launchNobody(
  { id, image, cpu, memoryMb }: Pick<MachineRecord, 'image'> & { id: string; cpu: number; memoryMb: number },
  source: Frozen | null,
  { dirs, host }: { dirs: MachineDirs; host: HostFacts },
  place: { plug: Plug; entry: readonly string[] } | null = null,
): Promise<Nobody> {
  const spec = { id, hostname: 'slipway', imageId: '', cpu, memoryMb, persistent: true }
  await (place ? writeRoomySeed : writeSeed)(dirs.fileOf(id, fileNames.seed), { ...spec, sshPublicKeys: [] })
  await makeSerialLine(dirs, id)
  const isApart = place === null && host.network.apart !== null
  if (isApart) await host.network.protect()
  const run: RunRecord = {
    run: randomUUID(),
    shape: isApart ? MACHINE_SHAPE_ALONE : MACHINE_SHAPE,
    bootId: host.bootId,
    startedAt: Date.now(),
    ...(host.network.users && { user: userOf(host.network.users, id) }),
    resumed: false,
    accelerator: host.accelerator.kind,
    cpuModel: host.accelerator.cpu,
    ...(source && { warm: { renewed: false } }),
    ...(!isApart && { plug: place?.plug ?? NOWHERE }),
  }
  const record: MachineRecord = {
    spec: { ...spec, sshPublicKeys: [], volumeIds: [] },
    address: { ip: LOOPBACK, port: await pickPort(LOOPBACK, null) },
    image,
    volumes: [],
    restored: null,
  }
  const args = commandLine({
    record,
    run,
    accelerator: host.accelerator,
    network: { restrict: true },
    volumePath: () => '',
    memory: source ? { path: source.memory, use: 'map' } : { path: dirs.fileOf(id, 'memory'), use: 'write' },
  })
  // Its firmware tells no id, as all who start from it would have the same; the kernel then shows none.
  const nameless = place ? [] : ['-smbios', `type=1,uuid=${NIL}`]
  const asRoot = isRoot() ? [] : ['--user', '--map-root-user']
  const behind = ['nice', '-n', '19', ...(isApart ? [] : ['unshare', ...asRoot, '--net', '--'])]
  const letJournalGo = await keepJournal(dirs, id)
  const { pid } = await launchQemu(
    [...args, ...nameless],
    dirs.pathOf(id),
    place?.entry ?? behind,
    source?.state ?? null,
  ).finally(letJournalGo)
  const end = () =>
    endProcess({ isAlive: () => isRunOf(pid, id, run.run), kill: () => kill(pid) }, { politeMs: 0 })
  let qmp: Qmp
  try {
    qmp = await connectQmp(dirs.fileOf(id, fileNames.qmp), GREETING_MS)
  } catch (error) {
    await end()
    throw error
  }
  const agents = makeAgentTalk(id, qmp, dirs)

  /** Looks until that is so. */
  async function until(isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const latest = performance.now() + BOOT_MS
    while (!(await isSo())) {
      if (performance.now() > latest) throw new Error('A guest did not get as far as it should in time')
      await sleep(LOOK_MS, undefined, { signal, ref: false })
    }
  }

  return {
    qmp,
    pid,
    run,
    async boot(signal) {
      await goOn(qmp)
      await until(() => saidReady(qmp), signal)
    },
    async load(signal) {
      await beginLoading(qmp)
      await until(async () => (await statusOf(qmp)) !== 'inmigrate', signal)
      await goOn(qmp)
    },
    keepsTime: (signal) => keepsTime(agents, inTime(signal)),
    drop: (signal) => dropIdentity(agents, inTime(signal)),
    runScript: (script, signal) => runScript(agents, script, inTime(signal)),
    renew(signal, sshPublicKeys = []) {
      const who = { spec: { ...record.spec, sshPublicKeys }, network: addressOf(run), bootId: null }
      return renewIdentity(agents, who, inTime(signal), () => saidReady(qmp))
    },
    async end() {
      qmp.close()
      await end()
    },
  }
}

const inTime = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(PROGRAM_MS)])

const NIL = '00000000-0000-0000-0000-000000000000'

/** What a guest that has ended leaves in its directory beside these files. */
export async function clearBeside(dirs: MachineDirs, id: string, kept: readonly string[]): Promise<void> {
  for (const name of Object.values(fileNames))
    if (!kept.includes(name)) await rm(dirs.fileOf(id, name), { recursive: true, force: true })
}
