/** Passkeys: made, listed, renamed, removed, signed in with and confirmed with. */
import {
  accountApi,
  accountTexts,
  apiTokenApi,
  type PasskeyUsed,
  passkeyApi,
  passkeyLastsMs,
  passkeyLimit,
  passkeyTexts,
  proofApi,
  proofLastsMs,
} from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { lastMail, testApp } from '../app.test-kit.ts'
import { addPasskey, beginSignIn, makeAuthenticator, testOrigin } from '../passkey.test-kit.ts'
import { turnOnTotp } from '../totp.test-kit.ts'

const app = await testApp({ publicUrl: testOrigin })
type Person = Awaited<ReturnType<typeof app.signedIn>>
const refused = { status: 400, body: { fields: { passkey: passkeyTexts.refused } } }
const unknown = { status: 400, body: { fields: { passkey: passkeyTexts.unknown } } }

const signIn = (passkey: PasskeyUsed, remember_me = false) =>
  app.client().call(accountApi.signInWithPasskey, { body: { passkey, remember_me } })
const create = (person: Person, passkey: object, name = 'Phone') =>
  person.call(passkeyApi.create, { body: { name, passkey } })
const list = async (person: Person) => (await person.call(passkeyApi.list)).body

describe('making a passkey', () => {
  it('201, it is listed, and a mail says so', async () => {
    const ada = await app.signedIn('Ada')
    const { body: options } = await ada.call(passkeyApi.begin)
    expect(options).toMatchObject({
      rp: { id: 'slipway.test', name: 'Slipway' },
      user: { name: ada.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    const answer = await create(ada, makeAuthenticator().make(options), ' Phone ')
    expect(answer).toMatchObject({ status: 201, body: { name: 'Phone', last_used_at: null } })
    expect(await list(ada)).toEqual([answer.body])
    expect(lastMail(app.mails, ada.email).subject).toBe('A passkey was added: your Slipway account')
  })

  it('400 for a challenge that was used, has expired, is of another session or none of ours', async () => {
    const [ada, bob] = [await app.signedIn('Ada'), await app.signedIn('Bob')]
    const begin = async () => (await ada.call(passkeyApi.begin)).body
    const used = await begin()
    expect((await create(ada, makeAuthenticator().make(used))).status).toBe(201)
    expect(await create(ada, makeAuthenticator().make(used))).toMatchObject(refused)
    expect(await create(bob, makeAuthenticator().make(await begin()))).toMatchObject(refused)
    const made = makeAuthenticator().make({ ...(await begin()), challenge: 'none' })
    expect(await create(ada, made)).toMatchObject(refused)
    const old = await begin()
    await app.clock.advance(passkeyLastsMs)
    expect(await create(ada, makeAuthenticator().make(old))).toMatchObject(refused)
    expect(await list(ada)).toHaveLength(1)
    expect(await list(bob)).toHaveLength(0)
  })

  it.each([
    ['from another origin', { origin: 'https://evil.test' }],
    ['from a shared port of the host', { origin: `${testOrigin}:3000` }],
    ['for another site', { rpId: 'evil.test' }],
    ['by a device that did not verify its user', { verified: false }],
  ])('400 %s, and its challenge is used up', async (_, wrong) => {
    const ada = await app.signedIn('Ada')
    const { body: options } = await ada.call(passkeyApi.begin)
    expect(await create(ada, makeAuthenticator().make(options, wrong))).toMatchObject(refused)
    expect((await create(ada, makeAuthenticator().make(options))).status).toBe(400)
    expect(await list(ada)).toEqual([])
  })

  it('400 without a name and for what is no answer of a browser', async () => {
    const ada = await app.signedIn('Ada')
    const { body: options } = await ada.call(passkeyApi.begin)
    expect(await create(ada, makeAuthenticator().make(options), ' ')).toMatchObject({
      status: 400,
      body: { fields: { name: passkeyTexts.nameMissing } },
    })
    expect((await create(ada, {})).status).toBe(400)
    const made = makeAuthenticator().make(options)
    const broken = { ...made, response: { ...made.response, attestationObject: 'AAAA' } }
    expect(await create(ada, broken)).toMatchObject(refused)
  })

  it('409 for one that somebody has already, and for more than an account can have', async () => {
    const ada = await app.signedIn('Ada')
    const authenticator = makeAuthenticator()
    const add = async (by = makeAuthenticator()) =>
      create(ada, by.make((await ada.call(passkeyApi.begin)).body))
    expect((await add(authenticator)).status).toBe(201)
    expect(await add(authenticator)).toMatchObject({ status: 409, body: { message: passkeyTexts.known } })
    for (let i = 1; i < passkeyLimit; i++) expect((await add()).status).toBe(201)
    expect(await ada.call(passkeyApi.begin)).toMatchObject({
      status: 409,
      body: { message: passkeyTexts.tooMany },
    })
  })
})

describe('signing in with a passkey', () => {
  it('200 without an email address, also where a code would be asked for', async () => {
    const ada = await app.signedIn('Ada')
    const phone = await addPasskey(ada)
    await turnOnTotp(ada, app.clock)
    const answer = await signIn(phone.use(await beginSignIn(app)))
    expect(answer).toMatchObject({ status: 200, body: { user: { email: ada.email } } })
    expect((await app.client(answer.cookie).call(accountApi.me)).status).toBe(200)
    expect((await list(ada))[0]?.last_used_at).not.toBeNull()
  })

  it('400 for an answer that comes a second time, late, or to a challenge for something else', async () => {
    const ada = await app.signedIn('Ada')
    const phone = await addPasskey(ada)
    const used = phone.use(await beginSignIn(app))
    expect((await signIn(used)).status).toBe(200)
    expect(await signIn(used)).toMatchObject(refused)
    const late = await beginSignIn(app)
    await app.clock.advance(passkeyLastsMs)
    expect(await signIn(phone.use(late))).toMatchObject(refused)
    const { body: proof } = await ada.call(proofApi.beginPasskey)
    expect(await signIn(phone.use(proof))).toMatchObject(refused)
  })

  it.each([
    ['from another origin', { origin: 'https://evil.test' }],
    ['for another site', { rpId: 'evil.test' }],
    ['by a device that did not verify its user', { verified: false }],
    ['that names another account', { userHandle: Buffer.from('somebody').toString('base64url') }],
  ])('400 for an answer %s', async (_, wrong) => {
    const phone = await addPasskey(await app.signedIn('Ada'))
    expect(await signIn(phone.use(await beginSignIn(app), wrong))).toMatchObject(refused)
  })

  it('400 for a signature of another key under the same name', async () => {
    const phone = await addPasskey(await app.signedIn('Ada'))
    const options = await beginSignIn(app)
    const other = makeAuthenticator()
    const { id, rawId } = phone.use(options)
    expect(await signIn({ ...other.use(options), id, rawId })).toMatchObject(refused)
  })

  it('400 for one that was never here or was removed', async () => {
    const ada = await app.signedIn('Ada')
    expect(await signIn(makeAuthenticator().use(await beginSignIn(app)))).toMatchObject(unknown)
    const phone = await addPasskey(ada)
    const options = await beginSignIn(app)
    expect((await ada.call(passkeyApi.delete, { params: { passkeyId: phone.passkeyId } })).status).toBe(204)
    expect(await signIn(phone.use(options))).toMatchObject(unknown)
  })

  it('400 for a copy that counts behind the original', async () => {
    const ada = await app.signedIn('Ada')
    const phone = await addPasskey(ada)
    await app.db.updateTable('passkey').set({ counter: 1000 }).where('id', '=', phone.passkeyId).execute()
    expect(await signIn(phone.use(await beginSignIn(app)))).toMatchObject(refused)
  })

  it('403 for a disabled account', async () => {
    const ada = await app.signedIn('Ada')
    const phone = await addPasskey(ada)
    await app.db.updateTable('account').set({ disabled_at: 'now' }).where('email', '=', ada.email).execute()
    expect(await signIn(phone.use(await beginSignIn(app)))).toMatchObject({
      status: 403,
      body: { message: accountTexts.disabled },
    })
  })
})

describe('passkeys of an account', () => {
  it('200 renamed, 204 removed with a mail, 404 then', async () => {
    const ada = await app.signedIn('Ada')
    const params = { passkeyId: (await addPasskey(ada)).passkeyId }
    const renamed = await ada.call(passkeyApi.rename, { params, body: { name: 'Key ring' } })
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Key ring' } })
    expect((await list(ada)).map(({ name }) => name)).toEqual(['Key ring'])
    expect((await ada.call(passkeyApi.delete, { params })).status).toBe(204)
    expect(lastMail(app.mails, ada.email).subject).toBe('A passkey was removed: your Slipway account')
    expect(await ada.call(passkeyApi.delete, { params })).toMatchObject({
      status: 404,
      body: { message: passkeyTexts.notFound },
    })
  })
})

describe('confirming who one is with a passkey', () => {
  it('204 with one’s own, 400 with that of somebody else', async () => {
    const ada = await app.signedIn('Ada')
    const [phone, bobs] = [await addPasskey(ada), await addPasskey(await app.signedIn('Bob'))]
    await app.clock.advance(proofLastsMs)
    expect((await ada.call(proofApi.ways)).body).toEqual({ password: true, code: false, passkey: true })
    const begin = async () => (await ada.call(proofApi.beginPasskey)).body
    const give = (passkey: PasskeyUsed) => ada.call(proofApi.give, { body: { passkey } })
    expect(await give(bobs.use(await begin()))).toMatchObject(unknown)
    expect(await give(phone.use(await beginSignIn(app)))).toMatchObject(refused)
    expect((await give(phone.use(await begin()))).status).toBe(204)
    const token = { name: 'ci', access: 'read', project_ids: null } as const
    expect((await ada.call(apiTokenApi.create, { body: token })).status).toBe(201)
  })
})

describe('where no browser has passkeys', () => {
  it('409 for each step, and the host says so', async () => {
    const plain = await testApp()
    const ada = await plain.signedIn('Ada')
    const none = { status: 409, body: { message: passkeyTexts.noOrigin } }
    expect(await ada.call(passkeyApi.begin)).toMatchObject(none)
    expect(await ada.call(proofApi.beginPasskey)).toMatchObject(none)
    expect(await plain.client().call(accountApi.beginPasskey)).toMatchObject(none)
    expect((await plain.client().raw('GET', '/api/host')).body).toMatchObject({ passkey_origin: null })
    expect((await app.client().raw('GET', '/api/host')).body).toMatchObject({ passkey_origin: testOrigin })
  })
})
