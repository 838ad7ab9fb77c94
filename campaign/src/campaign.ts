/** One campaign: a fresh server, its users, and step after step until the source of steps or the time ends. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeRandom } from '@slipway/e2e/random'
import { watchAsBystander } from './bystander.ts'
import { openCluster } from './cluster.ts'
import type { Finding } from './compare.ts'
import { startControl } from './control.ts'
import { makeDiary } from './diary.ts'
import { serveDownloads } from './downloads.ts'
import type { Field } from './faults/fault.ts'
import { type AnyHost, faultsOf } from './faults.ts'
import { makeFleet } from './fleet.ts'
import { makeHost } from './host.ts'
import { reachableOf } from './hostile-guest.ts'
import { errorsIn, findInLog } from './log.ts'
import { makePerson, type Person } from './people.ts'
import type { NextStep } from './planner.ts'
import type { Args, EngineName, Script, Step, Violation } from './script.ts'
import { lookQuickly, lookWhenSettled, type Scene } from './settle.ts'
import { accountTopic, type Listener, listen, projectTopic } from './streams.ts'
import { type Deed, perform } from './traffic.ts'
import { isUndisturbed, makeTroubles, slowMs, type Trouble, worse } from './trouble.ts'
import { makeWorld } from './world.ts'
import { isLate } from './yardstick.ts'

export interface CampaignOptions {
  seed: number
  engine: EngineName
  /** Names the cluster of the engine `kubevirt`. */
  kubeconfig?: string | undefined
  users: number
  /** One, or several on one database. */
  servers?: number
  /** Called when the server is up: where the steps come from. `first` is the number of the first step. */
  steps: (host: AnyHost, first: number) => NextStep
  /** Whether a campaign goes on after these; null: it ends at the first violation. */
  goOn?: (violations: readonly Violation[]) => boolean
  /** Milliseconds after which no more steps are taken. */
  lastsMs?: number
  /** Ends it early, with what was seen until then. */
  stop?: AbortSignal
  /** Hears of each step. */
  onStep?: (step: Step) => void
}

export interface Outcome {
  script: Script
  violations: Violation[]
  /** How many steps of each name were taken. */
  operations: Map<string, number>
  faults: Map<string, number>
  /** How many answers there were of each status; 0 is none. */
  answers: Map<number, number>
  restarts: number
  /** Milliseconds that nobody drove after the one of several servers that did was gone. */
  takeovers: number[]
  /** Milliseconds of the bystander's calls. */
  bystander: number[]
  /** How often a listener went on after a break of its stream without fetching anything anew. */
  replays: number
  /** What the server logged as errors, each sort once. */
  errors: Set<string>
}

/** What answers say whose server cannot use what it shares with others. */
const isAway = (text: string) =>
  /The (database of the server cannot be (reached|opened)|simulated engine cannot be reached)/.test(text)

const count = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)

const speed = '20'

async function hostFor({ seed, engine, kubeconfig }: CampaignOptions, servers: number): Promise<AnyHost> {
  // Whatever else lives in the cluster has another prefix.
  const prefix = `campaign-${randomBytes(3).toString('hex')}`
  if (engine === 'kubevirt' && kubeconfig === undefined)
    throw new Error('The engine kubevirt takes the kubeconfig of a cluster')
  const cluster = engine === 'kubevirt' && kubeconfig ? await openCluster(kubeconfig, prefix) : null
  if (servers > 1) return makeFleet({ servers, seed, speed, cluster })
  return makeHost(engine, engine === 'simulated' ? { SLIPWAY_SIMULATED_SPEED: speed } : {}, cluster)
}

export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { seed, engine, users, servers = 1 } = options
  const host = await hostFor(options, servers)
  const outcome: Outcome = {
    script: { seed, engine, users, servers, steps: [] },
    violations: [],
    operations: new Map(),
    faults: new Map(),
    answers: new Map(),
    restarts: 0,
    takeovers: host.kind === 'several' ? host.takeovers : [],
    bystander: [],
    replays: 0,
    errors: new Set(),
  }
  const ends: (() => Promise<void> | void)[] = []
  try {
    ends.push(await serveDownloads())
    await host.start()
    const control = await startControl(host)
    ends.push(control.end)
    const world = makeWorld()
    const people: Person[] = []
    for (let user = 0; user <= users; user++) people.push(await makePerson(host, user))
    let current = 0
    const diary = makeDiary(world)
    for (const [user, { client }] of people.entries()) diary.follow(user, client, () => current)
    // The last one looks on; nobody plans anything for that one.
    ends.push(() => {
      for (const { client } of people) client.close()
    })
    function found({ rule, message, notes = [] }: Finding): void {
      if (outcome.violations.some((known) => known.rule === rule && known.message === message)) return
      outcome.violations.push({ rule, message, step: current, notes: [...notes, ...diary.about(message)] })
    }

    const stopped = () => options.stop?.aborted === true
    const busy = new Map<number, Promise<void>>()
    const troubles = people.map(makeTroubles)
    function troubleOf(user: number) {
      const trouble = troubles[user]
      if (!trouble) throw new Error(`There is no user ${user}`)
      return trouble
    }
    let fault: Promise<void> | null = null
    let faultEnded = false
    /** A fault since the last settled look explains errors in the logs. */
    let isLogged = false
    const listeners: Listener[] = []
    const scene: Scene = { host, world, people, listeners, unlucky: false, descriptors: new Map(), stopped }

    async function judge(
      { operation, answer, finding, began, waitsMs }: Deed,
      trouble: Trouble,
    ): Promise<void> {
      count(outcome.answers, answer?.status ?? 0)
      // A server in trouble may shut out its friends, and say so; nothing lets in strangers or makes two of one.
      if (finding && !(finding.rule === 'shut out' && fault !== null)) found(finding)
      if (!answer || trouble === 'down') return
      const { status, text, took } = answer
      if (status >= 500 && (status !== 503 || (isUndisturbed(trouble) && isAway(text))))
        found({ rule: 'failed call', message: `${operation} answered ${status} ${text}` })
      const limitMs = slowMs[trouble] + waitsMs
      if (took <= limitMs) return
      const excused = await control.excused(began, began + took)
      if (isLate(took, excused, limitMs))
        found({
          rule: 'slow call',
          message: `${operation} took ${Math.round(took)} ms (${trouble}), ${Math.round(excused)} of them because of the host`,
        })
    }
    function operate(step: Step & { do: 'operation' }): void {
      const [ofHost, ofUser] = [host.watch(), troubleOf(step.user).watch()]
      count(outcome.operations, step.operation)
      const done = perform(host, world, people, step).then(async (deed) => {
        const worst = worse(ofHost(), ofUser())
        if (deed) await judge(deed, worst)
        busy.delete(step.user)
      })
      busy.set(step.user, done)
    }
    const quiet = async () => void (await Promise.all(busy.values()))

    // Everybody begins with a project and a key; the bystander also has a VM and a disk.
    const beginnings: { user: number; operation: string; args: Args }[] = people.flatMap((_, user) => {
      const given = ['createProject', 'createKey']
      return given.map((operation) => ({ user, operation, args: {} }))
    })
    const bootable = { user: 0, operation: 'createTemplate', args: { image: 'whole' } }
    if (engine === 'kubevirt') beginnings.unshift(bootable)
    let n = 0
    for (const beginning of beginnings) {
      operate({ n, wait: 0, do: 'operation', ...beginning })
      await quiet()
      n++
    }
    const template = engine === 'kubevirt' && { template: 's0' }
    const args = { project: `s${n - 2}`, key: `s${n - 1}`, ...template }
    operate({ n: n++, wait: 0, do: 'operation', user: users, operation: 'createVm', args })
    await quiet()
    const projects = new Map([...world.objects.values()].map(({ kind, user, id }) => [`${kind} ${user}`, id]))
    const projectOf = (user: number) => projects.get(`project ${user}`) ?? ''
    const bystander = people[users]
    if (!bystander) throw new Error('There is no bystander')
    const watch = watchAsBystander(host, bystander, projectOf(users), control, found)
    outcome.bystander = watch.times
    ends.push(watch.end)
    for (const [user, person] of people.entries())
      for (const topic of [projectTopic(projectOf(user)), accountTopic(user)])
        listeners.push(listen(host, { person, user, topic }, found))
    ends.push(async () => void (await Promise.all(listeners.map(({ end }) => end()))))

    const all = [...people.keys()].slice(0, users)
    const field: Field = {
      accounts: all.flatMap((user) => {
        const client = people[user]?.client
        return client
          ? [{ client, projectId: projectOf(user), floods: () => troubleOf(user).begin('floods') }]
          : []
      }),
      async guests() {
        const users = all.map((user) => people[user])
        const reachable = users.map((person, user) => (person ? reachableOf(person.client, user) : []))
        return (await Promise.all(reachable)).flat()
      },
      cutStreams() {
        for (const { cut } of listeners) cut()
      },
    }
    async function deal(step: Step & { do: 'fault' }): Promise<void> {
      const dealt = faultsOf(host).find(({ name }) => name === step.fault)
      if (!dealt) throw new Error(`There is no fault ${step.fault}`)
      count(outcome.faults, dealt.name)
      if (dealt.harsh) scene.unlucky = true
      if (dealt.logged) isLogged = true
      const { life } = host
      await dealt.deal(makeRandom(step.seed), field).catch((error: unknown) => {
        found({
          rule: 'no start',
          message: `After ${dealt.name}: ${error instanceof Error ? error.message : error}`,
        })
      })
      outcome.restarts += host.life - life
      faultEnded = true
    }
    function readLog(): void {
      const output = host.takeOutput()
      for (const error of errorsIn(output)) outcome.errors.add(error)
      for (const finding of findInLog(output, isLogged)) found(finding)
    }
    async function afterFault(): Promise<void> {
      await fault
      fault = null
      faultEnded = false
      await quiet()
      for (const finding of await lookQuickly(scene)) found(finding)
      readLog()
    }
    async function settle(): Promise<void> {
      if (fault !== null) await afterFault()
      await quiet()
      for (const finding of await lookWhenSettled(scene)) found(finding)
      readLog()
      scene.unlucky = false
      isLogged = false
    }

    const next = options.steps(host, n)
    const until = Date.now() + (options.lastsMs ?? Number.POSITIVE_INFINITY)
    const goesOn = () =>
      Date.now() < until &&
      !stopped() &&
      (outcome.violations.length === 0 || options.goOn?.(outcome.violations) === true)
    while (goesOn()) {
      if (faultEnded) await afterFault()
      // Calls to a server that is down prove nothing; those under way when it ended do.
      if (fault !== null && !host.up) {
        await sleep(5)
        continue
      }
      const step = next({ world, idle: all.filter((user) => !busy.has(user)), fault: fault !== null })
      if (!step) break
      await sleep(step.wait)
      current = step.n
      outcome.script.steps.push(step)
      options.onStep?.(step)
      if (step.do === 'settle') await settle()
      else if (step.do === 'fault') {
        if (fault !== null) await afterFault()
        fault = deal(step)
      } else {
        await busy.get(step.user)
        operate(step)
        if (busy.size === users) await Promise.race(busy.values())
      }
    }
    if (!stopped() && (outcome.violations.length === 0 || options.goOn)) await settle()
    else await fault
    readLog()
    outcome.replays = listeners.reduce((sum, { replays }) => sum + replays, 0)
    return outcome
  } finally {
    for (const end of ends.reverse()) await end()
    await host.remove()
  }
}
