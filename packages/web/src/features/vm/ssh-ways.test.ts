import { gatewayOf, type SshWay, sshWays } from '@slipway/contract'
import { expect, test } from 'vitest'
import { moreOf } from './ssh-more.ts'

const local = { status: 'running' as const, ip_address: '127.0.3.7', ssh_port: 22 }
const gateway = { user: 'engine.works', host: 'console.example.org', port: 2222 }
const from = (consoleHost: string) => ({ addresses: 'this-host' as const, consoleHost })
const fromCluster = (consoleHost: string) => ({ addresses: 'inside' as const, consoleHost })
const commandsOf = (way: SshWay | undefined) => (way ? moreOf(way).map(({ command }) => command) : [])
const kinds = (...input: Parameters<typeof sshWays>) => sshWays(...input).map(({ kind }) => kind)

test("on the server's own machine the address comes first, from elsewhere the gateway", () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(kinds(local, gateway, from(host))).toEqual(['direct', 'gateway'])
  }
  expect(kinds(local, gateway, from('console.example.org'))).toEqual(['gateway', 'direct'])
  expect(kinds(local, gateway, from('192.0.2.1'))).toEqual(['gateway', 'direct'])
})

test('an address inside of a cluster never comes first, wherever one looks from', () => {
  const inside = { ...local, ip_address: '10.244.0.8' }
  for (const host of ['localhost', 'console.example.org']) {
    expect(kinds(inside, gateway, fromCluster(host))).toEqual(['gateway', 'direct'])
  }
})

test('says of an address where it answers', () => {
  expect(sshWays(local, null, from('console.example.org'))).toMatchObject([
    { kind: 'direct', command: 'ssh root@127.0.3.7', addresses: 'this-host' },
  ])
  expect(sshWays(local, null, fromCluster('x.org'))).toMatchObject([{ kind: 'direct', addresses: 'inside' }])
})

test('there is no way to a VM without an address', () => {
  expect(sshWays({ ...local, ip_address: null }, gateway, from('localhost'))).toEqual([])
})

test('a suspended VM is reached by its name only', () => {
  const suspended = { ...local, status: 'suspended' as const, ip_address: null }
  expect(kinds(suspended, gateway, from('localhost'))).toEqual(['gateway'])
  expect(kinds(suspended, null, from('localhost'))).toEqual([])
})

test('the commands name user, host and port the way each program wants them', () => {
  const [through] = sshWays(local, gateway, from('console.example.org'))
  expect(through?.command).toBe('ssh engine.works@console.example.org -p 2222')
  expect(commandsOf(through)).toEqual([
    'scp -P 2222 FILE engine.works@console.example.org:',
    'scp -P 2222 engine.works@console.example.org:FILE .',
    'sftp -P 2222 engine.works@console.example.org',
    'ssh -L 8080:localhost:8080 engine.works@console.example.org -p 2222',
    'ssh -J jump@console.example.org:2222 root@engine.works',
  ])
  const [direct] = sshWays({ ...local, ip_address: 'fd00::7' }, null, from('localhost'))
  expect(commandsOf(direct)).toEqual([
    'scp FILE root@[fd00::7]:',
    'scp root@[fd00::7]:FILE .',
    'sftp root@[fd00::7]',
    'ssh -L 8080:localhost:8080 root@fd00::7',
  ])
})

test('a gateway without a name of its own is where the console is', () => {
  const ssh_gateway = { host: null, port: 2222, local_only: false, fingerprint: 'SHA256:x' }
  expect(gatewayOf({ ssh_gateway }, 'u', 'console.example.org')?.host).toBe('console.example.org')
  expect(gatewayOf({ ssh_gateway: { ...ssh_gateway, host: 'ssh.example.org' } }, 'u', 'x')?.host).toBe(
    'ssh.example.org',
  )
  expect(gatewayOf({ ssh_gateway: null }, 'u', 'x')).toBeNull()
  const near = { ssh_gateway: { ...ssh_gateway, local_only: true } }
  expect(gatewayOf(near, 'u', 'console.example.org')).toBeNull()
  expect(gatewayOf(near, 'u', 'localhost')?.host).toBe('localhost')
  expect(gatewayOf(undefined, 'u', 'x')).toBeNull()
})
