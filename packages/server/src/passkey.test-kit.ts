/** An authenticator in software, which answers as a browser passes it on. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  accountApi,
  type PasskeyMade,
  type PasskeyOptions,
  type PasskeyUsed,
  passkeyApi,
} from '@slipway/contract'
import type { TestApp } from './app.test-kit.ts'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** Where the tests of passkeys have their console. */
export const testOrigin = 'https://slipway.test'

const flag = { present: 0x01, verified: 0x04, hasKey: 0x40 }

/** What an answer is made with, where it is not what it should be. */
interface Wrong {
  origin?: string
  rpId?: string
  verified?: boolean
  userHandle?: string
}

export function makeAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0
  let owner = ''

  const clientData = (type: string, challenge: string, { origin = testOrigin }: Wrong) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  function head({ rpId = new URL(testOrigin).hostname, verified = true }: Wrong, more = 0): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const flags = flag.present | (verified ? flag.verified : 0) | more
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  const common = {
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    clientExtensionResults: {},
  } as const

  return {
    make({ challenge, ...options }: PasskeyOptions, wrong: Wrong = {}): PasskeyMade {
      owner = (options.user as { id: string }).id
      // COSE: an elliptic curve key, ES256 on P-256.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const data = Buffer.concat([
        head(wrong, flag.hasKey),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        key,
      ])
      const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return {
        ...common,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, wrong)),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
      }
    },

    use({ challenge }: PasskeyOptions, wrong: Wrong = {}): PasskeyUsed {
      const data = head(wrong)
      const client = clientData('webauthn.get', challenge, wrong)
      return {
        ...common,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
          userHandle: wrong.userHandle ?? owner,
        },
      }
    },
  }
}

type Caller = Pick<ReturnType<TestApp['client']>, 'call'>

/** Adds a passkey to the account of somebody who is signed in. */
export async function addPasskey(person: Caller, name = 'Phone') {
  const authenticator = makeAuthenticator()
  const { body: options } = await person.call(passkeyApi.begin)
  const answer = await person.call(passkeyApi.create, {
    body: { name, passkey: authenticator.make(options) },
  })
  return { ...authenticator, passkeyId: answer.body.id }
}

/** What a sign-in with a passkey begins with. */
export const beginSignIn = async (app: TestApp): Promise<PasskeyOptions> =>
  (await app.client().call(accountApi.beginPasskey)).body
