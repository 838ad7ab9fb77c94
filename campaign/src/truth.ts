/** What the engine really holds, read past the server. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { guestsOf } from '@slipway/e2e/real'
import type { Finding } from './compare.ts'
import type { Host } from './host.ts'
import type { Seen } from './look.ts'
import type { Kind } from './world.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

interface Truth {
  /** Machines that run. */
  alive: Set<string>
  /** Everything that lies there, with the kind of its owner. */
  holdings: { kind: Kind; id: string }[]
}

const sections: Record<string, Kind> = {
  machines: 'vm',
  volumes: 'disk',
  machineSnapshots: 'vmSnapshot',
  volumeSnapshots: 'diskSnapshot',
}

/** The simulated engine keeps a line for every change; the last one of a key holds. */
async function simulatedTruth({ dataDir, simulatedNow }: Host): Promise<Truth> {
  const kept = new Map<string, { kind: Kind; id: string; value: unknown }>()
  for (const line of (await readFile(join(dataDir, 'simulated.jsonl'), 'utf8')).split('\n')) {
    if (line === '') continue
    const [section, id, value] = JSON.parse(line) as [string, string, unknown]
    const kind = sections[section]
    if (kind && value === null) kept.delete(`${section} ${id}`)
    else if (kind) kept.set(`${section} ${id}`, { kind, id, value })
  }
  const alive = new Set<string>()
  for (const { kind, id, value } of kept.values()) {
    if (kind !== 'vm') continue
    const { run: last } = value as { run: { exit: unknown; endsAt: number | null } | null }
    if (last && last.exit === null && (last.endsAt === null || last.endsAt > simulatedNow())) alive.add(id)
  }
  return { alive, holdings: [...kept.values()] }
}

const folders: Record<string, Kind> = {
  machine: 'vm',
  volume: 'disk',
  'machine snapshot': 'vmSnapshot',
  'volume snapshot': 'diskSnapshot',
}

/** With QEMU, the processes and files of this host; `orphans` is what `npm run doctor` finds. */
async function qemuTruth({ dataDir }: Host): Promise<Truth> {
  const guests = await guestsOf(dataDir)
  const { stdout } = await run(process.execPath, ['packages/server/src/orphans.ts'], {
    cwd: root,
    env: { ...process.env, SLIPWAY_DATA_DIR: dataDir },
  })
  const orphans = JSON.parse(stdout) as { kind: string; id: string }[]
  return {
    alive: new Set(guests.map(({ machineId }) => machineId)),
    holdings: orphans.map(({ kind, id }) => ({ kind: folders[kind] ?? 'vm', id })),
  }
}

/** Whether the rules are there that keep guests from the host; without root there are none to have. */
async function isHostProtected(): Promise<boolean> {
  if (process.getuid?.() !== 0) return true
  return run('nft', ['list', 'table', 'inet', 'slipway']).then(
    () => true,
    () => false,
  )
}

/** Whether every status is true and everything has an owner; asked when all is at rest. */
export async function checkTruth(host: Host, seen: readonly Seen[]): Promise<Finding[]> {
  const { alive, holdings } = await (host.engine === 'simulated' ? simulatedTruth : qemuTruth)(host)
  const findings: Finding[] = []
  const owners = new Set(seen.map(({ kind, object }) => `${kind} ${object.id}`))
  for (const { kind, id } of holdings)
    if (!owners.has(`${kind} ${id}`))
      findings.push({ rule: 'orphan', message: `The engine holds a ${kind} ${id} that belongs to nobody` })
  for (const { kind, object } of seen) {
    if (kind !== 'vm') continue
    if (object.status === 'running' && !alive.has(object.id))
      findings.push({ rule: 'untrue', message: `VM ${object.name} is running, but its guest is not` })
    if (object.status === 'stopped' && alive.has(object.id))
      findings.push({ rule: 'untrue', message: `VM ${object.name} is stopped, but its guest runs` })
  }
  if (host.engine === 'qemu' && alive.size > 0 && !(await isHostProtected()))
    findings.push({ rule: 'open', message: 'Guests run and the firewall rules of the host are not in force' })
  for (const id of alive)
    if (!owners.has(`vm ${id}`))
      findings.push({ rule: 'orphan', message: `A guest runs that belongs to no VM: ${id}` })
  return findings
}

/** How many descriptors the server has open. */
export const openDescriptors = async (pid: number): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`).catch(() => [])).length
