/** The consoles of machines: what a recorder keeps of them, in this process or beside it. */
import path from 'node:path'
import type { Engine } from '../engine.ts'
import type { Ground } from './ground.ts'
import { makeRecorder, type Recorder } from './recorder.ts'
import { reachRecorder } from './recorder-reached.ts'

/** Where consoles are recorded: by another program, or here in a directory. */
export type RecorderPlace = { url: string; token: string } | { directory: string }

/** The place that the settings mean. */
export const recorderPlace = (
  { url, token }: { url: string | null; token: string | null },
  dataDir: string,
): RecorderPlace =>
  url === null || token === null ? { directory: path.join(dataDir, 'consoles') } : { url, token }

/** Opens the place; where it is a directory, the mirror has to be synced, and this process alone may work on it. */
export async function openRecorder(ground: Ground, place: RecorderPlace): Promise<Recorder> {
  return 'directory' in place
    ? makeRecorder(ground, place.directory)
    : reachRecorder({ ...place, clock: ground.clock })
}

export const makeConsoles = (
  { mirror }: Pick<Ground, 'mirror'>,
  recorder: Pick<Recorder, 'open'>,
): Pick<Engine, 'openConsole'> => ({
  async openConsole(machineId) {
    return mirror.machines.by('id', machineId).length === 0 ? null : recorder.open(machineId)
  },
})
