/**
 * How often strangers may try. Counts are of 15 minutes and in memory. Addresses count by network
 * (`clientNetworkOf`).
 */
import { messages } from '@slipway/contract'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { refuseForNow } from '../lib/problem.ts'

const duration = 15 * 60

export const accountLimits = {
  /** Failed sign-ins for one account from one address (catalogue G-077). */
  failuresOfOneAtOneAccount: 10,
  /** Failed sign-ins from one address, for whatever accounts. */
  failuresFromOneAddress: 100,
  /** Failed sign-ins for one account, from wherever; not counted for addresses it was signed in from. */
  failuresAtOneAccount: 100,
  /** Mails to one account that one address asks for, and that all do. */
  mailsOfOneToOneAccount: 10,
  mailsToOneAccount: 30,
  /** Sign-ups, mails and resets from one address. */
  requestsFromOneAddress: 100,
  /** Opened verification links from one address: many people may sit behind it. */
  linksFromOneAddress: 300,
}

/** Addresses that an account was signed in from; the oldest are forgotten. */
const knownPlacesKept = 20_000

interface Spending {
  limiter: RateLimiterMemory
  key: string
}

/** A try to sign in that was counted as a failure before it is known how it ends. */
export interface Attempt {
  /** The password was right: it was no failure, and earlier ones of the same address are forgotten. */
  succeeded: () => Promise<void>
  /** It was never looked at: the server was too busy. */
  notMade: () => Promise<void>
}

export type AccountLimits = ReturnType<typeof makeAccountLimits>

export function makeAccountLimits() {
  const limiterOf = (points: number) => new RateLimiterMemory({ duration, points })
  const failuresOfOne = limiterOf(accountLimits.failuresOfOneAtOneAccount)
  const failuresFrom = limiterOf(accountLimits.failuresFromOneAddress)
  const failuresAt = limiterOf(accountLimits.failuresAtOneAccount)
  const mailsOfOne = limiterOf(accountLimits.mailsOfOneToOneAccount)
  const mailsTo = limiterOf(accountLimits.mailsToOneAccount)
  const requestsFrom = limiterOf(accountLimits.requestsFromOneAddress)
  const linksFrom = limiterOf(accountLimits.linksFromOneAddress)
  const knownPlaces = new Set<string>()

  async function spend(...spendings: Spending[]): Promise<void> {
    for (const [at, { limiter, key }] of spendings.entries()) {
      try {
        await limiter.consume(key)
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        // What is refused here must not use up the limits before.
        await giveBack(spendings.slice(0, at + 1))
        throw refuseForNow(429, messages.tooManyAttempts, refused.msBeforeNext / 1000)
      }
    }
  }

  async function giveBack(spendings: readonly Spending[]): Promise<void> {
    for (const { limiter, key } of spendings) await limiter.reward(key, 1)
  }

  function remember(place: string): void {
    knownPlaces.delete(place)
    knownPlaces.add(place)
    const [oldest] = knownPlaces
    if (knownPlaces.size > knownPlacesKept && oldest !== undefined) knownPlaces.delete(oldest)
  }

  return {
    /**
     * Counts a try to sign in. Spent first and given back by its outcome: many guesses at once must not slip through
     * together. Throws 429.
     */
    async beginSignIn(email: string, network: string): Promise<Attempt> {
      const place = `${email}|${network}`
      const spendings = [
        { limiter: failuresOfOne, key: place },
        { limiter: failuresFrom, key: network },
      ]
      // Others who guess must not lock out the owner, who comes from where he came before.
      if (!knownPlaces.has(place)) spendings.push({ limiter: failuresAt, key: email })
      await spend(...spendings)
      return {
        async succeeded() {
          await giveBack(spendings)
          await failuresOfOne.delete(place)
          remember(place)
        },
        notMade: () => giveBack(spendings),
      }
    },

    /** Counts a request for a mail to an account. Throws 429, whether or not there is such an account. */
    askForMail: (email: string, network: string): Promise<void> =>
      spend(
        { limiter: mailsOfOne, key: `${email}|${network}` },
        { limiter: requestsFrom, key: network },
        { limiter: mailsTo, key: email },
      ),

    /** Counts a sign-up or a password reset. Throws 429. */
    request: (network: string): Promise<void> => spend({ limiter: requestsFrom, key: network }),

    /** Counts an opened verification link. Throws 429. */
    openLink: (network: string): Promise<void> => spend({ limiter: linksFrom, key: network }),
  }
}
