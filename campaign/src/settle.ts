/** The looks at everything: a quick one after every fault, a thorough one when all has come to rest. */
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadTexts } from '@slipway/contract'
import { checkDeadlines, checkGroups, checkShares, compare, type Finding, isMoving } from './compare.ts'
import type { Host } from './host.ts'
import { lookAt, lookInBin, type Seen } from './look.ts'
import { emptyProjectBins } from './operations/project-bin.ts'
import type { Person } from './people.ts'
import type { Listener } from './streams.ts'
import type { Owner } from './truth/truth.ts'
import { checkTruth, openDescriptors } from './truth.ts'
import type { World } from './world.ts'

export interface Scene {
  host: Host
  world: World
  people: readonly Person[]
  listeners: readonly Listener[]
  /** A fault since the last settled look may have made objects fail. */
  unlucky: boolean
  /** Descriptors of each server at its first rest, by its process; of what it has open by itself. */
  descriptors: Map<number, number>
  /** Somebody wants the campaign to end now. */
  stopped: () => boolean
}

const answerWithinMs = 20_000
const mendedLater = ['orphan', 'open', 'awake']
/** What could not be removed is tried again after at most 72 s, see `lib/backoff.ts` of the server. */
const removedWithinMs = 100_000
/** What changes between a look and what it is compared with is in the next look. */
const LEAST_LOOKS = 3
const restWithinMs = { simulated: 90_000, qemu: 900_000, kubevirt: 180_000 }

/** Looks at the objects of all users; null when the server did not answer for long. */
async function lookAtAll({ people }: Scene): Promise<Seen[] | null> {
  const until = Date.now() + answerWithinMs
  for (;;) {
    // One after the other: all at once, hundreds of calls that no user makes would be in the way of those that are timed.
    const looks: Awaited<ReturnType<typeof lookAt>>[] = []
    for (const [user, { client }] of people.entries()) looks.push(await lookAt(client, user))
    if (!looks.includes(null)) return looks.flatMap((look) => look ?? [])
    if (Date.now() > until) return null
    for (const [user, look] of looks.entries()) if (!look) await people[user]?.signIn()
    await sleep(200)
  }
}

const silence: Finding = {
  rule: 'silence',
  message: 'The server did not answer a look at everything for 20 s',
}

/** For after a fault, while things still move. */
export async function lookQuickly(scene: Scene): Promise<Finding[]> {
  const seen = await lookAtAll(scene)
  if (!seen) return [silence]
  return [
    ...compare(scene.world, seen, { settled: false, unlucky: true }),
    ...checkDeadlines(seen, scene.host.now()),
  ]
}

const isStalled = ({ object: { image_url: url } }: Seen) =>
  typeof url === 'string' && url.includes('/stalled/')

/** How many downloads of one owner run at a time, see `lib/jobs.ts` of the server. */
const DOWNLOADS_AT_A_TIME = 2

/**
 * What nobody waits for here: a guest that never answers has ten minutes until it is given up, and a download that never
 * ends some twenty; the other downloads of its owner take turns with it.
 */
export function neverRests(seen: readonly Seen[]): (one: Seen) => boolean {
  const stalled = seen.filter((one) => isMoving(one) && isStalled(one))
  return (one) =>
    // A file of which nobody sends the rest is waited for for a day.
    one.object.status_message === uploadTexts.receiving ||
    one.object.name.startsWith('fault-never-ready') ||
    isStalled(one) ||
    (typeof one.object.image_url === 'string' && stalled.length >= DOWNLOADS_AT_A_TIME)
}

/**
 * What belonged to a deleted project is in no list any more while it is removed, and what was cancelled neither. A VM in
 * the bin is in no list either while its guest goes down, which takes half a minute where it cannot be suspended. The rules
 * of the firewall are looked at now and then. Each time everything is looked at anew: the snapshot of a fork goes by itself
 * once nothing needs it, and may do so between a look and the engine's answer.
 *
 * @param look null when the server did not answer for long
 */
export async function checkTruthPatiently(
  { host, people }: { host: Pick<Host, 'truth'>; people: Scene['people'] },
  look: () => Promise<readonly Seen[] | null>,
): Promise<Finding[]> {
  const until = Date.now() + removedWithinMs
  for (let looks = 1; ; looks += 1) {
    const seen = await look()
    if (!seen) return [silence]
    const inBins: Owner[] = []
    for (const { kind, user, object } of seen) {
      const client = kind === 'project' ? people[user]?.client : undefined
      if (client) inBins.push(...(await lookInBin(client, object.id)))
    }
    const findings = checkTruth(await host.truth(), seen, inBins)
    const lasts = !findings.some(({ rule }) => mendedLater.includes(rule)) || Date.now() > until
    if (findings.length === 0 || (looks >= LEAST_LOOKS && lasts)) return findings
    await sleep(500)
  }
}

/** Waits until nothing moves and everything deleted has gone, then looks at everything. */
export async function lookWhenSettled(scene: Scene): Promise<Finding[]> {
  const { host, world, people } = scene
  await emptyProjectBins(world, people)
  const until = Date.now() + restWithinMs[host.engine]
  const late = new Map<string, Finding>()
  let calm = 0
  for (;;) {
    const seen = await lookAtAll(scene)
    if (scene.stopped()) return []
    if (!seen) return [silence]
    for (const finding of checkDeadlines(seen, host.now())) late.set(finding.message, finding)
    const leaving = new Set(
      [...world.objects.values()].flatMap(({ fate, id }) => (fate === 'leaving' && id !== null ? [id] : [])),
    )
    const isExempt = neverRests(seen)
    const restless = seen.filter((one) => (isMoving(one) && !isExempt(one)) || leaving.has(one.object.id))
    calm = restless.length === 0 ? calm + 1 : 0
    // Two looks in a row: what was about to begin has begun by the second.
    if (calm < 2 && Date.now() < until) {
      await sleep(300)
      continue
    }
    const stuck = restless.map(({ kind, user, object: { name, status } }) => ({
      rule: 'stuck',
      message: `${kind} ${name} of user ${user} is still ${status} after ${restWithinMs[host.engine] / 1_000} s`,
    }))
    const settled = calm >= 2
    return [
      ...late.values(),
      ...stuck,
      ...compare(world, seen, { settled, unlucky: scene.unlucky }),
      ...(settled ? [...checkGroups(seen), ...checkShares(seen)] : []),
      ...(settled ? await checkTruthPatiently(scene, () => lookAtAll(scene)) : []),
      ...(settled ? await checkListeners(scene, () => lookAtAll(scene)) : []),
      ...(settled ? await checkDescriptors(scene, seen) : []),
    ]
  }
}

/** Descriptors a VM may take: lines to QEMU, its agent, its console and its screen. */
const perVm = 8
const slack = 40

async function checkDescriptors({ host, descriptors }: Scene, seen: readonly Seen[]): Promise<Finding[]> {
  const vms = host.engine === 'simulated' ? 0 : seen.filter(({ kind }) => kind === 'vm').length
  // Each is listened at.
  const shares = seen.filter(({ kind }) => kind === 'share').length
  const findings: Finding[] = []
  for (const pid of host.servers) {
    const open = (await openDescriptors(pid)) - host.connections(pid)
    const first = descriptors.get(pid) ?? open
    descriptors.set(pid, first)
    if (open <= first + vms * perVm + shares + slack) continue
    findings.push({
      rule: 'leak',
      message: `The server has ${open} descriptors open at rest; it had ${first}`,
    })
  }
  return findings
}

/**
 * Listeners hear at once what was done at their server, and a little later what another one did not live to tell. Each time
 * they are compared with a new look: since the last one, times such as that of a suspend have moved.
 *
 * @param look null when the server did not answer for long
 */
export async function checkListeners(
  {
    host,
    listeners,
  }: { host: Pick<Host, 'toldWithinMs'>; listeners: readonly Pick<Listener, 'differences'>[] },
  look: () => Promise<readonly Seen[] | null>,
): Promise<Finding[]> {
  const until = Date.now() + host.toldWithinMs
  for (let looks = 1; ; looks += 1) {
    const seen = await look()
    if (!seen) return [silence]
    const findings = listeners.flatMap(({ differences }) => differences(seen))
    if (findings.length === 0 || (looks >= LEAST_LOOKS && Date.now() >= until)) return findings
    await sleep(200)
  }
}
