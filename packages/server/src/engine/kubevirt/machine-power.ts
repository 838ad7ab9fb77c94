/**
 * Telling KubeVirt to start and stop a machine, and knowing that it was heard. Of two words at once it refuses one, in several
 * ways, and a start that comes too soon after a stop is taken off without effect: what counts is how the machine is.
 */
import { pause } from '../../lib/pause.ts'
import { EngineError } from '../engine.ts'
import type { Ground } from './ground.ts'
import { kinds, type MachineInstance, type VirtualMachine } from './kinds.ts'
import { isKube } from './kube/kube-error.ts'
import type { At } from './kube/objects.ts'
import { makeHolders } from './machine-holders.ts'
import { isOver } from './machine-state.ts'
import { makeMachineWrites } from './machine-writes.ts'
import type { MirroredMachine } from './mirror.ts'
import { whenMirrored } from './mirror-wait.ts'
import { lossOf, makingOf } from './volume-state.ts'

const runnable = { ...kinds.machines, group: 'subresources.kubevirt.io' }

/** How long a start waits for what is left of the run before. */
const leftMs = 30_000
/** How often KubeVirt is told again what it refused while something else was under way, with longer and longer pauses. */
const mostTries = 6
const firstPauseMs = 100

/** A machine and its instance as they are now; null where there is none. */
interface Now {
  machine: VirtualMachine | null
  instance: MachineInstance | null
}

export function makePower(ground: Ground) {
  const { client, mirror, clock } = ground
  const { untilNotCopied } = makeHolders(ground)
  const { merge } = makeMachineWrites(ground)
  const instanceOf = ({ namespace, name }: At) => mirror.instances.get(`${namespace}/${name}`)

  async function look(at: At): Promise<Now> {
    const where = { namespace: at.namespace ?? '', name: at.name }
    const orNull = (error: unknown) => {
      if (isKube(error, 'not-found')) return null
      throw error
    }
    const [machine, instance] = await Promise.all([
      client.get(kinds.machines, where).catch(orNull),
      client.get(kinds.instances, where).catch(orNull),
    ])
    if (machine) mirror.machines.observe(machine)
    if (instance) mirror.instances.observe(instance)
    return { machine, instance }
  }

  /** Tells it, again while the answer is that of a race and the machine does not show that it was heard. */
  async function tell(
    at: At,
    word: 'start' | 'stop',
    body: object,
    isHeard: (now: Now) => boolean,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await client.put(runnable, at, word, body)
        return
      } catch (error) {
        if (!isKube(error, 'conflict', 'broken', 'not-found')) throw error
        if (isHeard(await look(at))) return
        if (tries === mostTries) throw error
      }
      await pause(clock, firstPauseMs * 2 ** (tries - 1))
    }
  }

  /** Has KubeVirt end the guest, and take away what is left of it. A start makes `Manual` of it again. */
  async function halt(
    { id, namespace, name, uid, runStrategy }: MirroredMachine,
    doing: string,
  ): Promise<void> {
    if (runStrategy === 'Halted') return
    await untilNotCopied(() => mirror.machines.by('id', id), doing)
    await merge({ namespace, name }, { metadata: { uid }, spec: { runStrategy: 'Halted' } })
  }

  /** Until the root disk is ready, and once it is lost, KubeVirt neither starts nor stops anything, but in `Halted`. */
  const hasRoot = ({ id }: MirroredMachine): boolean =>
    mirror.dataVolumes.by('id', id).some(({ isGoing, status }) => {
      const isWaiting = status?.phase === 'PendingPopulation'
      return !isGoing && (isWaiting || (makingOf(status).is === 'whole' && lossOf(status) === null))
    })

  return {
    /**
     * Removes what is left of a guest that has ended: it would hold its disks, also those that are to be made anew, a start
     * would be lost, and a restore would wait for it for ever.
     */
    async clear(machine: MirroredMachine, doing: string): Promise<void> {
      const left = instanceOf(machine)
      if (left === null) return
      if (!left.isGoing) await halt(machine, doing)
      const isGone = () => (instanceOf(machine)?.uid === left.uid ? null : true)
      if (await whenMirrored(clock, [mirror.instances], isGone, { ms: leftMs })) return
      throw new EngineError('internal', `${doing} The run before is still being removed.`, {
        retryable: true,
      })
    },

    /** A machine whose guest was stopped a moment ago first has to be done with that. */
    async start(machine: MirroredMachine): Promise<void> {
      await tell(machine, 'start', {}, ({ machine: now, instance }) => {
        const isAsked = now?.status?.stateChangeRequests?.some(({ action }) => action === 'Start')
        const lives = instance !== null && instance.metadata.deletionTimestamp === undefined
        return isAsked === true || (lives && !isOver({ status: instance.status ?? null }))
      })
    },

    /** @param graceSeconds how long the guest may take; as long as its machine says when left out */
    async stop(machine: MirroredMachine, uid: string, graceSeconds?: number): Promise<void> {
      if (!hasRoot(machine)) {
        // KubeVirt waits for another disk, which waits for the guest to let go of the one that was removed or lost.
        await halt(machine, 'The VM could not be stopped.')
        if (graceSeconds === undefined) return
      }
      const body = graceSeconds === undefined ? {} : { gracePeriod: graceSeconds }
      await tell(machine, 'stop', body, ({ machine: now, instance }) => {
        if (instance === null || instance.metadata.uid !== uid) return true
        if (isOver({ status: instance.status ?? null })) return true
        const { terminationGracePeriodSeconds: has = Number.POSITIVE_INFINITY } = instance.spec
        if (graceSeconds !== undefined && has > graceSeconds) return false
        const isAsked = now?.status?.stateChangeRequests?.some(
          (request) => request.action === 'Stop' && request.uid === uid,
        )
        return isAsked === true || instance.metadata.deletionTimestamp !== undefined
      })
    },

    /** A start that KubeVirt still has before it is taken back: there is nothing to stop yet. */
    async callOff(machine: MirroredMachine): Promise<void> {
      const change = { status: { stateChangeRequests: null } }
      mirror.machines.observe(await client.merge(kinds.machines, machine, change, { part: 'status' }))
    },
  }
}
