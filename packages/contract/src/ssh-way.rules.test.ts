import { describe, expect, it } from 'vitest'
import { gatewayOf, sshWays } from './ssh-way.rules.ts'

const gateway = { user: 'web.shop', host: 'vms.example.com', port: 2222 }
const through = {
  ...gateway,
  kind: 'gateway',
  command: 'ssh web.shop@vms.example.com -p 2222',
  onServerOnly: false,
}
const vm = { status: 'running', ip_address: '127.0.3.7', ssh_port: 22 } as const
const direct = (addresses: string) => ({
  kind: 'direct',
  user: 'root',
  host: '127.0.3.7',
  port: 22,
  command: 'ssh root@127.0.3.7',
  addresses,
})

describe('the gateway', () => {
  const ssh_gateway = { host: 'ssh.example.com', port: 2222, local_only: false, fingerprint: 'SHA256:x' }
  const seen = (more: Partial<typeof ssh_gateway> | { host: null }, from: string) =>
    gatewayOf({ ssh_gateway: { ...ssh_gateway, ...more } }, 'web.shop', from)

  it('is where the server says, or else where the console is', () => {
    expect(seen({}, 'vms.example.com')).toEqual({ ...gateway, host: 'ssh.example.com' })
    expect(seen({ host: null }, 'vms.example.com')).toEqual(gateway)
  })

  it('is none where there is none, and for others where it listens on its own machine only', () => {
    expect(gatewayOf(undefined, 'web.shop', 'localhost')).toBeNull()
    expect(gatewayOf({ ssh_gateway: null }, 'web.shop', 'localhost')).toBeNull()
    expect(seen({ local_only: true }, 'vms.example.com')).toBeNull()
    expect(seen({ local_only: true }, 'localhost')).toEqual({ ...gateway, host: 'ssh.example.com' })
  })
})

describe('the ways into a VM', () => {
  it.each([
    ['this-host', 'localhost', [direct('this-host'), through]],
    ['this-host', 'vms.example.com', [through, direct('this-host')]],
    ['inside', 'localhost', [through, direct('inside')]],
    ['inside', 'vms.example.com', [through, direct('inside')]],
  ] as const)(
    'with addresses on %s, seen from %s, begin with the one that leads there',
    (addresses, consoleHost, ways) => expect(sshWays(vm, gateway, { addresses, consoleHost })).toEqual(ways),
  )

  const from = { addresses: 'this-host', consoleHost: 'localhost' } as const

  it('are its address alone without a gateway, and none without an address', () => {
    expect(sshWays(vm, null, from)).toEqual([direct('this-host')])
    expect(sshWays({ ...vm, ip_address: null }, gateway, from)).toEqual([])
  })

  it('are the gateway alone while it is suspended', () => {
    expect(sshWays({ ...vm, status: 'suspended' }, gateway, from)).toEqual([through])
    expect(sshWays({ ...vm, status: 'suspended' }, null, from)).toEqual([])
  })

  it('say when the gateway leads somewhere on its own machine only', () => {
    const here = { ...gateway, host: 'localhost' }
    expect(sshWays(vm, here, from)[1]).toMatchObject({ kind: 'gateway', onServerOnly: true })
  })
})
