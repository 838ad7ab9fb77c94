/** The processes, files and firewall rules of the engine `qemu` on this host. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { guestsOf, namespaceOf } from '@slipway/e2e/real'
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
    broken:
      alive.size > 0 && !(await isHostProtected(dataDir))
        ? [{ rule: 'open', message: 'Guests run and the firewall rules of the host are not in force' }]
        : [],
  }
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
