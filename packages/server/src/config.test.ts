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

it.each<[keyof ReturnType<typeof readConfig>, Record<string, string>, unknown]>([
  ['privateSources', {}, []],
  ['privateSources', { SLIPWAY_PRIVATE_SOURCES: ' ' }, []],
  [
    'privateSources',
    { SLIPWAY_PRIVATE_SOURCES: 'Images.Example.com, 10.1.2.3,10.0.0.0/8, fd00::/8,localhost' },
    ['images.example.com', '10.1.2.3', '10.0.0.0/8', 'fd00::/8', 'localhost'],
  ],
  ['trustedProxies', { SLIPWAY_TRUSTED_PROXIES: '' }, []],
  [
    'trustedProxies',
    { SLIPWAY_TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16,loopback,::1' },
    ['10.0.0.1', '192.168.0.0/16', 'loopback', '::1'],
  ],
  ['network', {}, 'auto'],
  ['network', { SLIPWAY_NETWORK: '' }, 'auto'],
  ['network', { SLIPWAY_NETWORK: 'off' }, 'off'],
  ['network', { SLIPWAY_NETWORK: 'auto' }, 'auto'],
  ['network', { SLIPWAY_NETWORK: ' 10.80.0.0/14 ' }, { first: 0x0a500000, prefix: 14 }],
  ['ssh', { SLIPWAY_SSH_PORT: 'off' }, null],
  ['maxImageGb', {}, 100],
  ['maxImageGb', { SLIPWAY_MAX_IMAGE_GB: '2.5' }, 2.5],
  ['maxDiskGb', {}, 1024],
  ['maxDiskGb', { SLIPWAY_MAX_DISK_GB: '64' }, 64],
  ['guestLimits', {}, { connections: null, newPerSecond: null }],
  [
    'guestLimits',
    { SLIPWAY_GUEST_CONNECTIONS: '5000', SLIPWAY_GUEST_NEW_CONNECTIONS: '50' },
    { connections: 5000, newPerSecond: 50 },
  ],
  ['simulatedSocket', {}, null],
  ['simulatedSocket', { SLIPWAY_ENGINE: 'simulated', SLIPWAY_SIMULATED_SOCKET: '/w.sock' }, '/w.sock'],
  ['simulatedCannot', {}, []],
  ['simulatedCannot', { SLIPWAY_SIMULATED_CANNOT: 'screens, hot_plug' }, ['screens', 'hot_plug']],
  ['simulatedAddresses', {}, 'this-host'],
  ['simulatedAddresses', { SLIPWAY_SIMULATED_ADDRESSES: 'inside' }, 'inside'],
])('%s by the settings %j is %j', (name, settings, expected) => {
  expect(readConfig(settings)[name]).toEqual(expected)
})

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

it('a recorder beside the servers needs a token', () => {
  expect(readConfig({}).recorder).toEqual({ url: null, token: null, host: '0.0.0.0', port: 7070 })
  const SLIPWAY_RECORDER_URL = 'http://recorder:7070'
  const alone = () => readConfig({ SLIPWAY_RECORDER_URL })
  expect(alone).toThrow('SLIPWAY_RECORDER_TOKEN: required with SLIPWAY_RECORDER_URL')
  const SLIPWAY_RECORDER_TOKEN = 'sixteen characters'
  expect(readConfig({ SLIPWAY_RECORDER_URL, SLIPWAY_RECORDER_TOKEN }).recorder).toMatchObject({
    url: SLIPWAY_RECORDER_URL,
    token: SLIPWAY_RECORDER_TOKEN,
  })
})

it('the server answers to the names in its settings, and to that of its machine only without a public URL', () => {
  const SLIPWAY_ALLOWED_HOSTS = 'VMs.lan, console.lan'
  const named = readConfig({ SLIPWAY_ALLOWED_HOSTS, SLIPWAY_PUBLIC_URL: 'https://vms.example.com' })
  expect(named.allowedHosts).toEqual(['vms.lan', 'console.lan'])
  expect(readConfig({ SLIPWAY_ALLOWED_HOSTS }).allowedHosts).toContain(hostname().toLowerCase())
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
})

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

it.each([
  [
    'SLIPWAY_SIGN_UP',
    'Enter open, invitation, closed',
    ['none', 'open,closed', 'closed:example.com', 'domains', 'domains:', 'domains:example.com,'],
  ],
  [
    'SLIPWAY_SIGN_UP',
    'Enter open, invitation, closed',
    ['domains:example', 'domains:@example.com', 'domains:*.example.com', 'domains:ada@example.com'],
  ],
  ['SLIPWAY_SIGN_UP', 'Enter open, invitation, closed', ['domains:example.com:8080', 'example.com']],
  [
    'SLIPWAY_PRIVATE_SOURCES',
    'Enter host names',
    [',', '10.0.0.0/33', '10.0.0.0/', 'host/8', '10.0.0.0/8/8', 'https://host', 'host:5000', 'a b', '-a'],
  ],
  ['SLIPWAY_TRUSTED_PROXIES', 'Enter IP addresses', ['proxy.lan', '10.0.0.0/33', ',']],
  ['SLIPWAY_ALLOWED_HOSTS', 'Enter host names', ['vms.lan:8080', 'https://vms.lan', 'a b', ',']],
  ['SLIPWAY_SSH_PORT', '', ['no', '-1', '65536', '22.5']],
  ['SLIPWAY_SHARE_PORTS', '', ['on', '8199-8100', '0-10', '65000-65536', '8100-', '8100,8101']],
  ['SLIPWAY_TCP_PORTS', '', ['no', '9000-8000', '8150-9000', '8199']],
  [
    'SLIPWAY_SHARE_DOMAIN',
    '',
    ['*.example.com', 'https://example.com', 'apps', 'a..b', 'apps.example.com:80'],
  ],
  ['SLIPWAY_KUBE_PREFIX', 'Enter up to 20', ['Slipway', '-a', 'a-', 'a_b', 'a'.repeat(21)]],
  [
    'SLIPWAY_KUBE_QUOTA',
    'Use amounts such as requests.memory=64Gi',
    ['64Gi', 'requests.memory=', 'requests.memory=much', 'a=1,,b=2'],
  ],
  ['SLIPWAY_NETWORK', 'Enter off, auto, or a range', ['on', '10.81.0.0/14']],
  ['SLIPWAY_NETWORK', 'a prefix from /8 to /20', ['10.80.0.0/24']],
  ['SLIPWAY_NETWORK', 'a range of private addresses', ['8.0.0.0/12']],
  ['SLIPWAY_MAX_DISK_GB', '', ['0']],
  ['SLIPWAY_SIMULATED_CANNOT', '', ['fly']],
  ['SLIPWAY_SIMULATED_SOCKET', 'requires SLIPWAY_ENGINE=simulated', ['/run/world.sock']],
  ['SLIPWAY_QUOTA_BIN_GB', '', ['much']],
  ['SLIPWAY_GUEST_CONNECTIONS', '', ['0']],
  ['SLIPWAY_RECORDER_TOKEN', '', ['short']],
])('%s stops the start when it makes no sense, so that no slip opens anything: %s', (name, why, values) => {
  for (const value of values) {
    const read = () => readConfig({ [name]: value, SLIPWAY_PUBLIC_URL: 'http://c.test' })
    // One of a list is named by its place.
    expect(read, value).toThrow(new RegExp(`  ${name}(\\.\\d+)?: `))
    expect(read, value).toThrow(why)
  }
})
