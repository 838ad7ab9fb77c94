/**
 * How often strangers may try. Counts are of 15 minutes and in memory; servers tell each other what was tried, so that
 * trying at several is no more than trying at one. Addresses count by network (`clientNetworkOf`).
 */
import { messages } from '@slipway/contract'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { z } from 'zod'
import { clientNetworkOf } from '../lib/client-address.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { Peers } from '../lib/peers.ts'
import { refuseForNow } from '../lib/problem.ts'

const duration = 15 * 60

export const accountLimits = {
  /** Failed sign-ins for one account from one address (catalogue G-077). */
  failuresOfOneAtOneAccount: 10,
  /** Failed sign-ins from one address, for whatever accounts. */
  failuresFromOneAddress: 100,
  /** Failed sign-ins for one account, from wherever; not counted for addresses it was signed in from. */
  failuresAtOneAccount: 100,
  /** Wrong codes for one account from wherever, by who knows its password; not counted for addresses it was signed in from. */
  codesAtOneAccount: 20,
  /** Mails to one account that one address asks for, and that all do. */
  mailsOfOneToOneAccount: 10,
  mailsToOneAccount: 30,
  /** Sign-ups, mails and resets from one address. */
  requestsFromOneAddress: 100,
  /** Sign-ins with a provider that are begun from one address: many people may sit behind it. */
  visitsFromOneAddress: 300,
  /** Logout tokens from one address that are not valid. */
  logoutsFromOneAddress: 300,
  /** Opened verification links from one address: many people may sit behind it. */
  linksFromOneAddress: 300,
  /** Steps of sign-ins with a code or a passkey, from one address. */
  stepsFromOneAddress: 300,
}

/** Addresses that an account was signed in from; the oldest are forgotten. */
const knownPlacesKept = 20_000

const limited = [
  'failuresOfOne',
  'failuresFrom',
  'failuresAt',
  'codesAt',
  'mailsOfOne',
  'mailsTo',
  'requestsFrom',
  'linksFrom',
  'visitsFrom',
  'logoutsFrom',
  'stepsFrom',
] as const
const spending = z.object({ of: z.enum(limited), key: z.string() })
type Spending = z.infer<typeof spending>

/** What was counted at another server. */
const counted = {
  name: 'counted',
  body: z.union([
    z.object({ spent: z.array(spending) }),
    z.object({ givenBack: z.array(spending) }),
    z.object({ signedInFrom: z.string() }),
  ]),
}

/** A try to sign in that was counted as a failure before it is known how it ends. */
export interface Attempt {
  /** The password was right: it was no failure, and earlier ones of the same address are forgotten. */
  succeeded: () => Promise<void>
  /** It was never looked at: the server was too busy. */
  notMade: () => Promise<void>
}

export type AccountLimits = ReturnType<typeof makeAccountLimits>

/** @param addressesOf - where somebody is signed in now, by the email address or the id of the account */
export function makeAccountLimits(
  peers: Pick<Peers, 'tellOthers' | 'hear'>,
  addressesOf: (whose: string) => Promise<readonly string[]>,
  log: Pick<Log, 'error'>,
) {
  const limiterOf = (points: number) => new RateLimiterMemory({ duration, points })
  const limiters: Record<(typeof limited)[number], RateLimiterMemory> = {
    failuresOfOne: limiterOf(accountLimits.failuresOfOneAtOneAccount),
    failuresFrom: limiterOf(accountLimits.failuresFromOneAddress),
    failuresAt: limiterOf(accountLimits.failuresAtOneAccount),
    codesAt: limiterOf(accountLimits.codesAtOneAccount),
    mailsOfOne: limiterOf(accountLimits.mailsOfOneToOneAccount),
    mailsTo: limiterOf(accountLimits.mailsToOneAccount),
    requestsFrom: limiterOf(accountLimits.requestsFromOneAddress),
    linksFrom: limiterOf(accountLimits.linksFromOneAddress),
    visitsFrom: limiterOf(accountLimits.visitsFromOneAddress),
    logoutsFrom: limiterOf(accountLimits.logoutsFromOneAddress),
    stepsFrom: limiterOf(accountLimits.stepsFromOneAddress),
  }
  const knownPlaces = new Set<string>()

  peers.hear(counted, (told) => inBackground(log, 'counting what was tried at another server', count(told)))

  async function count(told: z.infer<typeof counted.body>): Promise<void> {
    if ('signedInFrom' in told) await signedIn(told.signedInFrom)
    else if ('givenBack' in told) await giveBack(told.givenBack)
    else for (const { of, key } of told.spent) await limiters[of].penalty(key)
  }

  async function spend(...spendings: Spending[]): Promise<void> {
    for (const [at, { of, key }] of spendings.entries()) {
      try {
        await limiters[of].consume(key)
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        // What is refused here must not use up the limits before.
        await giveBack(spendings.slice(0, at + 1))
        throw refuseForNow(429, messages.tooManyAttempts, refused.msBeforeNext / 1000)
      }
    }
    peers.tellOthers(counted, { spent: spendings })
  }

  async function giveBack(spendings: readonly Spending[]): Promise<void> {
    for (const { of, key } of spendings) await limiters[of].reward(key, 1)
  }

  async function giveBackEverywhere(spendings: Spending[]): Promise<void> {
    await giveBack(spendings)
    peers.tellOthers(counted, { givenBack: spendings })
  }

  async function signedIn(place: string): Promise<void> {
    await limiters.failuresOfOne.delete(place)
    knownPlaces.delete(place)
    knownPlaces.add(place)
    const [oldest] = knownPlaces
    if (knownPlaces.size > knownPlacesKept && oldest !== undefined) knownPlaces.delete(oldest)
  }

  /** What is known in memory goes with the server. Sessions stay, and are asked for only when it matters. */
  async function isStillKnown(
    of: 'failuresAt' | 'codesAt',
    whose: string,
    network: string,
  ): Promise<boolean> {
    const counted = await limiters[of].get(whose)
    if (counted === null || counted.remainingPoints > 0) return false
    return (await addressesOf(whose)).some((address) => clientNetworkOf(address) === network)
  }

  async function begin(of: 'failuresAt' | 'codesAt', whose: string, network: string): Promise<Attempt> {
    const place = `${whose}|${network}`
    const spendings: Spending[] = [
      { of: 'failuresOfOne', key: place },
      { of: 'failuresFrom', key: network },
    ]
    // Others who guess must not lock out the owner, who comes from where he came before.
    if (!knownPlaces.has(place) && !(await isStillKnown(of, whose, network)))
      spendings.push({ of, key: whose })
    await spend(...spendings)
    return {
      async succeeded() {
        await giveBackEverywhere(spendings)
        await signedIn(place)
        peers.tellOthers(counted, { signedInFrom: place })
      },
      notMade: () => giveBackEverywhere(spendings),
    }
  }

  return {
    /**
     * Counts a try to sign in. Spent first and given back by its outcome: many guesses at once must not slip through
     * together. Throws 429.
     */
    beginSignIn: (email: string, network: string): Promise<Attempt> => begin('failuresAt', email, network),

    /** Counts a try of a code in the same way, in counts of its own. Throws 429. */
    beginCode: (accountId: string, network: string): Promise<Attempt> => begin('codesAt', accountId, network),

    /** Counts a request for a mail to an account. Throws 429, whether or not there is such an account. */
    askForMail: (email: string, network: string): Promise<void> =>
      spend(
        { of: 'mailsOfOne', key: `${email}|${network}` },
        { of: 'requestsFrom', key: network },
        { of: 'mailsTo', key: email },
      ),

    /** Counts a sign-up or a password reset. Throws 429. */
    request: (network: string): Promise<void> => spend({ of: 'requestsFrom', key: network }),

    /** Counts a step of a sign-in with a code or a passkey, right or wrong. Throws 429. */
    takeStep: (network: string): Promise<void> => spend({ of: 'stepsFrom', key: network }),

    /** Counts an opened verification link. Throws 429. */
    openLink: (network: string): Promise<void> => spend({ of: 'linksFrom', key: network }),

    /** Counts a visit to a provider. Throws 429. */
    visit: (network: string): Promise<void> => spend({ of: 'visitsFrom', key: network }),

    /** Counts a logout token as one that is not valid before it is known. Throws 429. */
    async beginLogout(network: string): Promise<Pick<Attempt, 'succeeded'>> {
      const spending: Spending = { of: 'logoutsFrom', key: network }
      await spend(spending)
      return { succeeded: () => giveBackEverywhere([spending]) }
    },
  }
}
