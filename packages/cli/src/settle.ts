import { setTimeout as sleep } from 'node:timers/promises'
import { isDiskUnderWay } from '@slipway/contract/disk.rules.ts'
import type { EndpointId } from '@slipway/contract/endpoint.ts'
import { isTransitional } from '@slipway/contract/vm.rules.ts'
import { isPoolUnderWay } from '@slipway/contract/vm-pool.rules.ts'
import { isSetUnderWay } from '@slipway/contract/vm-set.rules.ts'
import { isSnapshotUnderWay } from '@slipway/contract/vm-snapshot.rules.ts'
import { kindOfAnswer } from './commands.ts'
import { Failure } from './failure.ts'
import { type Listed, listed } from './names.ts'
import type { Session } from './session.ts'

interface Kind {
  /** The parameter of paths that has its id. */
  param: string
  list: EndpointId
  /** Where there is a call for one of them. */
  get?: EndpointId
  isUnderWay: (object: { status: string }) => boolean
}

/** What has a status that changes by itself, by the first word of its calls. */
export const kinds: Record<string, Kind> = {
  vm: { param: 'vmId', list: 'vm.list', get: 'vm.get', isUnderWay: isTransitional },
  disk: { param: 'diskId', list: 'disk.list', isUnderWay: isDiskUnderWay },
  'vm-snapshot': { param: 'snapshotId', list: 'vmSnapshot.list', isUnderWay: isSnapshotUnderWay },
  'disk-snapshot': { param: 'diskSnapshotId', list: 'diskSnapshot.list', isUnderWay: isSnapshotUnderWay },
  'vm-pool': { param: 'poolId', list: 'vmPool.list', get: 'vmPool.get', isUnderWay: isPoolUnderWay },
  'vm-set': { param: 'setId', list: 'vmSet.list', get: 'vmSet.get', isUnderWay: isSetUnderWay },
}

export interface Awaited {
  kind: string
  ids: string[]
}

/** What is left to wait for after a call; null when nothing it answers with changes by itself. */
export function awaitedOf(
  id: EndpointId,
  noun: string,
  params: Record<string, string>,
  answer: unknown,
): Awaited | null {
  const kind = kindOfAnswer({ id, noun })
  const { param } = kinds[kind] ?? {}
  if (param === undefined) return null
  const objects = Array.isArray(answer) ? listed(answer) : [answer, Object(answer).vm].filter(isListed)
  const ids = objects.map((one) => one.id)
  // A call without an answer is about what its path names.
  const own = params[param]
  return { kind, ids: ids.length > 0 || own === undefined ? ids : [own] }
}

const isListed = (value: unknown): value is Listed => typeof Object(value).id === 'string'

/** For what `--for` waits when the object shall be gone. */
export const gone = 'deleted'

export interface Patience {
  /** The status that is waited for; any settled one when absent. */
  status?: string | undefined
  /** Seconds. */
  timeout?: number | undefined
}

const defaultTimeout = 600
const firstPauseMs = 100
const longestPauseMs = 1_000

/**
 * Waits until an object has settled, by the rules of the contract, and answers with it; null when it was deleted. Throws when it failed,
 * settled elsewhere than was asked, or takes too long.
 */
export async function settle(
  session: Session,
  { kind, id, projectId }: { kind: string; id: string; projectId: string },
  { status, timeout }: Patience,
): Promise<Listed | null> {
  const rule = kinds[kind]
  if (!rule) throw new Failure('usage', `A ${kind} has no status to wait for.`)
  return patiently(timeout, async () => {
    const object = await look(session, rule, { id, projectId })
    const verdict = judge(object, rule.isUnderWay, status)
    if (verdict === 'wait') return { still: `${named(object)} is still ${object?.status}` }
    if (verdict !== 'done') throw verdict
    return { settled: object }
  })
}

/** Looks again and again until something has settled, or throws what it still is after so many seconds. */
export async function patiently<T>(
  timeout: number | undefined = defaultTimeout,
  look: () => Promise<{ settled: T } | { still: string }>,
): Promise<T> {
  const deadline = Date.now() + timeout * 1_000
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    const found = await look()
    if ('settled' in found) return found.settled
    if (Date.now() + pause > deadline)
      throw new Failure('timedOut', `${found.still} after ${timeout} seconds.`)
    await sleep(pause)
  }
}

async function look(
  session: Session,
  { param, list, get }: Kind,
  { id, projectId }: { id: string; projectId: string },
): Promise<Listed | null> {
  if (get === undefined) {
    const all = listed(await session.call(list, { params: { projectId } }))
    return all.find((one) => one.id === id) ?? null
  }
  return session.call(get, { params: { projectId, [param]: id } }).then(
    (answer) => (isListed(answer) ? answer : null),
    (error: unknown) => {
      if (error instanceof Failure && error.exit === 'notFound') return null
      throw error
    },
  )
}

const named = (object: Listed | null) => String(object?.name ?? object?.id)

/** Whether waiting is over: done, or what went wrong. */
export function judge(
  object: Listed | null,
  isUnderWay: (object: { status: string }) => boolean,
  wanted: string | undefined,
): 'done' | 'wait' | Failure {
  if (object === null)
    return wanted === undefined || wanted === gone ? 'done' : new Failure('notFound', 'It was deleted.')
  const status = String(object.status)
  if (status === wanted) return 'done'
  // Deleting has no status of its own for some kinds: they are what they were until they are gone.
  if (wanted === gone) return 'wait'
  if (isUnderWay({ status })) return 'wait'
  const reason = typeof object.status_message === 'string' ? `: ${object.status_message}` : '.'
  const settled = () => new Failure('failed', `${named(object)} is ${status}${reason}`)
  if (['failed', 'error'].includes(status)) return settled()
  return wanted === undefined ? 'done' : settled()
}
