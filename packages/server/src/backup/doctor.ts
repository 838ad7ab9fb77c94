/** What `npm run doctor` says of backups outside the host: pure. */
import { bad, type Finding, good, note } from '../lib/finding.ts'
import { type Schedule, tooOldMs } from './due.ts'
import type { Outcomes } from './outcomes.ts'

export interface Seen {
  repository: string
  schedule: Schedule
  outcomes: Outcomes
  /** Why the repository cannot be used now; null when it can. */
  trouble: string | null
  now: number
}

const name = 'backups'
const hourMs = 3_600_000
const again = 'npm run backup -- --repository'
const logOf = 'start the server, or look for "backup" in the log of the one that drives'

/** Where none are configured. */
export const noneConfigured = note(
  name,
  'none outside this host are configured',
  'see "Backups outside the host" in docs/operate.md',
)

/** Each thing that is wrong has a line. */
export function findingsOf({ repository, schedule, outcomes, trouble, now }: Seen): Finding[] {
  const { good: newest, failure } = outcomes
  const found: Finding[] = []
  if (trouble !== null) found.push(bad(name, trouble))
  if (failure !== null)
    found.push(bad(name, `the last one failed, at ${at(failure.at)}: ${failure.message}`, again))
  if (newest === null) return found.length > 0 ? found : [first(repository, schedule, outcomes.begun_at, now)]
  const ageMs = now - Date.parse(newest.at)
  const said = `the newest, of ${at(newest.at)}, is ${hours(ageMs)} old`
  if (schedule !== null && ageMs > tooOldMs(schedule))
    found.push(bad(name, `${said}: two in a row are missing`, logOf))
  if (newest.left_out > 0)
    found.push(note(name, `the newest lacks the files of ${newest.left_out} objects`, `${again} lists them`))
  return found.length > 0 ? found : [good(name, `${said}, in ${repository}`)]
}

/** Before the first one is complete. */
function first(repository: string, schedule: Schedule, begunAt: string | null, now: number): Finding {
  const none = `none was made in ${repository} yet`
  if (begunAt === null)
    return schedule === null
      ? note(name, none, again)
      : note(name, `${none}; a running server makes them when they are due`)
  const said = `${none}; the first began at ${at(begunAt)}`
  return schedule !== null && now - Date.parse(begunAt) > tooOldMs(schedule)
    ? bad(name, `${said} and has not ended`, logOf)
    : note(name, said)
}

const at = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`
const hours = (ms: number) => {
  const whole = Math.floor(ms / hourMs)
  return whole < 1 ? 'less than an hour' : whole === 1 ? 'an hour' : `${whole} hours`
}
