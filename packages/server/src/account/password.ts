import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { accountTexts } from '@slipway/contract'
import { Problem, refuseForNow } from '../lib/problem.ts'

const derive = promisify(argon2)

/** What hashing a password costs. */
export interface PasswordCost {
  parallelism: number
  /** In KiB. */
  memory: number
  passes: number
}

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
export const owaspCost: PasswordCost = { parallelism: 1, memory: 19_456, passes: 2 }

/** For whom a password is hashed. */
export interface Caller {
  /** The network it comes from: none may have all places of the queue. */
  network: string
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** Hashing holds a thread of the pool that file and DNS work needs too. */
export const hashedAtOnce = 2
/** One hash takes some 40 ms: whoever gets a place waits for a second or two at most, on a busy host too. */
export const queuePlaces = { inAll: 32, ofOneNetwork: 12 }

interface Waiting {
  network: string
  begin: () => void
}
const busy = () => refuseForNow(503, accountTexts.tooBusy, 3)
const abandoned = () => new Problem(408, 'The request was cancelled')

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

export type Passwords = ReturnType<typeof makePasswords>

/** Hashes passwords at a cost and checks them, a few at once. */
export function makePasswords(cost: PasswordCost) {
  let running = 0
  const waiting: Waiting[] = []

  /** Waits for a place to hash in. Throws 503 when too many wait, and gives the place back when the caller leaves. */
  function turn({ network, signal }: Caller): Promise<void> {
    if (signal.aborted) throw abandoned()
    if (running < hashedAtOnce) {
      running++
      return Promise.resolve()
    }
    const ofNetwork = waiting.filter((one) => one.network === network).length
    if (waiting.length >= queuePlaces.inAll || ofNetwork >= queuePlaces.ofOneNetwork) throw busy()
    return new Promise((resolve, reject) => {
      const place: Waiting = {
        network,
        begin() {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      function leave(): void {
        waiting.splice(waiting.indexOf(place), 1)
        reject(abandoned())
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(place)
    })
  }

  async function inTurn<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    await turn(caller)
    try {
      return await work()
    } finally {
      // The place goes from hand to hand, so that nobody slips in between.
      const next = waiting.shift()
      if (next) next.begin()
      else running--
    }
  }

  const tagOf = (
    password: string,
    nonce: Buffer,
    caller: Caller,
    options = { ...cost, tagLength: 32 },
  ): Promise<Buffer> =>
    inTurn(caller, async () =>
      Buffer.from(await derive('argon2id', { message: password.normalize('NFKC'), nonce, ...options })),
    )

  return {
    /** Hashes a password to a PHC string. Throws 503 when too many wait for theirs. */
    async hash(password: string, caller: Caller): Promise<string> {
      const nonce = randomBytes(16)
      const tag = await tagOf(password, nonce, caller)
      return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
    },

    /**
     * Whether the password belongs to the hash. With `null`, for an unknown account, it costs the same and is false.
     * Throws 503 when too many wait for theirs.
     */
    async verify(password: string, phc: string | null, caller: Caller): Promise<boolean> {
      const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? '')
      if (!match) {
        await tagOf(password, randomBytes(16), caller)
        return false
      }
      const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
      const nonce = Buffer.from(match[4] ?? '', 'base64')
      const expected = Buffer.from(match[5] ?? '', 'base64')
      const tag = await tagOf(password, nonce, caller, {
        memory,
        passes,
        parallelism,
        tagLength: expected.length,
      })
      return timingSafeEqual(tag, expected)
    },
  }
}
