/** The world of the simulated engine: it keeps a line for every change; the last one of a key holds. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kind } from '../world.ts'
import { type Owner, ownerKey, type Truth } from './truth.ts'

const sections: Record<string, Kind> = {
  machines: 'vm',
  volumes: 'disk',
  machineSnapshots: 'vmSnapshot',
  volumeSnapshots: 'diskSnapshot',
}

export async function simulatedTruth(dataDir: string, now: number): Promise<Truth> {
  const kept = new Map<string, { owner: Owner; value: unknown }>()
  for (const line of (await readFile(join(dataDir, 'simulated.jsonl'), 'utf8')).split('\n')) {
    if (line === '') continue
    const [section, id, value] = JSON.parse(line) as [string, string, unknown]
    const kind = sections[section]
    if (kind && value === null) kept.delete(`${section} ${id}`)
    else if (kind) kept.set(`${section} ${id}`, { owner: { kind, id }, value })
  }
  const alive = new Set<string>()
  for (const { owner, value } of kept.values()) {
    if (owner.kind !== 'vm') continue
    const { run: last } = value as { run: { exit: unknown; endsAt: number | null } | null }
    if (last && last.exit === null && (last.endsAt === null || last.endsAt > now)) alive.add(owner.id)
  }
  const owners = [...kept.values()].map(({ owner }) => owner)
  return {
    alive,
    holdings: owners.map((owner) => ({ what: ownerKey(owner), owner })),
    kept: new Set(owners.map(ownerKey)),
    disksOf: null,
    broken: [],
  }
}
