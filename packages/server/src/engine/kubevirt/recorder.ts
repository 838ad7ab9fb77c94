/**
 * Keeps what guests print. The serial console of KubeVirt is one stream for one client and forgets what nobody reads, so
 * one process of an installation holds the stream of every living guest and appends it to a file. Whatever it could not
 * read is said in the output itself, never left out in silence.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { atMost } from '../../lib/at-most.ts'
import { type ConsoleIndex, makeConsoleLogs } from '../console/console-logs.ts'
import { openConsoleReader } from '../console/console-reader.ts'
import type { MachineConsole } from '../engine.ts'
import type { Ground } from './ground.ts'
import type { Recorded, RecordedMirror } from './recorded-mirror.ts'
import { type Recording, startRecording } from './recording.ts'

/** Where consoles are read and typed into: in this process, or at a recorder beside it (`recorder-reached.ts`). */
export interface Recorder {
  /** Null when there is no such machine and nothing is kept of it. */
  open(machineId: string): Promise<MachineConsole | null>
  close(): Promise<void>
}

/** How many streams are opened at once: a recorder that begins finds all guests running. */
const mostAtOnce = 20
/** Output of a machine that is not in the cluster any more, whose deletion was not seen. */
const leftOverMs = 7 * 24 * 3600 * 1000

/** Begins with what the mirror holds: it has to be synced. */
export async function makeRecorder(
  ground: Pick<Ground, 'client' | 'clock' | 'log'> & { mirror: RecordedMirror },
  directory: string,
): Promise<Recorder> {
  const { mirror, client, clock, log } = ground
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const fileOf = (machineId: string, ending: string) => path.join(directory, `${checked(machineId)}${ending}`)
  const logs = makeConsoleLogs({
    files: {
      output: (machineId) => fileOf(machineId, '.log'),
      index: (machineId) => fileOf(machineId, '.json'),
      readIndex,
      isDamaged: (error) => error instanceof SyntaxError,
    },
    log,
  })
  const inTurn = atMost(mostAtOnce)
  const recordings = new Map<string, Recording>()
  /** What is done about a machine, one after the other. */
  const queues = new Map<string, Promise<void>>()
  let isClosed = false

  function inOrder(machineId: string, what: string, act: () => Promise<void>): void {
    const mine = (queues.get(machineId) ?? Promise.resolve()).then(act).catch((error: unknown) => {
      log.error({ err: error, machine: machineId }, `Recording a console: ${what} failed`)
    })
    queues.set(machineId, mine)
    void mine.then(() => {
      if (queues.get(machineId) === mine) queues.delete(machineId)
    })
  }

  /** @param late it ran before we could have been connected */
  async function begin(instance: Recorded, late: boolean): Promise<void> {
    const { id, uid } = instance
    if (isClosed || recordings.get(id)?.run === uid) return
    const { run, notes } = await logs.indexOf(id)
    const goesOn = run === uid
    if (!goesOn) {
      // The end of the run before was not seen.
      if (run !== undefined && !isEnd(notes.at(-1))) await logs.note(id, 'ended')
      await logs.note(id, 'started', uid)
    }
    const missed = goesOn || late
    recordings.set(id, startRecording({ client, clock, log, logs, inTurn }, instance, { missed }))
  }

  async function end(machineId: string, run: string, how: 'ended' | 'crashed'): Promise<void> {
    const recording = recordings.get(machineId)
    if (recording?.run === run) {
      recordings.delete(machineId)
      await recording.end()
    }
    const index = await logs.indexOf(machineId)
    if (index.run === run && !isEnd(index.notes.at(-1))) await logs.note(machineId, how)
  }

  async function remove(machineId: string): Promise<void> {
    const recording = recordings.get(machineId)
    recordings.delete(machineId)
    await recording?.stop()
    for (const ending of ['.log', '.json', '.json.new', '.json.damaged']) {
      await rm(fileOf(machineId, ending), { force: true })
    }
    logs.forget(machineId)
  }

  function look(before: Recorded | null, now: Recorded | null, late = false): void {
    if (before && before.uid !== now?.uid) {
      const how = before.status?.phase === 'Failed' ? 'crashed' : 'ended'
      inOrder(before.id, 'ending a run', () => end(before.id, before.uid, how))
    }
    const phase = now?.status?.phase
    if (!now) return
    if (phase === 'Running') inOrder(now.id, 'beginning a run', () => begin(now, late))
    else if (phase === 'Succeeded' || phase === 'Failed') {
      const how = phase === 'Failed' ? 'crashed' : 'ended'
      inOrder(now.id, 'ending a run', () => end(now.id, now.uid, how))
    }
  }

  const isAlive = (machineId: string) =>
    mirror.instances.by('id', machineId).some(({ status }) => status?.phase === 'Running')

  /** Ends what ended while nobody looked, and removes what was left over for long. */
  async function catchUp(): Promise<void> {
    for (const name of await readdir(directory)) {
      const [, id] = /^([a-z0-9-]+)\.(?:json|log)$/.exec(name) ?? []
      if (id === undefined) continue
      const [instance] = mirror.instances.by('id', id)
      if (mirror.machines.by('id', id).length === 0 && !instance) {
        const { mtimeMs } = await stat(path.join(directory, name))
        if (clock.now() - mtimeMs > leftOverMs) await remove(id)
        continue
      }
      if (!name.endsWith('.json')) continue
      const { run, notes } = await logs.indexOf(id)
      if (run !== undefined && instance?.uid !== run && !isEnd(notes.at(-1))) await logs.note(id, 'ended')
    }
  }

  await catchUp()
  const stops = [
    mirror.instances.onChange((_key, before, now) => look(before, now)),
    mirror.machines.onChange((_key, before, now) => {
      if (before && !now) inOrder(before.id, 'forgetting a machine', () => remove(before.id))
    }),
  ]
  for (const instance of mirror.instances.all()) look(null, instance, true)

  return {
    async open(machineId) {
      const isThere = mirror.machines.by('id', machineId).length > 0
      if (!isThere && (!isId(machineId) || (await logs.sizeOf(machineId)) === 0)) return null
      const { lookNow: _now, lookSoon: _soon, ...reader } = await openConsoleReader({ logs, log }, machineId)
      return {
        ...reader,
        async write(bytes) {
          // A run that has just begun may wait for its turn to be recorded.
          if (isAlive(machineId)) await queues.get(machineId)
          return recordings.get(machineId)?.write(bytes) ?? false
        },
        // Nothing goes over this line but bytes.
        resize: () => {},
      }
    },
    async close() {
      isClosed = true
      for (const stop of stops) stop()
      const ending = [...recordings.values()]
      recordings.clear()
      await Promise.allSettled([...ending.map((one) => one.stop()), ...queues.values()])
    },
  }
}

const isEnd = (note: ConsoleIndex['notes'][number] | undefined): boolean =>
  note === undefined || note.what === 'ended' || note.what === 'crashed'

/** Ids become names of files; whoever asks over the network may send anything. */
export const isId = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text)

function checked(machineId: string): string {
  if (isId(machineId)) return machineId
  throw new Error('This is no id of a machine')
}

async function readIndex(file: string): Promise<ConsoleIndex | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const value = JSON.parse(text) as Partial<ConsoleIndex> | null
  if (typeof value?.first === 'number' && Array.isArray(value.notes)) return value as ConsoleIndex
  throw new SyntaxError('This is no index of a console')
}
