import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { run } from '../lib/command.ts'
import { type SeedSpec, seedFiles } from './seed.ts'

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

interface UserData {
  users: unknown[]
  write_files: { path: string; permissions: string; content: string }[]
}

const userDataOf = (machine: SeedSpec): UserData => {
  const { userData } = seedFiles(machine)
  return JSON.parse(userData.slice(userData.indexOf('\n')))
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
    expect(seedFiles(spec).userData.split('\n')[0]).toBe('#cloud-config')
    expect(userDataOf(spec)).toMatchObject({
      hostname: 'web-1',
      disable_root: false,
      ssh_pwauth: false,
      ssh_genkeytypes: ['ed25519'],
      users: [{ name: 'root', lock_passwd: true, ssh_authorized_keys: ['ssh-ed25519 AAAA one@home'] }],
    })
  })

  test('has cloud-init tell at the end of every boot that the guest is up, where it can be told', async () => {
    const [script] = userDataOf(spec).write_files
    expect(script).toMatchObject({ permissions: '0755' })
    expect(script?.path).toMatch(/^\/var\/lib\/cloud\/scripts\/per-boot\/[^/]+$/)
    expect(script?.content).toContain('/dev/virtio-ports/org.slipway.ready')
    // This host has no such port.
    await run('sh', ['-c', script?.content ?? 'false'])
  })

  test('names no list of keys when there is none, as the schema of cloud-init asks', () => {
    expect(userDataOf({ ...spec, sshPublicKeys: [] }).users).toEqual([{ name: 'root', lock_passwd: true }])
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
