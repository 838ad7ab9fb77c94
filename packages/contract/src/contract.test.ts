import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fillPath,
  formatCpu,
  formatMemory,
  hostnameOf,
  isBootImageUrl,
  isStrongEnough,
  isTransitional,
  isWebAddress,
  networkOf,
  parseSshPublicKey,
  passwordStrength,
  sshCommand,
  sshKeyPreview,
  summarizeVms,
  VmStatus,
  vmCan,
} from './index.ts'

describe('passwords', () => {
  it.each([
    ['aaaa', 1, 'Weak'],
    ['aaaaaaaa', 2, 'Weak'],
    ['Aaaaaaaa', 3, 'Fair'],
    ['Aaaaaaa1', 4, 'Good'],
    ['Aaaaaa1!', 5, 'Strong'],
    ['', 0, 'Weak'],
  ])('%j has strength %i, %s', (password, score, label) => {
    expect(passwordStrength(password)).toEqual({ score, label })
  })

  it('need both eight characters and three of the five checks', () => {
    expect(isStrongEnough('Aa1!aaa')).toBe(false)
    expect(isStrongEnough('aaaaaaaa')).toBe(false)
    expect(isStrongEnough('Aaaaaaaa')).toBe(true)
    expect(isStrongEnough('пароль-Пароль')).toBe(true)
  })
})

describe('quantities', () => {
  it('show memory in MB below 1024 and in GB with one decimal from there', () => {
    expect([512, 1023, 1024, 1536, 16_384].map(formatMemory)).toEqual([
      '512 MB',
      '1023 MB',
      '1.0 GB',
      '1.5 GB',
      '16.0 GB',
    ])
  })
  it('show one core and many cores', () =>
    expect([1, 2, 16].map(formatCpu)).toEqual(['1 core', '2 cores', '16 cores']))
})

describe('image addresses of templates', () => {
  it.each(['disk.qcow2', 'disk.img', 'disk.raw', 'disk.iso', 'DISK.ISO', 'disk.img?sum=1', 'disk.raw#top'])(
    '%s is a boot image',
    (file) => expect(isBootImageUrl(`https://example.org/${file}`)).toBe(true),
  )
  it.each(['rust.png', 'rust', 'iso', 'rust.iso.png', 'rust.png?from=disk.iso', ''])(
    '%j is a picture',
    (file) => expect(isBootImageUrl(`https://example.org/${file}`)).toBe(false),
  )
  it.each(['http://a', 'https://example.org/a b?c', 'HTTPS://EXAMPLE.ORG'])('%j is on the web', (text) =>
    expect(isWebAddress(text)).toBe(true),
  )
  it.each(['', 'a.png', '//a', 'http:a', 'https://', 'https://a b', 'ftp://a', 'data:,a', 'javascript://a'])(
    '%j is not',
    (text) => expect(isWebAddress(text)).toBe(false),
  )
})

describe('host names', () => {
  it.each([
    ['My VM 1', 'my-vm-1'],
    ['Über--Café', 'uber-cafe'],
    ['机器', 'vm'],
    ['-x-', 'x'],
    ['a.b.c', 'a-b-c'],
  ])('%j becomes %s', (name, host) => expect(hostnameOf(name)).toBe(host))

  it('are valid labels whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) =>
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(hostnameOf(name)),
      ),
    )
  })
})

describe('what may be done to a VM', () => {
  const all = VmStatus.options
  const table = {
    start: ['suspended', 'stopped', 'error'],
    stop: ['running', 'suspending', 'suspended', 'stopping'],
    forceStop: ['provisioning', 'starting', 'running', 'suspending', 'suspended', 'stopping'],
    suspend: ['running'],
    restart: ['running'],
    snapshot: ['running', 'stopped'],
    restore: ['running', 'stopped', 'error'],
    console: ['provisioning', 'starting', 'running', 'suspending', 'stopping'],
  } as const
  for (const [action, statuses] of Object.entries(table) as [keyof typeof table, readonly string[]][]) {
    it.each(all)(`${action} while %s`, (status) => {
      for (const word of [status, status.toUpperCase()]) {
        const verdict = vmCan[action]({ status: word })
        expect(verdict === true).toBe(statuses.includes(status))
        if (verdict !== true) expect(verdict).toMatch(/^VM /)
      }
    })
  }

  it('deletes only within a selected project', () => {
    expect(vmCan.delete(null)).toBe('No project selected')
    expect(vmCan.delete({ id: 'p' })).toBe(true)
  })

  it('knows which statuses pass by themselves, in any letter case', () => {
    const passing = all.filter((status) => isTransitional({ status: status.toUpperCase() }))
    expect(passing).toEqual(['pending', 'creating', 'provisioning', 'starting', 'suspending', 'stopping'])
    expect(isTransitional({ status: 'migrating' })).toBe(false)
  })

  it('counts a project: starting are the four on their way up, failed ones only in the total', () => {
    const vms = all.map((status) => ({ status }))
    expect(summarizeVms(vms)).toEqual({ total: 11, running: 1, suspended: 1, stopped: 1, starting: 4, vms })
  })

  it('shows the network as active only for a running VM with an address', () => {
    expect(networkOf({ status: 'running', ip_address: '1.2.3.4' })).toBe('Active')
    expect(networkOf({ status: 'running', ip_address: null })).toBe('Inactive')
    expect(networkOf({ status: 'stopped', ip_address: '1.2.3.4' })).toBe('Inactive')
  })

  it('writes the SSH command, short on port 22', () => {
    expect(sshCommand({ ip_address: '127.100.0.2', ssh_port: 22 })).toBe('ssh root@127.100.0.2')
    expect(sshCommand({ ip_address: '127.100.0.2', ssh_port: 2222 })).toBe('ssh -p 2222 root@127.100.0.2')
    expect(sshCommand({ ip_address: null, ssh_port: 22 })).toBe(null)
  })
})

describe('SSH public keys', () => {
  const key = `ssh-ed25519 ${btoa(`\0\0\0\x0bssh-ed25519\0\0\0\x20${'k'.repeat(32)}`)}`

  it('are read with and without a comment', () => {
    expect(parseSshPublicKey(key)).toMatchObject({ type: 'ssh-ed25519', comment: '' })
    expect(parseSshPublicKey(`  ${key} ada@laptop  \n`)).toMatchObject({ comment: 'ada@laptop' })
  })

  it('never throw and never pass by chance', () => {
    fc.assert(fc.property(fc.string(), (text) => parseSshPublicKey(text) === null))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(parseSshPublicKey(`ssh-rsa ${btoa(String.fromCharCode(...bytes))}`)).toBe(null)
      }),
    )
  })

  it('show their type and 20 characters, or the first 40 of anything else', () => {
    expect(sshKeyPreview(key)).toBe(`ssh-ed25519 ${key.split(' ')[1]?.slice(0, 20)}...`)
    expect(sshKeyPreview('x'.repeat(80))).toBe(`${'x'.repeat(40)}...`)
  })
})

describe('paths', () => {
  it('take encoded values and miss none', () => {
    expect(fillPath('/api/projects/:projectId/vms/:vmId', { projectId: 'a/b', vmId: 'ü' })).toBe(
      '/api/projects/a%2Fb/vms/%C3%BC',
    )
    expect(() => fillPath('/api/projects/:projectId', {})).toThrow('projectId')
  })
})
