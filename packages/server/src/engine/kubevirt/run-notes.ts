/**
 * What is known of runs stays with the machine, as annotations: an instance and all it could tell is gone soon after its
 * guest has ended, and a server that was restarted asks no guest again whether it is ready.
 */
import { inBackground } from '../../lib/in-background.ts'
import type { Ground } from './ground.ts'
import { isKube } from './kube/kube-error.ts'
import { isOver, noteOfExit } from './machine-state.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredInstance, MirroredMachine } from './mirror.ts'
import { mark } from './names.ts'

type Notes = Readonly<Record<string, string>>

/** Writes down what happens to instances from now on. */
export function makeRunNotes(ground: Pick<Ground, 'client' | 'mirror' | 'log'>) {
  const { mirror, log } = ground
  const { merge } = makeMachineWrites(ground)
  /** What is on its way into the cluster, by the machine's uid. */
  const underWay = new Map<string, Record<string, string>>()

  const notesOf = (machine: MirroredMachine): Notes => ({
    ...machine.annotations,
    ...underWay.get(machine.uid),
  })

  /** Null removes one. What stands there already costs no call. Throws when it could not be written. */
  async function write(machine: MirroredMachine, notes: Record<string, string | null>): Promise<void> {
    const { namespace, name, uid, annotations } = machine
    if (Object.entries(notes).every(([key, value]) => (annotations[key] ?? null) === value)) return
    await merge({ namespace, name }, { metadata: { uid, annotations: notes } })
  }

  /** Known here at once; what cannot be written is known until the server ends, and noted with the next change. */
  function note(machine: MirroredMachine, notes: Record<string, string>): void {
    const known = notesOf(machine)
    if (machine.isGoing || Object.entries(notes).every(([name, value]) => known[name] === value)) return
    const wanted = { ...underWay.get(machine.uid), ...notes }
    underWay.set(machine.uid, wanted)
    inBackground(
      log,
      'noting a run',
      write(machine, wanted)
        .catch((error) => {
          // The machine is gone, or another one stands there now.
          if (!isKube(error, 'not-found', 'conflict')) throw error
        })
        .then(() => {
          if (underWay.get(machine.uid) === wanted) underWay.delete(machine.uid)
        }),
    )
  }

  function look(key: string, before: MirroredInstance | null, now: MirroredInstance | null): void {
    const machine = mirror.machines.get(key)
    if (!machine) return
    const gone = before && before.uid !== now?.uid ? before : null
    const ended = gone ?? (now && isOver(now) ? now : null)
    const exit = ended && noteOfExit(ended, notesOf(machine))
    const run = now?.uid ?? before?.uid
    note(machine, { ...(run ? { [mark.run]: run } : {}), ...(exit ? { [mark.ended]: exit } : {}) })
  }

  const stops = [
    mirror.instances.onChange(look),
    mirror.machines.onChange((_key, before, now) => {
      if (before && !now) underWay.delete(before.uid)
    }),
  ]

  return {
    notesOf,
    write,
    /** What happened while nobody looked. */
    catchUp(): void {
      for (const instance of mirror.instances.all())
        look(`${instance.namespace}/${instance.name}`, null, instance)
    },
    /** SSH has answered in this run. */
    ready(machineId: string): void {
      const instance = mirror.instances.by('id', machineId).find((one) => !isOver(one))
      const machine = instance && mirror.machines.get(`${instance.namespace}/${instance.name}`)
      if (machine) note(machine, { [mark.ready]: instance.uid })
    },
    close(): void {
      for (const stop of stops) stop()
    },
  }
}

export type RunNotes = ReturnType<typeof makeRunNotes>
