import { createServer } from 'node:net'
import { run } from '../../../lib/command.ts'
import type { Log } from '../../../lib/log.ts'
import { chooseGuestUsers, type GuestUsers, userOf } from '../guest-users.ts'
import { firewall } from './firewall.ts'
import { isRoot } from './grounds.ts'
import { whyNoNetworksForUser, whyNoProjectNetworks } from './trial.ts'

/** How guests are connected. */
export interface GuestNetwork {
  /** The unprivileged users guests run as, or null to keep the server's own. */
  users: GuestUsers | null
  /** Whether guests are cut off from everything but the forwarded port. */
  restrict: boolean
  /** Why VMs of a project cannot reach each other, in a sentence; null where each project has a network of its own. */
  apart: string | null
  /** What guests can reach and what is protected, in a sentence. */
  sentence: string
  /**
   * Sees to it that what protects this host is in force, and tells whether it was; throws an `EngineError` when it
   * cannot be. No guest may start then.
   */
  protect: () => Promise<'stood' | 'put in force'>
}

const SWITCHED_OFF =
  'networks of projects are switched off; the operator can switch them on by taking SLIPWAY_NETWORK=off out of the settings'

const JOINED =
  'VMs of a project share a private network and find each other by name. They can reach the Internet unless that is switched off for the project. Firewall rules block them from this host, its private networks and other projects.'

/**
 * Chooses the safest network this host can give. QEMU's user networking lets a guest open connections as if it were
 * a program of the host, its loopback services included. Run by root, guests get users of their own and the kernel
 * refuses those everything but the Internet; that is tried out before it is believed. Anything less, and
 * guests are cut off: they can be reached by SSH, and reach nothing.
 */
export async function openNetwork(log: Log, withNetworks: boolean): Promise<GuestNetwork> {
  if (!isRoot()) return openForUser(log, withNetworks)
  const users = await chooseGuestUsers().catch((error: unknown) => {
    log.warn({ error }, 'The user for guests could not be made')
    return null
  })
  if (users === null) return cutOff(null, 'the system user for guests could not be made')
  try {
    await firewall.ensure(users)
    await proveRules(userOf(users, 'a guest on trial'))
  } catch (error) {
    log.warn({ error }, 'The firewall rules for guests are not in force')
    return cutOff(users, 'the firewall rules that would protect this host (nftables) are not in force')
  }
  const why = withNetworks ? await whyNoProjectNetworks() : SWITCHED_OFF
  if (why === null)
    return {
      users,
      restrict: false,
      apart: null,
      sentence: JOINED,
      protect: () => firewall.ensure(users),
    }
  if (withNetworks) log.warn({ why }, 'VMs of a project cannot reach each other')
  return {
    users,
    restrict: false,
    apart: `VMs of a project cannot reach each other on this server, because ${why}.`,
    sentence:
      'Guests can reach the Internet and DNS. Firewall rules block them from this host, its private networks and other guests.',
    protect: () => firewall.ensure(users),
  }
}

/** Without root only project networks can protect this host: their rules are in a namespace of their own. */
async function openForUser(log: Log, withNetworks: boolean): Promise<GuestNetwork> {
  const why = withNetworks ? await whyNoNetworksForUser() : SWITCHED_OFF
  if (why === null)
    return { users: null, restrict: true, apart: null, sentence: JOINED, protect: async () => 'stood' }
  if (withNetworks) log.warn({ why }, 'VMs of a project cannot reach each other')
  return cutOff(null, withNetworks ? `the server does not run as root, and ${why}` : why)
}

const cutOff = (users: GuestUsers | null, why: string): GuestNetwork => ({
  users,
  restrict: true,
  apart: `VMs of a project cannot reach each other on this server, because ${why}.`,
  sentence: `Guests can be reached by SSH but have no network access themselves, because ${why}.`,
  protect: async () => 'stood',
})

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
