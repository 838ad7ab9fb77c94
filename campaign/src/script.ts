/** What a campaign did, in a form that can be done again on a fresh server. */

/** Arguments of an operation; objects go by the handles of the world, because ids differ from run to run. */
export type Args = Record<string, string | number | boolean>

export type Step = {
  /** Names what the step creates, and stays the same when other steps are left out. */
  n: number
  /** Milliseconds after the step before. */
  wait: number
} & (
  | { do: 'operation'; user: number; operation: string; args: Args }
  /** `seed` decides what the fault hits. */
  | { do: 'fault'; fault: string; seed: number }
  /** Waits until everything has come to rest, and looks at everything. */
  | { do: 'settle' }
)

export type EngineName = 'simulated' | 'qemu' | 'kubevirt'

export interface Script {
  seed: number
  engine: EngineName
  users: number
  /** How many servers; more than one share a database. */
  servers: number
  steps: Step[]
}

/** Something that must never happen, and did. */
export interface Violation {
  /** The rule that was broken, in a word; shrinking keeps to it. */
  rule: string
  /** What happened, with the names of the objects. */
  message: string
  /** Number of the step after which it was seen. */
  step: number
  /** What helps to understand it, in lines. */
  notes?: readonly string[]
}

/** A step in a line, for people. */
export function describeStep(step: Step): string {
  if (step.do === 'settle') return `${step.n} settle`
  if (step.do === 'fault') return `${step.n} fault ${step.fault} (seed ${step.seed})`
  return `${step.n} user ${step.user}: ${step.operation} ${JSON.stringify(step.args)}`
}
