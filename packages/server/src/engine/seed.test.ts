import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { run } from '../lib/command.ts'
import { directoryOfTest } from '../lib/directory.test-kit.ts'
import { type SeedSpec, seedFiles } from './seed.ts'

const spec = {
  id: '01234567-89ab-4cde-8f01-23456789abcd',
  hostname: 'web-1',
  sshPublicKeys: ['ssh-ed25519 AAAA one@home'],
}

const images = join(import.meta.dirname, '../../../../images')
const startScript = (name: string) => `/var/lib/slipway/start-script/${name}`

interface UserData {
  users: unknown[]
  bootcmd?: string[][]
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

  test('has cloud-init change keys at a boot where there are former ones, and leave all others', async () => {
    expect(userDataOf(spec)).not.toHaveProperty('bootcmd')
    const sshPublicKeys = ['ssh-ed25519 BBBB two@home', 'ssh-ed25519 CCCC']
    const { bootcmd } = userDataOf({ ...spec, sshPublicKeys, formerSshPublicKeys: spec.sshPublicKeys })
    const [shell, option, script, ...rest] = bootcmd?.[0] ?? []
    expect([shell, option]).toEqual(['sh', '-c'])
    const home = directoryOfTest()
    const file = join(home, '.ssh/authorized_keys')
    const boot = () => run('sh', ['-c', (script ?? '').replaceAll('/root', home), ...rest])
    await boot()
    expect(await readFile(file, 'utf8')).toBe(`${sshPublicKeys.join('\n')}\n`)
    await writeFile(file, 'ssh-ed25519 AAAA\nssh-rsa DDDD by hand\n')
    for (const _ of ['once', 'and again']) await boot()
    expect(await readFile(file, 'utf8')).toBe(['ssh-rsa DDDD by hand', ...sshPublicKeys, ''].join('\n'))
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

  describe('with a start script', () => {
    const program = '#!/bin/sh\necho "Hällo" > /root/it\n'

    test('has cloud-init write the program and run it at the end of a boot, and says so itself first', () => {
      const files = userDataOf({ ...spec, startScript: program }).write_files
      const [script, run] = files.slice(1) as { path: string; content: string; encoding?: string }[]
      expect(script).toMatchObject({ path: startScript('script'), encoding: 'b64', permissions: '0700' })
      expect(Buffer.from(script?.content ?? '', 'base64').toString()).toBe(program)
      expect(Buffer.from(run?.content ?? '', 'base64').toString()).toContain(startScript('script'))
      expect(files.map(({ path }) => path).filter((path) => path.includes('per-boot'))).toEqual([
        '/var/lib/cloud/scripts/per-boot/say-ready',
        '/var/lib/cloud/scripts/per-boot/start-script',
      ])
    })

    test('is unpacked from its text by images of our own, and not where there is none', async () => {
      const take = await readFile(join(images, 'starter/root/usr/lib/slipway/take-start-script'), 'utf8')
      expect(await readFile(join(images, 'base/root/usr/lib/slipway/take-start-script'), 'utf8')).toBe(take)
      const place = directoryOfTest()
      const taken = async (machine: SeedSpec) => {
        const [userData, program] = [join(place, 'user-data'), join(place, 'take')]
        await writeFile(userData, seedFiles(machine).userData)
        // On this host it must not write where it does in a guest.
        const here = take
          .replace('-m 700 $place', '"$2"')
          .replaceAll(/(?<=> |700 )\$place\/\$name/g, '"$2/$name"')
        await writeFile(program, here)
        await run('sh', [program, userData, join(place, 'out')])
        return readFile(join(place, 'out', 'script'), 'utf8').catch(() => null)
      }
      expect(await taken(spec)).toBeNull()
      expect(await taken({ ...spec, startScript: '#cloud-config\npackages: [x]\n' })).toBeNull()
      expect(await taken({ ...spec, startScript: program })).toBe(program)
    })

    test('leaves settings for cloud-init as they are, in a part of their own', () => {
      const settings = '#cloud-config\npackages: [nginx] # "quotes"\n--slipway-start-script\n'
      const { userData } = seedFiles({ ...spec, startScript: settings })
      expect(userData).toMatch(/^MIME-Version: 1\.0\nContent-Type: multipart\/mixed; boundary="([^"]+)"\n\n/)
      const [, ours = '', theirs = '', end] = userData.split(/^--slipway-start-script(?:--)?$/m)
      expect(JSON.parse(ours.slice(ours.indexOf('#cloud-config') + 13))).toMatchObject({ hostname: 'web-1' })
      expect(theirs).toContain('\nMerge-Type: list(append)')
      expect(Buffer.from(theirs.slice(theirs.indexOf('\n\n')), 'base64').toString()).toBe(settings)
      expect(end).toBe('\n')
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
})
