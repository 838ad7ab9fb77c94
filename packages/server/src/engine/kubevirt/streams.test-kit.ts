/** A ground whose mirror holds what a test puts there and whose streams end up with the test. */
import { type Duplex, duplexPair } from 'node:stream'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { silentLog } from '../../lib/log.ts'
import type { Ground } from './ground.ts'
import { makeObjectStore } from './kube/object-store.ts'
import type { StreamOptions } from './kube/stream.ts'
import type { KubeVirt } from './kubevirt-gates.ts'
import type { Mirror, MirroredInstance, MirroredMachine } from './mirror.ts'
import { makeNames } from './names.ts'

type Attend = (other: Duplex, path: string) => void | Promise<void>

function playedReflector<T>() {
  const listeners = new Set<(key: string, before: T | null, now: T | null) => void>()
  const store = makeObjectStore<T, 'id'>({ id: (value) => [(value as { id: string }).id] }, (...change) => {
    for (const listener of [...listeners]) listener(...change)
  })
  let version = 0
  return {
    put: (key: string, value: T) => store.put(key, String(++version), () => value),
    remove: (key: string) => store.remove(key, String(++version)),
    get: store.get,
    all: store.all,
    by: store.by,
    size: store.size,
    synced: Promise.resolve(),
    isSynced: () => true,
    staleSince: () => null,
    onChange(listener: (key: string, before: T | null, now: T | null) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const instanceOf = (
  id: string,
  uid: string,
  status: MirroredInstance['status'],
  more: Partial<MirroredInstance> = {},
): MirroredInstance => ({
  id,
  uid,
  what: 'machine',
  projectId: 'p',
  namespace: 'slipway-p',
  name: `vm-${id}`,
  annotations: {},
  isGoing: false,
  status,
  ...more,
})

/** As the mirror knows an object. */
const keyOf = (id: string): string => `slipway-p/vm-${id}`

/** @param attend gets the far end of every stream; what it throws is the refusal */
export function playGround(attend: Attend = () => {}) {
  const clock = makeHandClock()
  const instances = playedReflector<MirroredInstance>()
  const machines = playedReflector<MirroredMachine>()
  const opened: string[] = []
  const ground = {
    clock,
    log: silentLog,
    names: makeNames('slipway'),
    mirror: {
      ...{ instances, machines, synced: Promise.resolve() },
      kubevirts: playedReflector<KubeVirt & { id: string }>(),
    } as unknown as Mirror,
    client: {
      async openStream(path: string, { signal }: StreamOptions = {}) {
        opened.push(path)
        const [near, far] = duplexPair()
        signal?.addEventListener('abort', () => near.destroy())
        await attend(far, path)
        return near
      },
    } as unknown as Ground['client'],
    storageClass: null,
    snapshotClass: null,
  } satisfies Ground
  return {
    ground,
    clock,
    /** The paths of all streams that were asked for. */
    opened,
    runs(id: string, uid = `${id}-1`, status: MirroredInstance['status'] = { phase: 'Running' }) {
      instances.put(keyOf(id), instanceOf(id, uid, status))
    },
    goesAway: (id: string) => instances.remove(keyOf(id)),
    exists(id: string, hasScreen = true, annotations: Record<string, string> = {}) {
      const { status: _, ...object } = instanceOf(id, `vm-${id}`, null, { annotations })
      machines.put(keyOf(id), {
        ...object,
        subdomain: null,
        rebootPolicy: null,
        runStrategy: 'Manual',
        volumes: [],
        hasScreen,
        status: null,
      })
    },
    isDeleted: (id: string) => machines.remove(keyOf(id)),
  }
}
