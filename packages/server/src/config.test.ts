import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

it.each([
  [undefined, []],
  ['', []],
  [' ', []],
  ['Ada@Example.com', ['ada@example.com']],
  ['ada@example.com, bob@example.com', ['ada@example.com', 'bob@example.com']],
])('the administrators %j are %j', (SLIPWAY_ADMINS, admins) => {
  expect(readConfig({ SLIPWAY_ADMINS }).admins).toEqual(admins)
})

it.each(['ada', ',', 'ada@example.com,', 'ada@example.com bob@example.com'])(
  'the administrators %j stop the start, so that a slip does not let everybody in',
  (SLIPWAY_ADMINS) => {
    expect(() => readConfig({ SLIPWAY_ADMINS })).toThrow('SLIPWAY_ADMINS: Enter email addresses')
  },
)

it.each([
  [undefined, 'open', []],
  ['', 'open', []],
  ['open', 'open', []],
  ['invitation', 'invitation', []],
  [' Closed ', 'closed', []],
  ['domains:example.com', 'domains', ['example.com']],
  ['domains: Example.com, münchen.example', 'domains', ['example.com', 'münchen.example']],
])('the sign-up setting %j is the policy %s', (SLIPWAY_SIGN_UP, policy, domains) => {
  expect(readConfig({ SLIPWAY_SIGN_UP }).signUp).toEqual({ policy, domains })
})

it.each([
  'none',
  'open,closed',
  'closed:example.com',
  'domains',
  'domains:',
  'domains:example.com,',
  'domains:example',
  'domains:@example.com',
  'domains:*.example.com',
  'domains:ada@example.com',
  'domains:example.com:8080',
  'example.com',
])('the sign-up setting %j stops the start, so that a slip does not let everybody in', (SLIPWAY_SIGN_UP) => {
  expect(() => readConfig({ SLIPWAY_SIGN_UP })).toThrow('SLIPWAY_SIGN_UP: Enter open, invitation, closed')
})

it.each([
  [undefined, []],
  [' ', []],
  [
    'Images.Example.com, 10.1.2.3,10.0.0.0/8, fd00::/8,localhost',
    ['images.example.com', '10.1.2.3', '10.0.0.0/8', 'fd00::/8', 'localhost'],
  ],
])('the private sources %j are %j', (SLIPWAY_PRIVATE_SOURCES, privateSources) => {
  expect(readConfig({ SLIPWAY_PRIVATE_SOURCES }).privateSources).toEqual(privateSources)
})

it.each([
  ',',
  '10.0.0.0/33',
  '10.0.0.0/',
  'host/8',
  '10.0.0.0/8/8',
  'https://host',
  'host:5000',
  'a b',
  '-a',
])(
  'the private sources %j stop the start, so that a slip does not open a network',
  (SLIPWAY_PRIVATE_SOURCES) => {
    expect(() => readConfig({ SLIPWAY_PRIVATE_SOURCES })).toThrow('SLIPWAY_PRIVATE_SOURCES: Enter host names')
  },
)

it('SSH by name listens beside the console, and is called as the public URL is', () => {
  expect(readConfig({}).ssh).toEqual({ port: 2022, listen: '127.0.0.1', localOnly: true, host: null })
  const settings = { SLIPWAY_HOST: '0.0.0.0', SLIPWAY_PUBLIC_URL: 'https://vms.example.com:8443/' }
  expect(readConfig({ ...settings, SLIPWAY_SSH_PORT: '' }).ssh).toEqual({
    port: 2022,
    listen: '0.0.0.0',
    localOnly: false,
    host: 'vms.example.com',
  })
  const own = { SLIPWAY_SSH_PORT: '22', SLIPWAY_SSH_LISTEN: '10.0.0.1', SLIPWAY_SSH_HOST: 'ssh.example.com' }
  expect(readConfig({ ...settings, ...own }).ssh).toEqual({
    port: 22,
    listen: '10.0.0.1',
    localOnly: false,
    host: 'ssh.example.com',
  })
  const proxied = { SLIPWAY_PUBLIC_URL: 'https://vms.example.com/' }
  expect(readConfig(proxied).ssh?.localOnly).toBe(true)
  // Whoever gives it a name has seen to it that the name leads there.
  expect(readConfig({ ...proxied, SLIPWAY_SSH_HOST: 'ssh.example.com' }).ssh?.localOnly).toBe(false)
})

it('SSH by name can be switched off, and nothing else is taken for a port', () => {
  expect(readConfig({ SLIPWAY_SSH_PORT: 'off' }).ssh).toBeNull()
  for (const SLIPWAY_SSH_PORT of ['no', '-1', '65536', '22.5']) {
    expect(() => readConfig({ SLIPWAY_SSH_PORT })).toThrow('SLIPWAY_SSH_PORT: ')
  }
})

it('a socket of the simulated engine is for the simulated engine', () => {
  expect(readConfig({}).simulatedSocket).toBeNull()
  const SLIPWAY_SIMULATED_SOCKET = '/run/world.sock'
  expect(readConfig({ SLIPWAY_ENGINE: 'simulated', SLIPWAY_SIMULATED_SOCKET })).toMatchObject({
    simulatedSocket: '/run/world.sock',
  })
  expect(() => readConfig({ SLIPWAY_SIMULATED_SOCKET })).toThrow(
    'SLIPWAY_SIMULATED_SOCKET: requires SLIPWAY_ENGINE=simulated',
  )
})

it('a recorder beside the servers needs a token that is not short', () => {
  expect(readConfig({}).recorder).toEqual({ url: null, token: null, host: '0.0.0.0', port: 7070 })
  const SLIPWAY_RECORDER_URL = 'http://recorder:7070'
  expect(() => readConfig({ SLIPWAY_RECORDER_URL })).toThrow(
    'SLIPWAY_RECORDER_TOKEN: required with SLIPWAY_RECORDER_URL',
  )
  expect(() => readConfig({ SLIPWAY_RECORDER_TOKEN: 'short' })).toThrow('SLIPWAY_RECORDER_TOKEN')
  const SLIPWAY_RECORDER_TOKEN = 'sixteen characters'
  expect(readConfig({ SLIPWAY_RECORDER_URL, SLIPWAY_RECORDER_TOKEN }).recorder).toMatchObject({
    url: SLIPWAY_RECORDER_URL,
    token: SLIPWAY_RECORDER_TOKEN,
  })
})

it('images and disks have limits, which can be set', () => {
  expect(readConfig({})).toMatchObject({ maxImageGb: 100, maxDiskGb: 1024 })
  const settings = { SLIPWAY_MAX_IMAGE_GB: '2.5', SLIPWAY_MAX_DISK_GB: '64' }
  expect(readConfig(settings)).toMatchObject({ maxImageGb: 2.5, maxDiskGb: 64 })
  expect(() => readConfig({ SLIPWAY_MAX_DISK_GB: '0' })).toThrow('SLIPWAY_MAX_DISK_GB')
})

it('the simulated engine can be told what not to be able to do, and where its addresses answer', () => {
  expect(readConfig({})).toMatchObject({ simulatedCannot: [], simulatedAddresses: 'this-host' })
  const settings = {
    SLIPWAY_SIMULATED_CANNOT: 'memory_snapshots, hot_plug',
    SLIPWAY_SIMULATED_ADDRESSES: 'inside',
  }
  expect(readConfig(settings)).toMatchObject({
    simulatedCannot: ['memory_snapshots', 'hot_plug'],
    simulatedAddresses: 'inside',
  })
  expect(() => readConfig({ SLIPWAY_SIMULATED_CANNOT: 'fly' })).toThrow('SLIPWAY_SIMULATED_CANNOT')
})

it.each([
  ['10.0.0.1, 192.168.0.0/16,loopback,::1', ['10.0.0.1', '192.168.0.0/16', 'loopback', '::1']],
  ['', []],
])('the trusted proxies %j are %j', (SLIPWAY_TRUSTED_PROXIES, trustedProxies) => {
  expect(readConfig({ SLIPWAY_TRUSTED_PROXIES }).trustedProxies).toEqual(trustedProxies)
})

it.each(['proxy.lan', '10.0.0.0/33', ','])(
  'the trusted proxies %j stop the start',
  (SLIPWAY_TRUSTED_PROXIES) => {
    expect(() => readConfig({ SLIPWAY_TRUSTED_PROXIES })).toThrow(
      'SLIPWAY_TRUSTED_PROXIES: Enter IP addresses',
    )
  },
)

it('the server answers to the names in its settings, and to that of its machine only without a public URL', () => {
  const SLIPWAY_ALLOWED_HOSTS = 'VMs.lan, console.lan'
  const named = readConfig({ SLIPWAY_ALLOWED_HOSTS, SLIPWAY_PUBLIC_URL: 'https://vms.example.com' })
  expect(named.allowedHosts).toEqual(['vms.lan', 'console.lan'])
  expect(readConfig({ SLIPWAY_ALLOWED_HOSTS }).allowedHosts).toContain(hostname().toLowerCase())
  for (const wrong of ['vms.lan:8080', 'https://vms.lan', 'a b', ',']) {
    expect(() => readConfig({ SLIPWAY_ALLOWED_HOSTS: wrong })).toThrow(
      'SLIPWAY_ALLOWED_HOSTS: Enter host names',
    )
  }
})

it('a cluster is found without a setting, and its namespaces begin with slipway', () => {
  expect(readConfig({ SLIPWAY_ENGINE: 'kubevirt', SLIPWAY_KUBE_STORAGE_CLASS: '' }).kube).toEqual({
    kubeconfig: null,
    host: null,
    port: null,
    prefix: 'slipway',
    storageClass: null,
    snapshotClass: null,
    quota: {},
    prometheusUrl: null,
    uploadUrl: null,
  })
})

it('lets the bin hold as much as disks and snapshots may take, unless it has a limit of its own', () => {
  const limitOf = (environment: Record<string, string>) => readConfig(environment).quota.account.bin_bytes
  const gb = 1024 ** 3
  expect(limitOf({})).toBe(null)
  expect(limitOf({ SLIPWAY_QUOTA_DISK_GB: '10' })).toBe(10 * gb)
  expect(limitOf({ SLIPWAY_QUOTA_DISK_GB: '10', SLIPWAY_QUOTA_SNAPSHOT_GB: '5' })).toBe(15 * gb)
  expect(limitOf({ SLIPWAY_QUOTA_DISK_GB: '10', SLIPWAY_QUOTA_BIN_GB: '0' })).toBe(0)
  expect(limitOf({ SLIPWAY_QUOTA_DISK_GB: '10', SLIPWAY_QUOTA_BIN_GB: 'none' })).toBe(null)
  expect(() => limitOf({ SLIPWAY_QUOTA_BIN_GB: 'much' })).toThrow('SLIPWAY_QUOTA_BIN_GB')
})

it('the quota of projects is a list of amounts by the names of Kubernetes', () => {
  const { quota } = readConfig({
    SLIPWAY_KUBE_QUOTA: 'requests.memory=64Gi, count/virtualmachines.kubevirt.io=50,requests.cpu=1500m',
  }).kube
  expect(quota).toEqual({
    'requests.memory': '64Gi',
    'count/virtualmachines.kubevirt.io': '50',
    'requests.cpu': '1500m',
  })
  for (const wrong of ['64Gi', 'requests.memory=', 'requests.memory=much', 'a=1,,b=2'])
    expect(() => readConfig({ SLIPWAY_KUBE_QUOTA: wrong })).toThrow(
      'Use amounts such as requests.memory=64Gi',
    )
})

it.each(['Slipway', '-a', 'a-', 'a_b', 'a'.repeat(21)])(
  'the prefix %j stops the start, since no namespace could begin with it',
  (SLIPWAY_KUBE_PREFIX) => {
    expect(() => readConfig({ SLIPWAY_KUBE_PREFIX })).toThrow('SLIPWAY_KUBE_PREFIX: Enter up to 20')
  },
)

it('shared ports have ports beside the console, none for TCP, unless the operator says otherwise', () => {
  const usual = { domain: null, httpPorts: { first: 8100, last: 8199 }, tcpPorts: null }
  expect(readConfig({}).share).toEqual(usual)
  const empty = { SLIPWAY_SHARE_DOMAIN: '', SLIPWAY_SHARE_PORTS: '', SLIPWAY_TCP_PORTS: '' }
  expect(readConfig(empty).share).toEqual(usual)
  const own = { SLIPWAY_SHARE_PORTS: 'off', SLIPWAY_TCP_PORTS: '9000' }
  expect(readConfig(own).share).toEqual({ ...usual, httpPorts: null, tcpPorts: { first: 9000, last: 9000 } })
  const named = { SLIPWAY_SHARE_DOMAIN: 'Apps.Example.com', SLIPWAY_PUBLIC_URL: 'https://vms.example.com' }
  expect(readConfig(named).share).toEqual({ ...usual, domain: 'apps.example.com' })
})

it.each([
  ['SLIPWAY_SHARE_PORTS', ['on', '8199-8100', '0-10', '65000-65536', '8100-', '8100,8101']],
  ['SLIPWAY_TCP_PORTS', ['no', '9000-8000', '8150-9000', '8199']],
  ['SLIPWAY_SHARE_DOMAIN', ['*.example.com', 'https://example.com', 'apps', 'a..b', 'apps.example.com:80']],
])('%s stops the start when it makes no sense', (name, values) => {
  for (const value of values)
    expect(() => readConfig({ [name]: value, SLIPWAY_PUBLIC_URL: 'http://c.test' }), value).toThrow(
      `${name}: `,
    )
})

it('the domain of shared ports needs to know the console, and must not have it in it', () => {
  const SLIPWAY_SHARE_DOMAIN = 'apps.example.com'
  for (const SLIPWAY_PUBLIC_URL of ['', 'https://apps.example.com', 'https://vms.apps.example.com'])
    expect(() => readConfig({ SLIPWAY_SHARE_DOMAIN, SLIPWAY_PUBLIC_URL })).toThrow(
      'SLIPWAY_SHARE_DOMAIN: requires',
    )
  for (const SLIPWAY_PUBLIC_URL of [
    'https://example.com',
    'https://vms.example.com',
    'https://xapps.example.com',
  ])
    expect(readConfig({ SLIPWAY_SHARE_DOMAIN, SLIPWAY_PUBLIC_URL }).share.domain).toBe(SLIPWAY_SHARE_DOMAIN)
})

it.each([
  [undefined, 'auto'],
  ['', 'auto'],
  ['off', 'off'],
  ['auto', 'auto'],
  [' 10.80.0.0/14 ', { first: 0x0a500000, prefix: 14 }],
])('networks of projects by %j are %j', (SLIPWAY_NETWORK, network) => {
  expect(readConfig({ SLIPWAY_NETWORK }).network).toEqual(network)
})

it.each([
  [
    'https://vms.example.com',
    'apps.example.com',
    'are both below example.com. Pages of VMs can store cookies',
  ],
  ['http://vms.example.com', 'apps.example.com', 'Over plain http, pages of VMs can sign people in'],
  ['https://vms.example.com', 'apps.vms.example.com', 'are both below vms.example.com'],
  ['https://example.com', 'apps.example.com', 'are both below example.com'],
  ['https://vms.example.com', 'apps.example.net', null],
  ['https://vms.example.co.uk', 'apps.other.co.uk', null],
])(
  'with the console at %s the share domain %s has the risk %j',
  (SLIPWAY_PUBLIC_URL, SLIPWAY_SHARE_DOMAIN, risk) => {
    const { warnings } = readConfig({ SLIPWAY_PUBLIC_URL, SLIPWAY_SHARE_DOMAIN })
    expect(warnings).toEqual(risk === null ? [] : [expect.stringContaining(risk)])
  },
)

it('derives the limits of a guest from its host unless they are set', () => {
  expect(readConfig({}).guestLimits).toEqual({ connections: null, newPerSecond: null })
  const set = { SLIPWAY_GUEST_CONNECTIONS: '5000', SLIPWAY_GUEST_NEW_CONNECTIONS: '50' }
  expect(readConfig(set).guestLimits).toEqual({ connections: 5000, newPerSecond: 50 })
  expect(() => readConfig({ SLIPWAY_GUEST_CONNECTIONS: '0' })).toThrow('SLIPWAY_GUEST_CONNECTIONS')
})

it.each([
  ['on', 'Enter off, auto, or a range'],
  ['10.81.0.0/14', 'Enter off, auto, or a range'],
  ['10.80.0.0/24', 'a prefix from /8 to /20'],
  ['8.0.0.0/12', 'a range of private addresses'],
])('%s is no network for projects', (SLIPWAY_NETWORK, why) => {
  expect(() => readConfig({ SLIPWAY_NETWORK })).toThrow(why)
})
