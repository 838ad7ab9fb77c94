import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seedFiles } from './seed.ts'

const spec = {
  id: '01234567-89ab-4cde-8f01-23456789abcd',
  hostname: 'web-1',
  cpu: 1,
  memoryMb: 512,
  imageId: 'starter',
  sshPublicKeys: ['ssh-ed25519 AAAA one@home'],
  volumeIds: [],
  persistent: true,
}

describe('the seed', () => {
  test('carries id, host name and keys in the NoCloud form', () => {
    expect(seedFiles(spec).metaData).toBe(
      [
        'instance-id: "01234567-89ab-4cde-8f01-23456789abcd"',
        'local-hostname: "web-1"',
        'public-keys:',
        '  - "ssh-ed25519 AAAA one@home"',
        '',
      ].join('\n'),
    )
    const { userData } = seedFiles(spec)
    expect(userData.split('\n')[0]).toBe('#cloud-config')
    expect(JSON.parse(userData.slice(userData.indexOf('\n')))).toMatchObject({
      hostname: 'web-1',
      ssh_pwauth: false,
      users: [{ name: 'root', lock_passwd: true, ssh_authorized_keys: ['ssh-ed25519 AAAA one@home'] }],
    })
  })

  test('keeps every text in its place, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (hostname, comment) => {
        const { metaData, userData } = seedFiles({
          ...spec,
          hostname,
          sshPublicKeys: [`ssh-rsa AAAA ${comment}`],
        })
        const lines = metaData.split('\n')
        expect(lines).toHaveLength(5)
        expect(lines.map((line) => line.replace(/".*"$/, ''))).toEqual([
          ...['instance-id: ', 'local-hostname: ', 'public-keys:', '  - ', ''],
        ])
        for (const text of metaData.match(/".*"$/gm) ?? []) expect(typeof JSON.parse(text)).toBe('string')
        expect(() => JSON.parse(userData.slice(userData.indexOf('\n')))).not.toThrow()
      }),
    )
  })

  test('does not let a line break in a key make a second line', () => {
    const { metaData } = seedFiles({ ...spec, sshPublicKeys: ['ssh-rsa AAAA a\npublic-keys:\n  - evil'] })
    expect(metaData.split('\n')).toHaveLength(5)
  })
})
