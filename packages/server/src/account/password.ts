import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
const cost = { parallelism: 1, memory: 19_456, passes: 2, tagLength: 32 }

// Hashing holds a thread of the pool that file and DNS work needs too.
const atOnce = 2
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

const tagOf = (password: string, nonce: Buffer, options = cost): Promise<Buffer> =>
  inTurn(async () =>
    Buffer.from(await derive('argon2id', { message: password.normalize('NFKC'), nonce, ...options })),
  )

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** Hashes a password to a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await tagOf(password, nonce)
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}

/** Whether the password belongs to the hash. With `null`, for an unknown account, it costs the same and is false. */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc ?? '')
  if (!match) {
    await tagOf(password, randomBytes(16))
    return false
  }
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
  const nonce = Buffer.from(match[4] ?? '', 'base64')
  const expected = Buffer.from(match[5] ?? '', 'base64')
  const tag = await tagOf(password, nonce, { memory, passes, parallelism, tagLength: expected.length })
  return timingSafeEqual(tag, expected)
}
