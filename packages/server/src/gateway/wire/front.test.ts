import ssh2, { type Client } from 'ssh2'
import { afterAll, expect, it, vi } from 'vitest'
import { makeFront } from './front.ts'
import { fingerprintOf, makePrivateKey } from './keys.ts'
import { makeLimits } from './limits.ts'

/** A key, and the account that it belongs to here. */
function newAccount(id: string) {
  const privateKey = makePrivateKey(id)
  const key = ssh2.utils.parseKey(privateKey)
  if (key instanceof Error) throw key
  return { id, privateKey, fingerprint: fingerprintOf(key.getPublicSSH()) }
}

const mallory = newAccount('mallory')
const ada = newAccount('ada')
const accounts = [mallory, ada]
const accountsWith = (fingerprint: string) => accounts.filter((one) => one.fingerprint === fingerprint)

const front = makeFront({
  hostKey: makePrivateKey('host'),
  guestKey: { privateKey: makePrivateKey('guest'), publicKey: '' },
  limits: makeLimits({ connectionsPerAccount: 3 }),
  desk: {
    isKnown: async (fingerprint) => accountsWith(fingerprint).length > 0,
    wayOf: async ({ fingerprint }) => ({
      to: 'jump',
      accountIds: accountsWith(fingerprint).map(({ id }) => id),
      text: 'Only a way to VMs.',
    }),
    lineTo: async () => ({ refused: 'There is none.' }),
    came: () => () => {},
    log: () => {},
  },
})
const port = await front.listen('127.0.0.1', 0)
afterAll(() => front.close())

/** Resolves with the connection, or rejects with why there is none. */
function connect({ privateKey }: { privateKey: string }): Promise<Client> {
  const client = new ssh2.Client()
  return new Promise((resolve, reject) => {
    client.once('ready', () => resolve(client))
    client.on('error', reject)
    client.once('close', () => reject(new Error('closed')))
    client.connect({
      host: '127.0.0.1',
      port,
      username: 'jump',
      privateKey,
      debug: (line) => {
        const [, reason] = /DISCONNECT \(.*?"(.*)"\)/.exec(line) ?? []
        if (reason !== undefined) reject(new Error(reason))
      },
    })
  })
}

it('refuses more connections of one account with the reason, and lets everybody else in', async () => {
  const clients = [await connect(mallory), await connect(mallory), await connect(mallory)]
  await expect(connect(mallory)).rejects.toThrow(
    'Your account has 3 SSH connections open, which is the limit.',
  )
  clients.push(await connect(ada))
  clients.shift()?.end()
  await vi.waitFor(async () => clients.push(await connect(mallory)), 10_000)
  for (const client of clients) client.end()
})
