/**
 * `npm run campaign -- --minutes N --seed S [--engine simulated|qemu|kubevirt] [--kubeconfig FILE] [--users U] [--servers N] [--kills N] [--every N]`,
 * `npm run campaign -- --replay FILE`, `npm run campaign -- fuzz --calls N --seed S`,
 * `npm run campaign -- clones N`, `npm run campaign -- cycles N` and `npm run campaign -- undo N`: what holds when everything happens at once. Exit code 1 on a violation.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type CampaignOptions, type Outcome, runCampaign } from './campaign.ts'
import { fuzz } from './fuzz.ts'
import { makeReplay, planSteps } from './planner.ts'
import { report } from './report.ts'
import { describeStep, type EngineName, type Script, type Step } from './script.ts'
import { shrink } from './shrink.ts'
import { clones } from './warm/clones.ts'
import { cycles } from './warm/cycles.ts'
import { undo } from './warm/undo.ts'

const minute = 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    engine: { type: 'string', default: 'simulated' },
    /** The cluster of the engine `kubevirt`. */
    kubeconfig: { type: 'string' },
    users: { type: 'string', default: '5' },
    /** Several on one PostgreSQL; of the engine qemu there is only one. */
    servers: { type: 'string', default: '1' },
    /** As many kill -9 of the server, of several that which drives, and no other fault. */
    kills: { type: 'string' },
    /** Steps between two faults, on average. */
    every: { type: 'string' },
    /** Only these faults, with commas. */
    faults: { type: 'string' },
    /** These operations half of the time, with commas, such as suspendVm,forkVm. */
    often: { type: 'string' },
    replay: { type: 'string' },
    calls: { type: 'string', default: '100000' },
    /** Collects all violations instead of ending at the first. */
    'go-on': { type: 'boolean', default: false },
    /** Minutes to shorten the script of a violation; 0 keeps it as it is. */
    'shrink-minutes': { type: 'string', default: '10' },
    verbose: { type: 'boolean', default: false },
  },
})

const number = (text: string, name: string): number => {
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} takes a number`)
  return value
}
const seed = number(values.seed, 'seed')

function readEngine(): EngineName {
  const engine = (['simulated', 'qemu', 'kubevirt'] as const).find((one) => one === values.engine)
  if (engine) return engine
  throw new Error('--engine takes simulated, qemu or kubevirt')
}

/** Ends whatever is under way, so that no server, guest or mount stays behind. */
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort())

function readServers(): number {
  const servers = number(values.servers, 'servers')
  if (servers > 1 && values.engine === 'qemu') throw new Error('--servers does not take the engine qemu')
  return servers
}

/** What every run of this program has in common. */
function commonOptions() {
  const onStep = values.verbose ? (step: Step) => console.log(describeStep(step)) : undefined
  return {
    seed,
    engine: readEngine(),
    kubeconfig: values.kubeconfig,
    users: number(values.users, 'users'),
    servers: readServers(),
    stop: stop.signal,
    ...(onStep && { onStep }),
  }
}

/** Where new steps come from, and when it ends. */
function planned(): Pick<CampaignOptions, 'steps' | 'lastsMs' | 'goOn'> {
  const kills = values.kills === undefined ? null : number(values.kills, 'kills')
  const only = values.faults?.split(',')
  return {
    ...(values['go-on'] && { goOn: () => true }),
    lastsMs: kills === null ? number(values.minutes, 'minutes') * minute : Number.POSITIVE_INFINITY,
    steps: planSteps({
      seed,
      kills,
      log: console.log,
      ...(only && { only }),
      ...(values.often !== undefined && { often: values.often.split(',') }),
      ...(values.every !== undefined && { every: Math.max(1, number(values.every, 'every')) }),
    }),
  }
}

/** Runs steps again; true when one of the rules is broken again. */
async function breaksAgain(
  script: Script,
  steps: readonly Step[],
  rules: ReadonlySet<string>,
): Promise<boolean> {
  const { violations } = await runCampaign({
    ...script,
    kubeconfig: values.kubeconfig,
    stop: stop.signal,
    steps: () => makeReplay(steps),
  })
  return violations.some(({ rule }) => rules.has(rule))
}

async function keepFailure({ script }: Outcome): Promise<string> {
  const file = `campaign-failure-${script.seed}.json`
  await writeFile(file, JSON.stringify(script, null, 1))
  console.log(`The whole script is in ${file}`)
  return file
}

async function shorten({ script, violations }: Outcome, file: string): Promise<void> {
  const until = Date.now() + number(values['shrink-minutes'], 'shrink-minutes') * minute
  const rules = new Set(violations.slice(0, 1).map(({ rule }) => rule))
  const mayTry = () => Date.now() < until && !stop.signal.aborted
  if (!mayTry()) return
  const steps = await shrink(script.steps, (shorter) => breaksAgain(script, shorter, rules), mayTry)
  await writeFile(file, JSON.stringify({ ...script, steps }, null, 1))
  console.log(`${steps.length} of ${script.steps.length} steps are left in ${file}:`)
  for (const step of steps) console.log(`    ${describeStep(step)}`)
  console.log(`npm run campaign -- --replay ${file}`)
}

const howMany = (usual: number): number => number(positionals[1] ?? `${usual}`, positionals[0] ?? '')

async function main(): Promise<boolean> {
  if (positionals[0] === 'fuzz')
    return fuzz({ seed, calls: number(values.calls, 'calls'), log: console.log, stop: stop.signal })
  if (positionals[0] === 'clones') return clones(howMany(8), console.log, stop.signal)
  if (positionals[0] === 'cycles') return cycles(howMany(10), console.log, stop.signal)
  if (positionals[0] === 'undo') return undo(howMany(30), console.log, stop.signal)
  if (values.replay !== undefined) {
    // Written by `keepFailure`.
    const script = JSON.parse(await readFile(values.replay, 'utf8')) as Script
    const outcome = await runCampaign({
      ...script,
      kubeconfig: values.kubeconfig,
      stop: stop.signal,
      steps: () => makeReplay(script.steps),
    })
    console.log(report(outcome))
    return outcome.violations.length === 0
  }
  const outcome = await runCampaign({ ...commonOptions(), ...planned() })
  console.log(report(outcome))
  if (outcome.violations.length === 0) return true
  const file = await keepFailure(outcome)
  if (!values['go-on']) await shorten(outcome, file)
  return false
}

// npm runs this in its workspace; files are named from where the command was given.
process.chdir(process.env.INIT_CWD ?? '.')
process.exitCode = (await main()) ? 0 : 1
