/** What an answer to a fuzzed call must never be. Pure. */
import { type Endpoint, ErrorBody } from '@slipway/contract'
import type { Answer } from './client.ts'
import type { Finding } from './compare.ts'
import type { Draft } from './fuzz-inputs.ts'

/** Refusals that every call may answer with; a hostile id can make its path that of a call with another method. */
const general = [400, 401, 403, 404, 405, 413, 414, 415, 426, 429, 431]

/** No call may take longer. */
const slowMs = 5_000

export interface Case {
  endpoint: Endpoint
  draft: Draft
  /** Whether an id of somebody else was named where it decides what is reached. */
  foreign: boolean
  /** Texts that nobody but others may see, and texts that nobody may. */
  secrets: readonly string[]
}

/** Null when the answer is as it should be. */
export function judgeAnswer(one: Case, answer: Answer | null): Finding | null {
  const { endpoint, draft } = one
  const who = `${endpoint.id} as ${draft.role}`
  if (!answer) return { rule: 'no answer', message: `${who} was not answered` }
  const { status, text, took } = answer
  if (took > slowMs) return { rule: 'slow', message: `${who} took ${Math.round(took)} ms` }
  const leaked = one.secrets.find((secret) => text.includes(secret))
  if (leaked !== undefined) return { rule: 'leak', message: `${who} answered ${status} with ${leaked}` }
  const spoiltPath = draft.spoilt.startsWith('path')
  if (status >= 400) return judgeRefusal(one, answer, spoiltPath, who)
  // Another path than that of the call, such as a page of the console.
  if (spoiltPath) return null
  if (status === 101 && endpoint.answers !== 'socket')
    return { rule: 'upgrade', message: `${who} was upgraded to a socket, which it is not` }
  if (status !== endpoint.status)
    return { rule: 'status', message: `${who} answered ${status}, which its contract does not have` }
  if (endpoint.auth !== 'public' && draft.role === 'nobody')
    return { rule: 'let in', message: `${who} answered ${status} to somebody who is not signed in` }
  if (one.foreign) return { rule: 'foreign', message: `${who} reached an object of somebody else` }
  return judgeBody(endpoint, text, who)
}

function judgeRefusal(
  { endpoint }: Case,
  { status, text }: Answer,
  spoiltPath: boolean,
  who: string,
): Finding | null {
  const declared = Object.keys(endpoint.errors ?? {}).map(Number)
  if (status >= 500 && !declared.includes(status))
    return { rule: '5xx', message: `${who} answered ${status} ${text}` }
  if (!spoiltPath && !general.includes(status) && !declared.includes(status))
    return { rule: 'status', message: `${who} answered ${status}, which its contract does not have` }
  const parsed = ErrorBody.strict().safeParse(readJson(text))
  if (!parsed.success || parsed.data.message === '')
    return { rule: 'shape', message: `${who} refused with ${status} in another shape: ${text.slice(0, 200)}` }
  return null
}

function judgeBody(endpoint: Endpoint, text: string, who: string): Finding | null {
  if (!endpoint.response) {
    if (endpoint.answers || text === '') return null
    return { rule: 'shape', message: `${who} answered with a body that its contract does not have` }
  }
  const parsed = endpoint.response.safeParse(readJson(text))
  return parsed.success
    ? null
    : { rule: 'shape', message: `${who} answered in another shape: ${parsed.error.message.slice(0, 300)}` }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
