import { createServer } from 'node:net'
import { run } from '../../../lib/command.ts'
import type { Log } from '../../../lib/log.ts'
import { chooseGuestUsers, type GuestUsers, userOf } from '../guest-users.ts'
import { firewall } from './firewall.ts'
import { isRoot } from './grounds.ts'
import { type GuestLimitSettings, guestLimits, trackedMost } from './guest-limits.ts'
import type { Ensured } from './table.ts'
import { isUndecided, whyNoNetworksForUser, whyNoProjectNetworks } from './trial.ts'

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
  /** Tries again what came to no end, as on a busy host; null where it came to one, which holds until the next start. */
  again: (() => Promise<GuestNetwork>) | null
  /**
   * Sees to it that what protects this host is in force, and tells whether it was; throws an `EngineError` when it
   * cannot be. No guest may start then.
   */
  protect: () => Promise<Ensured>
}

/** Whether guests get networks of their projects, and what one guest may take. */
export interface NetworkWishes {
  withNetworks: boolean
  limits: GuestLimitSettings
}

const SWITCHED_OFF =
  'networks of projects are switched off; the operator can switch them on by taking SLIPWAY_NETWORK=off out of the settings'

const JOINED =
  'VMs of a project share a private network and find each other by name. They can reach the Internet unless that is switched off for the project. Firewall rules block them from this host, its private networks and other projects.'

const ALONE =
  'Guests can reach the Internet and DNS. Firewall rules block them from this host, its private networks and other guests.'

/** Knocks of both users, one after the other: a bash that starts on a busy host. */
const KNOCK_MS = 30_000
const NO_END = 'the host did not finish trying out what protects it from guests; it is tried again'

/** What is found out about this host. */
const ofThisHost = {
  isRoot,
  chooseGuestUsers,
  ensureRules: async (users: GuestUsers, limits: GuestLimitSettings) =>
    firewall.ensure(users, guestLimits(limits, await trackedMost())),
  proveRules,
  whyNoProjectNetworks,
  whyNoNetworksForUser,
}

/**
 * Chooses the safest network this host can give. QEMU's user networking lets a guest open connections as if it were
 * a program of the host, its loopback services included. Run by root, guests get users of their own and the kernel
 * refuses those everything but the Internet; that is tried out before it is believed. Anything less, and
 * guests are cut off: they can be reached by SSH, and reach nothing.
 */
export async function openNetwork(
  log: Log,
  wishes: NetworkWishes,
  host: typeof ofThisHost = ofThisHost,
): Promise<GuestNetwork> {
  const { withNetworks } = wishes
  let isOver = true
  /** What to say of a trial that failed, as the end of a sentence that begins with "because". */
  const whyFailed = (error: unknown, otherwise: string) => {
    if (!isUndecided(error)) return otherwise
    isOver = false
    return NO_END
  }
  const again = () => (isOver ? null : () => openNetwork(log, wishes, host))
  /** Why there are no networks of projects. */
  async function whyNot(trial: () => Promise<string | null>): Promise<string | null> {
    if (!withNetworks) return SWITCHED_OFF
    const why = await trial().catch((error: unknown) => whyFailed(error, (error as Error).message))
    if (why !== null) log.warn({ why }, 'VMs of a project cannot reach each other')
    return why
  }

  async function openForRoot(): Promise<GuestNetwork> {
    const users = await host.chooseGuestUsers().catch((error: unknown) => {
      log.warn({ error }, 'The user for guests could not be made')
      whyFailed(error, '')
      return null
    })
    if (users === null) return cutOff(null, 'the system user for guests could not be made', again())
    const ensureRules = () => host.ensureRules(users, wishes.limits)
    try {
      await ensureRules()
      await host.proveRules(userOf(users, 'a guest on trial'))
    } catch (error) {
      log.warn({ error }, 'The firewall rules for guests are not in force')
      const notInForce = 'the firewall rules that would protect this host (nftables) are not in force'
      return cutOff(users, whyFailed(error, notInForce), again())
    }
    const why = await whyNot(host.whyNoProjectNetworks)
    const isJoined = why === null
    return {
      users,
      restrict: false,
      apart: isJoined ? null : apartBecause(why),
      sentence: isJoined ? JOINED : ALONE,
      again: again(),
      protect: ensureRules,
    }
  }

  /** Without root only project networks can protect this host: their rules are in a namespace of their own. */
  async function openForUser(): Promise<GuestNetwork> {
    const why = await whyNot(host.whyNoNetworksForUser)
    if (why !== null)
      return cutOff(null, withNetworks ? `the server does not run as root, and ${why}` : why, again())
    return {
      users: null,
      restrict: true,
      apart: null,
      sentence: JOINED,
      again: null,
      protect: async () => 'stood',
    }
  }

  return host.isRoot() ? openForRoot() : openForUser()
}

const apartBecause = (why: string): string =>
  `VMs of a project cannot reach each other on this server, because ${why}.`

const cutOff = (users: GuestUsers | null, why: string, again: GuestNetwork['again']): GuestNetwork => ({
  users,
  restrict: true,
  apart: apartBecause(why),
  sentence: `Guests can be reached by SSH but have no network access themselves, because ${why}.`,
  again,
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
    const root = await run('bash', knock, { timeoutMs: KNOCK_MS })
    if (!root.includes('through')) throw new Error('The test of the rules cannot reach its own service')
    const guest = await run('bash', knock, { uid, cwd: '/', timeoutMs: KNOCK_MS })
    if (!guest.includes('refused')) throw new Error('The rules let guests through')
  } finally {
    server.close()
  }
}
