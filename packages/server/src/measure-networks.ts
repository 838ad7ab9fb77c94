/**
 * Makes so many project networks on this host, each with one VM that has no guest, and removes them again; for
 * `npm run bench -- networks`. Prints a line of JSON: milliseconds and mebibytes.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groundIn } from './engine/qemu/network/grounds.ts'
import { derivedLimits } from './engine/qemu/network/guest-limits.ts'
import { makeProjectNetworks } from './engine/qemu/network/project-networks.ts'

const count = Number(process.argv[2] ?? 200)
const LOOKS = 5

const log = {
  warn: (...all: unknown[]) => console.error(...all),
  error: (...all: unknown[]) => console.error(...all),
}
const dataDir = await mkdtemp(join(tmpdir(), 'slipway-measure-'))
const ground = groundIn(dataDir, log)
const alive = new Set<string>()
const networks = makeProjectNetworks({
  ...{
    dataDir,
    ground,
    named: null,
    living: () => alive,
    isMade: async () => true,
    isOn: () => true,
    limits: derivedLimits,
  },
  log,
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function addNetwork(): Promise<void> {
  const machine = randomUUID()
  await networks.assign(randomUUID(), machine)
  const { done } = await networks.join(machine)
  alive.add(machine)
  done()
}

/** What the name servers take, what they share counted once. man page: proc(5), `smaps_rollup`. */
async function memoryOfServers(): Promise<number> {
  let kilobytes = 0
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!command.includes(ground.files)) continue
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

try {
  const spans: number[] = []
  for (let made = 0; made < count; made += 1) spans.push(await timed(addNetwork))
  const looks: number[] = []
  for (let look = 0; look < LOOKS; look += 1) looks.push(await timed(() => networks.look()))
  const memory = await memoryOfServers()
  alive.clear()
  const removed = await timed(() => networks.look())
  console.log(
    JSON.stringify({
      all: spans.reduce((sum, span) => sum + span, 0),
      first: spans[0],
      last: spans.at(-1),
      look: looks.sort((a, b) => a - b)[Math.floor(LOOKS / 2)],
      memory,
      removed,
    }),
  )
} finally {
  alive.clear()
  await networks.close()
  await rm(dataDir, { recursive: true, force: true })
}
