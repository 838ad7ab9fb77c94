import { setTimeout as sleep } from 'node:timers/promises'
import { hasGreeted } from './journal.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { readPid } from './process.ts'

/** What leads QEMU to its place runs on when the server is killed, and is there within milliseconds. */
const COMES_MS = 2000
const LOOK_MS = 20

/**
 * Whether the last run of a machine was noted, but QEMU never came: whoever launched it was killed in between. It writes
 * its process id and greets its journal before a guest runs, and no guest runs before the server lets it.
 */
export async function isUnbegun(
  dirs: MachineDirs,
  machineId: string,
  withinMs: number = COMES_MS,
): Promise<boolean> {
  for (const latest = performance.now() + withinMs; ; await sleep(LOOK_MS)) {
    if ((await readPid(dirs.fileOf(machineId, fileNames.pid))) !== null) return false
    if (await hasGreeted(dirs, machineId)) return false
    if (performance.now() >= latest) return true
  }
}
