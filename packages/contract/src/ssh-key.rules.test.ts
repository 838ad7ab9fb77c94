import { describe, expect, it } from 'vitest'
import { parseSshPublicKey, sshKeyPreview, sshKeyTypes } from './ssh-key.rules.ts'

const field = (text: string, length = text.length) => `\0\0\0${String.fromCharCode(length)}${text}`
const bodyOf = (type: string, lengths: readonly number[]) =>
  btoa(field(type) + lengths.map((length) => field('k'.repeat(length))).join(''))
const body = bodyOf('ssh-ed25519', [32])
const key = `ssh-ed25519 ${body}`

describe('an SSH public key', () => {
  it.each([
    ['ssh-rsa', [3, 100]],
    ['ssh-ed25519', [32]],
    ['ssh-dss', [100, 20, 100, 100]],
    ['ecdsa-sha2-nistp256', [8, 65]],
    ['ecdsa-sha2-nistp384', [8, 97]],
    ['ecdsa-sha2-nistp521', [8, 120]],
  ] as const)('of the type %s has the fields of that type', (type, lengths) => {
    const body = bodyOf(type, lengths)
    const blob = Uint8Array.from(atob(body), (char) => char.charCodeAt(0))
    expect(parseSshPublicKey(`${type} ${body}`)).toEqual({ type, body, comment: '', blob })
    expect(parseSshPublicKey(`${type} ${bodyOf(type, [...lengths, 1])}`)).toBeNull()
    expect(parseSshPublicKey(`${type} ${bodyOf(type, lengths.slice(1))}`)).toBeNull()
    for (const other of sshKeyTypes)
      if (other !== type) expect(parseSshPublicKey(`${other} ${body}`), other).toBeNull()
  })

  it.each([
    [` ${key}\n`, ''],
    [`ssh-ed25519 \t${body}  ada laptop`, 'ada laptop'],
    [`${key} \u00a0ada`, 'ada'],
  ])('has the comment that follows it: %j', (text, comment) =>
    expect(parseSshPublicKey(text)).toMatchObject({ body, comment }),
  )

  it.each([
    ['an option in front', `no-pty ${key}`],
    ['a second line', `${key} ada\n${key}`],
    ['signs that are not base64', `${key}!`],
    ['base64 of an impossible length', 'ssh-rsa AAAAA'],
    ['no body', 'ssh-ed25519'],
    ['a type of its own', 'ssh-new AAAA'],
    ['an empty field', `ssh-rsa ${bodyOf('ssh-rsa', [3, 0])}`],
    ['a field that is cut off', `ssh-ed25519 ${btoa(`${field('ssh-ed25519')}${field('k'.repeat(31), 32)}`)}`],
    [
      'the end of a last field missing',
      `ssh-rsa ${btoa(`${field('ssh-rsa')}${field('kkk')}${field('kk', 3)}`)}`,
    ],
    ['the length of a field cut off', `ssh-ed25519 ${btoa(`${atob(body)}\0\0`)}`],
    ['an Ed25519 key of 31 bytes', `ssh-ed25519 ${bodyOf('ssh-ed25519', [31])}`],
    ['an Ed25519 key of 33 bytes', `ssh-ed25519 ${bodyOf('ssh-ed25519', [33])}`],
  ])('is none with %s', (_what, text) => expect(parseSshPublicKey(text)).toBeNull())

  it('is shown by its beginning, however it is spaced', () => {
    expect(sshKeyPreview(`  ssh-ed25519 \t${body} ada`)).toBe(`ssh-ed25519 ${body.slice(0, 20)}...`)
    expect(sshKeyPreview(`  ${'x'.repeat(41)}`)).toBe(`${'x'.repeat(40)}...`)
  })
})
