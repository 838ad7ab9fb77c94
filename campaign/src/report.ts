/** What a campaign prints. */
import type { Outcome } from './campaign.ts'
import { describeStep, type Violation } from './script.ts'

const counted = (counts: ReadonlyMap<string | number, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ') || 'none'

const sum = (counts: ReadonlyMap<unknown, number>): number => [...counts.values()].reduce((a, b) => a + b, 0)

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

/** How many steps before a violation are shown. */
const shown = 12

function describeViolation({ rule, message, step, notes = [] }: Violation, { script }: Outcome): string {
  const at = script.steps.findIndex(({ n }) => n === step)
  const before = script.steps.slice(Math.max(0, at - shown + 1), at + 1)
  return [
    `VIOLATION (${rule}) after step ${step}, seed ${script.seed}: ${message}`,
    ...before.map((one) => `    ${describeStep(one)}`),
    ...notes.map((note) => `  - ${note}`),
  ].join('\n')
}

export function report(outcome: Outcome): string {
  const { script, operations, faults, answers, restarts, takeovers, replays, bystander, violations } = outcome
  return [
    ...violations.map((violation) => describeViolation(violation, outcome)),
    ...(violations.length > 0
      ? [...outcome.errors].slice(0, 20).map((error) => `the server logged: ${error}`)
      : []),
    '',
    `seed ${script.seed}, ${script.engine} engine, ${script.servers} servers, ${script.users} users, ${script.steps.length} steps`,
    `operations ${sum(operations)}: ${counted(operations)}`,
    `answers by status (0: none): ${counted(answers)}`,
    `faults ${sum(faults)}: ${counted(faults)}`,
    `restarts of the server: ${restarts}, replays of event streams: ${replays}`,
    ...(takeovers.length > 0
      ? [
          `until another server drove: ${takeovers.length} times, median ${quantile(takeovers, 0.5)} ms, longest ${quantile(takeovers, 1)} ms`,
        ]
      : []),
    `bystander: ${bystander.length} calls, median ${quantile(bystander, 0.5)} ms, 99 % ${quantile(bystander, 0.99)} ms, longest ${quantile(bystander, 1)} ms`,
    violations.length === 0 ? 'no violation' : `${violations.length} violations`,
  ].join('\n')
}
