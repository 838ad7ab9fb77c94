import { getServers } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { run } from '../../lib/command.ts'
import type { Log } from '../../lib/log.ts'

/** How guests are connected. */
export interface GuestNetwork {
  /** The unprivileged user guests run as, or null to keep the server's own. */
  user: string | null
  /** Whether guests are cut off from everything but the forwarded port. */
  restrict: boolean
  /** What guests can reach and what is protected, in a sentence. */
  sentence: string
}

/** The system user every guest's process becomes when the server runs as root; it owns nothing. */
const GUEST_USER = 'slipway-guest'
/** The one nftables table that is ours. */
const TABLE = 'slipway'

/**
 * Chooses the safest network this host can give. QEMU's user networking lets a guest open connections as if it were
 * a program of the host, its loopback services included. Run by root, guests get a user of their own and the kernel
 * refuses that user everything but the Internet; that is tried out before it is believed. Anything less, and
 * guests are cut off: they can be reached by SSH, and reach nothing.
 */
export async function openNetwork(log: Log): Promise<GuestNetwork> {
  if (process.getuid?.() !== 0) {
    return cutOff(
      null,
      'the server does not run as root, so it cannot set up the rules that would protect this host',
    )
  }
  const uid = await ensureGuestUser().catch((error: unknown) => {
    log.warn({ error }, 'The user for guests could not be made')
    return null
  })
  if (uid === null) return cutOff(null, 'the system user for guests could not be made')
  try {
    await applyRules(uid)
    await proveRules(uid)
  } catch (error) {
    log.warn({ error }, 'The firewall rules for guests are not in force')
    return cutOff(GUEST_USER, 'the firewall rules that would protect this host (nftables) are not in force')
  }
  return {
    user: GUEST_USER,
    restrict: false,
    sentence:
      'Guests reach the Internet and name resolution; this host, its private networks and other guests are protected from them by firewall rules.',
  }
}

/** The user id guests run with; null when there is no such user. */
export const guestUid = (): Promise<number | null> => uidOf(GUEST_USER)

/** Puts the rules in force again, which another program may have flushed; throws when that fails. */
export async function refreshRules(): Promise<void> {
  const uid = await uidOf(GUEST_USER)
  if (uid === null) throw new Error('The user for guests is gone')
  if (!(await rulesStand(uid))) await applyRules(uid)
}

const cutOff = (user: string | null, why: string): GuestNetwork => ({
  user,
  restrict: true,
  sentence: `Guests are reached by SSH and reach nothing themselves, because ${why}.`,
})

async function ensureGuestUser(): Promise<number | null> {
  const known = await uidOf(GUEST_USER)
  if (known !== null) return known
  await run('useradd', [
    '--system',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
    GUEST_USER,
  ])
  return uidOf(GUEST_USER)
}

async function uidOf(user: string): Promise<number | null> {
  const passwd = await readFile('/etc/passwd', 'utf8')
  const uid = new RegExp(`^${user}:[^:]*:(\\d+):`, 'm').exec(passwd)?.[1]
  return uid === undefined ? null : Number(uid)
}

/**
 * The rules, as nft reads them; they replace the table in one step. Connections to a guest come from outside and
 * their answers pass; `lo` stands for every address of this host and for the other guests.
 */
export function ruleset(uid: number, resolvers: readonly string[]): string {
  const v4 = resolvers.filter((address) => /^[\d.]+$/.test(address))
  const dns =
    v4.length > 0 ? [`ip daddr { ${v4.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`] : []
  const rules = [
    'ct state established,related accept',
    ...dns,
    'oifname "lo" counter jump refuse',
    `ip daddr { ${INTERNAL_V4.join(', ')} } counter jump refuse`,
    'meta nfproto ipv6 counter jump refuse',
  ]
  return [
    // Made first, so that there is always one to delete.
    `table inet ${TABLE} {}`,
    `delete table inet ${TABLE}`,
    `table inet ${TABLE} {`,
    '  chain output {',
    '    type filter hook output priority 0; policy accept;',
    `    meta skuid ${uid} jump guests`,
    '  }',
    '  chain refuse {',
    '    meta l4proto tcp reject with tcp reset',
    '    reject',
    '  }',
    '  chain guests {',
    ...rules.map((rule) => `    ${rule}`),
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Private, link-local, shared, multicast and reserved ranges (IANA IPv4 special-purpose registry). */
const INTERNAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
]

async function applyRules(uid: number): Promise<void> {
  const resolvers = getServers().map((server) => server.replace(/:\d+$/, ''))
  await run('nft', ['-f', '-'], { input: ruleset(uid, resolvers), timeoutMs: 10_000 })
  if (!(await rulesStand(uid))) throw new Error('nft took the rules but does not list them')
}

async function rulesStand(uid: number): Promise<boolean> {
  const listed = await run('nft', ['-n', 'list', 'table', 'inet', TABLE], { timeoutMs: 10_000 }).catch(
    () => '',
  )
  return listed.includes(`meta skuid ${uid} jump guests`) && listed.includes('oifname "lo" counter')
}

/** Opens a service on the loopback network and has the guests' user knock: only the rules can keep it out. */
async function proveRules(uid: number): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => {}).end('open'))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  try {
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const knock = ['-c', `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo through || echo refused`]
    const root = await run('bash', knock, { timeoutMs: 5000 })
    if (!root.includes('through')) throw new Error('The test of the rules cannot reach its own service')
    const guest = await run('bash', knock, { uid, cwd: '/', timeoutMs: 5000 })
    if (!guest.includes('refused')) throw new Error('The rules let guests through')
  } finally {
    server.close()
  }
}
