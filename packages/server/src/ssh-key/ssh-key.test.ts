import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SshKey, sshKeyApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, testApp } from '../app.test-kit.ts'
import { quietGateway } from '../gateway/gateway.test-kit.ts'

const app = await testApp({ gateway: quietGateway })

const ada = await app.signedIn()
const add = (person: Pick<typeof ada, 'call'>, body: object) =>
  person.call(sshKeyApi.create, { body: { key_name: 'k', ssh_public_key: newPublicKey(), ...body } })

describe('SSH keys', () => {
  it('200 is an empty list for a new user', async () => {
    expect((await ada.call(sshKeyApi.list)).body).toEqual([])
  })

  it('201 makes the first key the default; a later default comes first, then age decides', async () => {
    const first = await add(ada, { key_name: 'first' })
    expect(first).toMatchObject({ status: 201, body: { name: 'first', is_default: true } })
    await add(ada, { key_name: 'second' })
    expect((await add(ada, { key_name: 'third', is_default: true })).body.is_default).toBe(true)
    const { body } = await ada.call(sshKeyApi.list)
    for (const key of body) expect(Object.keys(key).sort()).toEqual(Object.keys(SshKey.shape).sort())
    expect(body.map((key) => [key.name, key.is_default])).toEqual([
      ['third', true],
      ['first', false],
      ['second', false],
    ])
  })

  it('hands the default on when its key is deleted', async () => {
    const { body: keys } = await ada.call(sshKeyApi.list)
    expect((await ada.call(sshKeyApi.delete, { params: { sshKeyId: keys[0]?.id ?? '' } })).status).toBe(204)
    const { body } = await ada.call(sshKeyApi.list)
    expect(body.map((key) => [key.name, key.is_default])).toEqual([
      ['first', true],
      ['second', false],
    ])
  })

  it('201 for every type that ssh-keygen makes, with the fingerprint it prints', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'slipway-keys-'))
    try {
      for (const type of [
        ['-t', 'rsa', '-b', '2048'],
        ['-t', 'ed25519'],
        ['-t', 'ecdsa', '-b', '256'],
        ['-t', 'ecdsa', '-b', '384'],
        ['-t', 'ecdsa', '-b', '521'],
      ]) {
        const file = path.join(dir, type.join(''))
        execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'a comment', ...type, '-f', file])
        const printed = execFileSync('ssh-keygen', ['-lf', `${file}.pub`]).toString()
        const text = readFileSync(`${file}.pub`, 'utf8')
        const answer = await add(ada, { key_name: type.join(' '), ssh_public_key: text })
        expect(answer.status).toBe(201)
        expect(printed).toContain(answer.body.fingerprint)
        expect(answer.body.public_key).toBe(text.trim())
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('409 for the same key again, also with another comment', async () => {
    const [type, body] = newPublicKey().split(' ')
    expect((await add(ada, { ssh_public_key: `${type} ${body} one` })).status).toBe(201)
    expect(await add(ada, { ssh_public_key: `${type} ${body}` })).toMatchObject({
      status: 409,
      body: { message: 'This SSH key has already been added' },
    })
  })

  const body = newPublicKey().split(' ')[1] ?? ''
  it.each([
    ['hello'],
    ['ssh-ed25519'],
    ['ssh-ed25519 not*base64'],
    [`ssh-rsa ${body}`],
    [`ssh-ed25519 ${body.slice(0, 20)}`],
    [`ssh-ed25519 ${body}\nssh-ed25519 ${body}`],
    [`command="rm -rf /" ssh-ed25519 ${body}`],
    ['-----BEGIN OPENSSH PRIVATE KEY-----'],
    [null],
    [42],
  ])('400 for the key %j', async (ssh_public_key) => {
    expect(await add(ada, { ssh_public_key })).toMatchObject({
      status: 400,
      body: { message: 'Please provide a valid SSH public key.' },
    })
  })

  it('400 for a blank name', async () => {
    expect(await add(ada, { key_name: ' ' })).toMatchObject({
      status: 400,
      body: { message: 'Please enter a name for the SSH key.' },
    })
  })

  it('404 for deleting what is not there', async () => {
    expect(await ada.call(sshKeyApi.delete, { params: { sshKeyId: 'nope' } })).toMatchObject({
      status: 404,
      body: { message: 'SSH key not found' },
    })
  })
})

describe('the proof of an SSH key', () => {
  const proofsOf = async (person: typeof ada, publicKey: string) =>
    (await person.call(sshKeyApi.list)).body
      .filter((key) => key.public_key === publicKey)
      .map(({ proof }) => proof)

  it('is needed by everybody who has it while it is in two accounts, whoever was first, and by nobody after', async () => {
    const [carol, dave] = [await app.signedIn('Carol'), await app.signedIn('Dave')]
    const key = newPublicKey()
    expect((await add(carol, { ssh_public_key: key })).body.proof).toBe('not_needed')
    const { body: second } = await add(dave, { ssh_public_key: key })
    expect(second.proof).toBe('needed')
    expect(await proofsOf(carol, key)).toEqual(['needed'])
    await dave.call(sshKeyApi.delete, { params: { sshKeyId: second.id } })
    expect(await proofsOf(carol, key)).toEqual(['not_needed'])
  })

  it('is needed by both of two accounts that add the key at the same moment', async () => {
    const people = [await app.signedIn('Erin'), await app.signedIn('Finn')]
    const key = newPublicKey()
    const answers = await Promise.all(people.map((who) => add(who, { ssh_public_key: key })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    for (const who of people) expect(await proofsOf(who, key)).toEqual(['needed'])
  })

  it('200 offers a user name that expires, another one each time', async () => {
    const { body: key } = await add(ada, {})
    const offer = () => ada.call(sshKeyApi.prove, { params: { sshKeyId: key.id } })
    const [first, second] = [await offer(), await offer()]
    for (const { status, body } of [first, second]) {
      expect(status).toBe(200)
      expect(body.user_name).toMatch(/^prove-[0-9a-f]{20}$/)
      expect(Date.parse(body.expires_at) - app.clock.now()).toBe(15 * 60_000)
    }
    expect(second.body.user_name).not.toBe(first.body.user_name)
  })

  it('409 where there is no SSH by name', async () => {
    const without = await testApp()
    const heidi = await without.signedIn()
    const { body: key } = await add(heidi, {})
    expect(await heidi.call(sshKeyApi.prove, { params: { sshKeyId: key.id } })).toMatchObject({
      status: 409,
      body: { message: 'SSH by name is off on this server, so SSH keys need no proof.' },
    })
  })
})
