import { describe, expect, it } from 'vitest'
import {
  gatewayCommand,
  isLoopback,
  projectLabelOf,
  proofCodeIn,
  proofUserOf,
  sshUserOf,
} from './ssh-gateway.rules.ts'

describe('the name of a VM for SSH', () => {
  const web = { id: 'w', name: 'Web 1' }
  const shop = { id: 's', name: 'The Shop' }
  const userAmong = (vms: (typeof web)[], projects: (typeof shop)[]) =>
    sshUserOf(web, shop, { vms, projects })

  it.each([
    ['The Shop', 'the-shop'],
    ['VM', 'vm'],
    ['!!!', 'project'],
    ['商店', 'project'],
  ])('has %j as the label %s of a project', (name, label) => expect(projectLabelOf(name)).toBe(label))

  it('is made of those of the VM and its project where nothing else is called so', () => {
    expect(userAmong([], [])).toBe('web-1.the-shop')
    expect(userAmong([web, { id: 'x', name: 'Web 2' }], [shop, { id: 'x', name: 'Shop' }])).toBe(
      'web-1.the-shop',
    )
  })

  it('is its id where another VM or another project would be called the same', () => {
    expect(userAmong([web, { id: 'x', name: 'web-1' }, { id: 'y', name: 'db' }], [shop])).toBe('w')
    expect(userAmong([web], [shop, { id: 'x', name: 'the shop!' }, { id: 'y', name: 'Shop' }])).toBe('w')
  })

  it('is whom the command calls', () => {
    expect(gatewayCommand('web.shop', { host: 'vms.example.com', port: 2222 })).toBe(
      'ssh web.shop@vms.example.com -p 2222',
    )
  })
})

describe('the machine itself', () => {
  it.each(['localhost', 'LOCALHOST', 'slipway.localhost', '127.0.0.1', '127.10.200.3', '::1', '[::1]'])(
    'is meant by %s',
    (host) => expect(isLoopback(host)).toBe(true),
  )
  it.each([
    ...['localhost.example.com', 'mylocalhost', 'example.com', '', '128.0.0.1', '10.127.0.0.1'],
    ...['127.0.0.1.example.com', '127.a.b.c', '::12', '[::1', '::1]', '[::1].example.com', '2001:db8::1'],
  ])('is not meant by %j', (host) => expect(isLoopback(host)).toBe(false))
})

describe('the user name that proves a key', () => {
  it('has the code in it, in any letter case', () => {
    expect(proofUserOf('ab12')).toBe('prove-ab12')
    expect(proofCodeIn('prove-ab12')).toBe('ab12')
    expect(proofCodeIn('PROVE-AB12')).toBe('ab12')
  })

  it.each(['web.shop', 'prove-me.shop', 'web', 'web-prove-', 'prov'])('is not %s', (user) =>
    expect(proofCodeIn(user)).toBeNull(),
  )
})
