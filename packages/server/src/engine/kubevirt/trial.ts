/**
 * `npm run doctor -- --try`: one tiny VM with one disk and one snapshot, in a namespace of its own that is removed
 * whatever happens. The disk is empty, so nothing boots: a VM that runs is all that is asked for.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { Finding } from '../../lib/finding.ts'
import { pause } from '../../lib/pause.ts'
import type { Examined } from './finding.ts'
import { kinds } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { Kind, KubeObject } from './kube/objects.ts'
import { makeNames } from './names.ts'
import { podSecurity } from './projects.ts'

export interface TrialOptions extends Omit<Examined, 'snapshotClass' | 'prometheusUrl'> {
  clock: Clock
  /** Ends the trial early; what it made is removed all the same. */
  signal: AbortSignal
  /** How long each step may take. */
  stepMs?: number
}

interface Event extends KubeObject {
  type?: string
  message?: string
  lastTimestamp?: string | null
}
const events: Kind<Event> = { group: '', version: 'v1', plural: 'events' }

const lookMs = 500
const name = 'trial'

/** Runs the steps until one fails, then removes everything. Each step is a finding. */
export async function* tryCluster(options: TrialOptions): AsyncGenerator<Finding> {
  const { client, prefix, storageClass, clock, signal, stepMs = 120_000 } = options
  const namespace = `${prefix}-doctor-${randomBytes(4).toString('hex')}`
  const at = { namespace, name }

  /** Looks until something holds; what it is instead, and what the cluster warns of, is in the error. */
  async function until<T extends KubeObject>(
    kind: Kind<T>,
    where: { namespace?: string; name: string },
    holds: (object: T) => boolean,
    now: (object: T) => string,
  ) {
    const latest = clock.monotonic() + stepMs
    for (;;) {
      signal.throwIfAborted()
      const object = await client.get(kind, where, { signal }).catch((error: unknown) => {
        if (isKube(error, 'not-found')) return null
        throw error
      })
      if (object && holds(object)) return
      if (clock.monotonic() > latest)
        throw new Error(
          `${object ? now(object) : 'it is not there'} after ${stepMs / 1000} s${await warnings()}`,
        )
      await pause(clock, lookMs, signal)
    }
  }

  async function warnings(): Promise<string> {
    const { items } = await client.list(events, { namespace }).catch(() => ({ items: [] as Event[] }))
    const texts = items.filter(({ type }) => type === 'Warning').map(({ message = '' }) => message)
    return texts.length > 0 ? `; the cluster warns: ${[...new Set(texts)].slice(-2).join('; ')}` : ''
  }

  const steps: [what: string, run: () => Promise<unknown>][] = [
    [
      'create a namespace',
      () =>
        client.create(kinds.namespaces, undefined, {
          kind: 'Namespace',
          // Pods of VMs need more than the baseline allows, and servers write into namespaces of their own only.
          metadata: {
            name: namespace,
            labels: { ...makeNames(prefix).labels('trial', namespace, null), ...podSecurity },
          },
        }),
    ],
    [
      'create a disk',
      async () => {
        await client.create(kinds.dataVolumes, namespace, {
          kind: 'DataVolume',
          metadata: { name },
          spec: {
            source: { blank: {} },
            storage: {
              ...(storageClass === null ? {} : { storageClassName: storageClass }),
              resources: { requests: { storage: '1Gi' } },
            },
          },
        })
        // Some storage makes a disk when its first VM starts.
        const done = ['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation']
        await until(
          kinds.dataVolumes,
          at,
          ({ status }) => done.includes(status?.phase ?? ''),
          ({ status }) => `the DataVolume is ${status?.phase ?? 'without a phase'}`,
        )
      },
    ],
    [
      'start a VM',
      async () => {
        await client.create(kinds.machines, namespace, {
          kind: 'VirtualMachine',
          metadata: { name },
          spec: {
            runStrategy: 'Always',
            template: {
              spec: {
                terminationGracePeriodSeconds: 0,
                domain: {
                  memory: { guest: '64Mi' },
                  devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
                },
                volumes: [{ name: 'root', dataVolume: { name } }],
              },
            },
          },
        })
        await until(
          kinds.instances,
          at,
          ({ status }) => status?.phase === 'Running',
          ({ status }) => {
            const why = status?.conditions?.find((one) => one.status === 'False' && one.message)?.message
            return `the VM is ${status?.phase ?? 'without a phase'}${why ? ` (${why})` : ''}`
          },
        )
      },
    ],
    [
      'take a snapshot',
      async () => {
        await client.create(kinds.machineSnapshots, namespace, {
          kind: 'VirtualMachineSnapshot',
          metadata: { name },
          spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name } },
        })
        await until(
          kinds.machineSnapshots,
          at,
          ({ status }) => status?.readyToUse === true,
          ({ status }) => `the snapshot is ${status?.error?.message ?? status?.phase ?? 'without a phase'}`,
        )
        // Ready says little: without a snapshot class it is ready and holds nothing.
        const { status } = await client.get(kinds.machineSnapshots, at, { signal })
        if (!status?.snapshotVolumes?.includedVolumes?.includes('root'))
          throw new Error('the snapshot is ready and does not contain the disk; see "snapshot class" above')
      },
    ],
  ]

  try {
    for (const [what, run] of steps) {
      const began = clock.monotonic()
      try {
        await run()
        yield { state: 'good', name: 'trial', text: `${what}: ${seconds(clock.monotonic() - began)}` }
      } catch (error) {
        const why = signal.aborted ? 'stopped' : error instanceof Error ? error.message : String(error)
        yield { state: 'bad', name: 'trial', text: `${what}: ${why}` }
        break
      }
    }
  } finally {
    // Also where whoever reads stopped reading.
    yield await cleanUp()
  }

  /** Snapshots first: what they hold outlives the VM otherwise. */
  async function cleanUp(): Promise<Finding> {
    const began = clock.monotonic()
    const help = `kubectl delete namespace ${namespace}`
    try {
      // The namespace takes with it what could not be removed here.
      for (const kind of [kinds.machineSnapshots, kinds.machines, kinds.dataVolumes])
        await client.remove(kind, at).catch(() => {})
      await gone(() => client.remove(kinds.namespaces, { name: namespace }))
      const latest = began + stepMs
      while ((await gone(() => client.get(kinds.namespaces, { name: namespace }))) !== null) {
        if (clock.monotonic() > latest)
          return { state: 'bad', name: 'trial', text: `remove everything: ${namespace} is still there`, help }
        await pause(clock, lookMs)
      }
      return {
        state: 'good',
        name: 'trial',
        text: `remove everything: ${seconds(clock.monotonic() - began)}`,
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { state: 'bad', name: 'trial', text: `remove everything: ${why}`, help }
    }
  }
}

/** What is not there is removed already. */
async function gone<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    if (isKube(error, 'not-found')) return null
    throw error
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
