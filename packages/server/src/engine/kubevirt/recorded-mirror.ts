/** Machines and instances alone, and little of them: all that a recorder asks about, and all its account may read. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { kinds, type MachineInstance } from './kinds.ts'
import type { KubeClient } from './kube/kube-client.ts'
import type { Kind, KubeObject } from './kube/objects.ts'
import { makeReflector } from './kube/reflector.ts'
import { type Mirrored, mirrored } from './mirror.ts'
import type { Names } from './names.ts'

/** An instance as a recorder knows it. */
export interface Recorded extends Mirrored {
  status: Pick<NonNullable<MachineInstance['status']>, 'phase'> | null
}

interface Watched<T> {
  all(): T[]
  by(index: 'id', word: string): T[]
  onChange(listener: (key: string, before: T | null, now: T | null) => void): () => void
}

/** The part of a mirror that a recorder needs; that of an engine has it too. */
export interface RecordedMirror {
  machines: Watched<Mirrored>
  instances: Watched<Recorded>
}

/** Begins to list and watch at once. */
export function makeRecordedMirror(options: {
  client: KubeClient
  names: Names
  clock: Clock
  log: Pick<Log, 'warn' | 'error'>
}): RecordedMirror & { synced: Promise<void>; close: () => Promise<void> } {
  const { names, ...common } = options
  const reflect = <O extends KubeObject, T extends Mirrored>(kind: Kind<O>, trim: (object: O) => T) =>
    makeReflector<O, T, 'id'>({
      ...common,
      labelSelector: names.selector,
      kind,
      trim,
      indexes: { id: ({ id }) => [id] },
    })
  const machines = reflect(kinds.machines, mirrored)
  const instances = reflect(
    kinds.instances,
    (object): Recorded => ({
      ...mirrored(object),
      status: object.status?.phase === undefined ? null : { phase: object.status.phase },
    }),
  )
  return {
    machines,
    instances,
    synced: Promise.all([machines.synced, instances.synced]).then(() => {}),
    async close() {
      await Promise.all([machines.close(), instances.close()])
    },
  }
}
