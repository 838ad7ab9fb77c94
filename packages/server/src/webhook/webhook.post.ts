/** Sends a request to a receiver that may be slow, broken or hostile: within a time, and reading little of the answer. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { webhookTexts } from '@slipway/contract'
import type { Clock } from '../lib/clock.ts'
import { httpFailure } from '../lib/http-failure.ts'
import { type HostPolicy, hostOf, type Resolve } from '../lib/public-hosts.ts'
import { isSuccess, type Outcome } from './webhook.plan.ts'

// Imported, their namespaces would take in Node's whole client of fetch, 13 MB that nothing here uses.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const { STATUS_CODES } = http

/** The specification recommends 15 to 30 seconds. */
export const tryLimitMs = 15_000
/** Of an answer's body; nothing of it is kept. */
const answerBytes = 64 * 1024

export interface Sent extends Outcome {
  durationMs: number
}

export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<Sent>

/** What forbids requests to a URL, as a sentence; else `true`. A host that is a name is looked at when it is connected to. */
export function mayPostTo(policy: HostPolicy, url: URL): true | string {
  const host = hostOf(url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.isListed(host)))
    return webhookTexts.urlHttps
  return isIP(host) === 0 || policy.mayConnect(host) || webhookTexts.urlPrivate
}

/** @param policy which hosts may be connected to */
export function makePost(policy: HostPolicy, resolve: Resolve, clock: Clock): Post {
  const lookup = policy.lookup(() => new HostRefused(), resolve)

  function send(url: URL, headers: Record<string, string>, body: string): Promise<Outcome> {
    const verdict = mayPostTo(policy, url)
    if (verdict !== true) return Promise.resolve(failed(verdict))
    return new Promise((settle) => {
      const { request } = url.protocol === 'https:' ? https : http
      const outgoing = request(url, {
        method: 'POST',
        // Connections are not shared: each is made through the policy's look-up.
        agent: false,
        lookup,
        headers: {
          'user-agent': 'Slipway',
          'content-type': 'application/json',
          'content-length': `${Buffer.byteLength(body)}`,
          accept: '*/*',
          'accept-encoding': 'identity',
          ...headers,
        },
      })
      let answered: Outcome | null = null
      const end = (outcome: Outcome) => {
        cancel()
        settle(outcome)
        outgoing.destroy()
      }
      const cancel = clock.after(tryLimitMs, () =>
        end(answered ?? failed(`The receiver did not respond within ${tryLimitMs / 1000} seconds.`)),
      )
      outgoing.on('response', (response) => {
        const outcome = outcomeOf(response, clock.now())
        answered = outcome
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > answerBytes) end(outcome)
        })
        // The status counts, whatever becomes of the rest.
        response.on('end', () => end(outcome))
        response.on('error', () => end(outcome))
        response.on('close', () => end(outcome))
      })
      outgoing.on('error', (error) => end(answered ?? failed(wordsOf(error))))
      outgoing.end(body)
    })
  }

  return async function post(url, headers, body) {
    const since = clock.monotonic()
    const outcome = URL.canParse(url)
      ? await send(new URL(url), headers, body)
      : failed(webhookTexts.urlInvalid)
    return { ...outcome, durationMs: Math.round(clock.monotonic() - since) }
  }
}

/** A name that leads to addresses only which must not be connected to. */
class HostRefused extends Error {}

const wordsOf = (error: Error): string =>
  error instanceof HostRefused ? webhookTexts.urlPrivate : httpFailure(error).words

const failed = (failure: string): Outcome => ({ status: null, failure, retryAfterMs: null })

/** Redirects are not followed: they would lead around what was checked, and the URL can be changed. */
function outcomeOf({ statusCode = 0, headers }: IncomingMessage, nowMs: number): Outcome {
  const words = [statusCode, STATUS_CODES[statusCode]].filter(Boolean).join(' ')
  const isRedirect = statusCode >= 300 && statusCode < 400
  return {
    status: statusCode,
    failure: isSuccess({ status: statusCode })
      ? null
      : isRedirect
        ? `The receiver answered ${words}. Redirects are not followed; change the URL.`
        : `The receiver answered ${words}.`,
    retryAfterMs: retryAfter(headers['retry-after'], nowMs),
  }
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfter(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) && ms > 0 ? ms : null
}
