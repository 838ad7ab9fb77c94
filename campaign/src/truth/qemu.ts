/** The processes, files and firewall rules of the engine `qemu` on this host. */
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { guestsOf, namespaceOf, nobodiesOf } from '@slipway/e2e/real'
import type { Finding } from '../compare.ts'
import type { Kind } from '../world.ts'
import type { Truth } from './truth.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

const folders: Record<string, Kind> = {
  machine: 'vm',
  volume: 'disk',
  'machine snapshot': 'vmSnapshot',
  'volume snapshot': 'diskSnapshot',
}

/** `orphans` is what `npm run doctor` finds. */
export async function qemuTruth(dataDir: string): Promise<Truth> {
  const guests = await guestsOf(dataDir)
  const { stdout } = await run(process.execPath, ['packages/server/src/orphans.ts'], {
    cwd: root,
    env: { ...process.env, SLIPWAY_DATA_DIR: dataDir },
  })
  const orphans = JSON.parse(stdout) as { kind: string; id: string }[]
  const alive = new Set(guests.map(({ machineId }) => machineId))
  return {
    alive,
    holdings: orphans.map(({ kind, id }) => ({
      what: `${kind} ${id}`,
      owner: { kind: folders[kind] ?? 'vm', id },
    })),
    kept: null,
    disksOf: null,
    broken: [
      ...(alive.size > 0 && !(await isHostProtected(dataDir))
        ? [{ rule: 'open', message: 'Guests run and the firewall rules of the host are not in force' }]
        : []),
      ...(await brokenInWarm(dataDir)),
    ],
  }
}

const frozenFiles = ['manifest.json', 'memory', 'root.qcow2', 'state']

/** Frozen guests are whole or being made: at most one guest at a time boots for that, and at most one is tried out. */
export async function brokenInWarm(dataDir: string): Promise<Finding[]> {
  const dir = join(dataDir, 'warm')
  const names = await readdir(dir).catch(() => [])
  const nobodies = await nobodiesOf(dataDir)
  const findings: Finding[] = []
  const find = (message: string) => findings.push({ rule: 'orphan', message })
  for (const key of names.filter((name) => /^[0-9a-f]{64}$/.test(name))) {
    const files = (await readdir(join(dir, key)).catch(() => frozenFiles)).sort()
    if (files.join() !== frozenFiles.join()) find(`A frozen guest has the files ${files.join(', ')}`)
  }
  const making = names.filter((name) => /^[0-9a-f-]{36}$/.test(name))
  if (making.length > 2) find(`Directories of guests to be frozen: ${making.join(', ')}`)
  for (const { machineId } of nobodies)
    if (!making.includes(machineId)) find(`A guest to be frozen runs without its directory: ${machineId}`)
  if (nobodies.length > 2) find(`Guests to be frozen run: ${nobodies.length}`)
  return findings
}

/** Whether the rules are there that keep guests from the host and from each other; without root there are none to have. */
async function isHostProtected(dataDir: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true
  const name = await namespaceOf(dataDir)
  const entry = name === null ? [] : ['nsenter', `--net=/run/netns/${name}`, '--']
  const listed = (...command: string[]) => {
    const [program = '', ...args] = [...entry, 'nft', ...command]
    return run(program, args).then(
      ({ stdout }) => /drop|reject/.test(stdout),
      () => false,
    )
  }
  // Without networks of projects guests are held by the rules of the host.
  if (name === null) return listed('list', 'table', 'inet', 'slipway')
  return (await listed('list', 'table', 'bridge', 'slipway')) && listed('list', 'table', 'inet', 'slipway')
}
