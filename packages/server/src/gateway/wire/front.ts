import { createServer, type Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection, type PublicKeyAuthContext } from 'ssh2'
import type { Cut, Line, ToServer, Visit, Way } from '../messages.ts'
import { explain } from './explain.ts'
import { enterGuest, type GuestFailure } from './guest.ts'
import { jump } from './jump.ts'
import { fingerprintOf } from './keys.ts'
import { ident, type Leg, openLeg } from './leg.ts'
import type { Limits, Place } from './limits.ts'
import { connectLine } from './line.ts'
import { goodbye } from './packets.ts'
import { relay } from './relay.ts'

const { Server, utils } = ssh2

/** The server's side of what the front needs to know. */
export interface Desk {
  isKnown(fingerprint: string): Promise<boolean>
  wayOf(caller: { fingerprint: string; name: string; at: string }): Promise<Way>
  lineTo(vmId: string): Promise<Line>
  /** A visit into a VM began; returns the way to say that it is over. */
  came(visit: Omit<Visit, 'id'>): () => void
  log(level: Extract<ToServer, { say: 'log' }>['level'], message: string, about: Record<string, string>): void
}

export interface FrontOptions {
  hostKey: string
  /** What opens guests: the private key, and the line that lets it in. */
  guestKey: { privateKey: string; publicKey: string }
  limits: Limits
  desk: Desk
}

/** What came in by a key and may have to be ended. */
interface Stay {
  fingerprint: string
  accountIds: Set<string>
  /** Ends what belongs to one account; of that, what goes into these VMs, or all. */
  leave(accountId: string, vmIds: Cut['vmIds'], why: string): void
}

// ssh2 would send messages of its own among those of guests. Dead connections are noticed by TCP.
Server.KEEPALIVE_CLIENT_INTERVAL = 0

/** Listens for SSH, finds out who comes in, and lets them into their VMs. */
export function makeFront({ hostKey, guestKey, limits, desk }: FrontOptions) {
  const tooManyConnections = `Your account has ${limits.connectionsPerAccount} SSH connections open, which is the limit. Close some and try again.`
  const connectVm = async (vmId: string) => connectLine(await desk.lineTo(vmId))
  const stays = new Set<Stay>()
  const sockets = new Set<Socket>()
  const server = new Server({
    hostKeys: [hostKey],
    ident,
    // Clients choose, and OpenSSH's first choice is the one that ssh2 does in JavaScript.
    algorithms: {
      cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
      compress: ['none'],
    },
  })
  const places = new WeakMap<Socket, Place>()
  const listener = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
    async (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => {})
      const place = await limits.admit(socket.remoteAddress ?? '', () => socket.destroy())
      if (!place) return socket.destroy()
      if (socket.destroyed) return place.over()
      socket.once('close', place.over)
      places.set(socket, place)
      server.injectSocket(socket)
    },
  )

  server.on('connection', (connection, { ip }) => {
    const leg = openLeg(connection)
    let tries = 0
    connection.on('error', (error) =>
      desk.log('info', 'SSH by name: a connection broke', { ip, error: error.message }),
    )
    connection.on('authentication', (context) => {
      tries += 1
      if (tries > limits.triesPerConnection) {
        leg.socket.end()
        return
      }
      authenticate(connection, leg, context).catch((error: unknown) => {
        desk.log('warn', 'SSH by name: a sign-in failed', { ip, error: String(error) })
        leg.socket.destroy()
      })
    })
  })

  async function authenticate(connection: Connection, leg: Leg, context: AuthContext): Promise<void> {
    if (context.method !== 'publickey' || isSha1(context)) return context.reject(['publickey'])
    const fingerprint = fingerprintOf(context.key.data)
    if (!(await desk.isKnown(fingerprint))) return context.reject(['publickey'])
    // Whether the name leads anywhere is told only to those who have the key.
    if (!context.signature) return context.accept()
    if (!isProven(context)) return context.reject(['publickey'])
    const caller = { fingerprint, name: context.username, at: leg.socket.localAddress ?? '' }
    const way = await desk.wayOf(caller)
    if (leg.socket.destroyed) return
    const came = ({ accountId, vmId }: Extract<Way, { to: 'vm' }>) =>
      desk.came({ fingerprint, accountId, vmId })
    const place = places.get(leg.socket)
    const accept = () => {
      place?.signedIn()
      context.accept()
    }
    if (way.to !== 'nobody' && place?.known(accountsOf(way)) === null) return dismiss(leg, tooManyConnections)
    switch (way.to) {
      case 'nobody':
        desk.log('info', 'SSH by name: refused', {
          ip: leg.socket.remoteAddress ?? '',
          key: fingerprint,
          name: context.username,
        })
        return context.reject(['publickey'])
      case 'word':
        stay(way.accountIds, () => {})
        return tell(way.text)
      case 'proof':
        stay(way.accountIds, () => {})
        return tell(way.text, 0)
      case 'jump': {
        const end = jump(connection, leg, way.text, {
          wayOf: (name) => desk.wayOf({ ...caller, name }),
          connectVm,
          came,
          limits,
        })
        stay(way.accountIds, end)
        return accept()
      }
      case 'vm':
        return enter(way)
    }

    function tell(text: string, status = 255): void {
      explain(connection, leg, { text, status }, limits.sessionsPerConnection)
      accept()
    }

    /** Keeps an eye on a connection, so that it can be cut; `end` ends the part of it that is of one account. */
    function stay(
      accountIds: string[],
      end: (accountId: string, vmIds: Cut['vmIds']) => void,
      into: string | null = null,
    ): void {
      const here: Stay = {
        fingerprint,
        accountIds: new Set(accountIds),
        leave(accountId, vmIds, why) {
          const isWhole = vmIds === null || (into !== null && vmIds.includes(into))
          // Into another VM, or on to several: what goes into others stays.
          if (!isWhole && into !== null) return
          end(accountId, vmIds)
          if (!isWhole) return
          here.accountIds.delete(accountId)
          if (here.accountIds.size > 0) return
          dismiss(leg, why)
        },
      }
      stays.add(here)
      leg.socket.once('close', () => stays.delete(here))
    }

    function enter(vm: Extract<Way, { to: 'vm' }>): void {
      let went = () => {}
      let cut = false
      const leave = enterGuest(
        { vmId: vm.vmId, connect: () => connectVm(vm.vmId), privateKey: guestKey.privateKey },
        {
          onReady(guest) {
            if (leg.socket.destroyed || cut) return leave()
            relay(leg, guest)
            went = came(vm)
            accept()
          },
          onFailure(failure, message) {
            if (!leg.socket.destroyed && !cut) tell(whyNot(vm.called, failure, message, guestKey.publicKey))
          },
          onClose() {
            leg.socket.end()
            // What is still on its way may arrive.
            const timer = setTimeout(() => leg.socket.destroy(), 30_000).unref()
            leg.socket.once('close', () => clearTimeout(timer))
          },
        },
      )
      stay(
        [vm.accountId],
        () => {
          cut = true
          leave()
        },
        vm.vmId,
      )
      leg.socket.once('close', () => {
        leave()
        went()
      })
    }
  }

  return {
    /** Resolves with the port. */
    listen: (listen: string, port: number) =>
      new Promise<number>((resolve, reject) => {
        listener.once('error', reject)
        listener.listen({ host: listen, port }, () => {
          listener.off('error', reject)
          listener.on('error', (error) =>
            desk.log('warn', 'SSH by name could not take a connection', { error: error.message }),
          )
          const address = listener.address()
          resolve(typeof address === 'object' && address ? address.port : port)
        })
      }),

    cut({ accountId, fingerprint, vmIds, why }: Cut): void {
      for (const stay of stays) {
        const fits = fingerprint === null || stay.fingerprint === fingerprint
        if (fits && stay.accountIds.has(accountId)) stay.leave(accountId, vmIds, why)
      }
    },

    close(): void {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const accountsOf = (way: Exclude<Way, { to: 'nobody' }>): readonly string[] =>
  way.to === 'vm' ? [way.accountId] : way.accountIds

/** Ends a connection with a reason, which clients show. */
function dismiss(leg: Leg, why: string): void {
  leg.send(goodbye(why))
  leg.socket.end()
  // A client that does not close its end is cut off all the same.
  setTimeout(() => leg.socket.destroy(), 500).unref()
}

/** Signatures by RSA with SHA-1 and by DSA: forgeable, and refused by guests too. */
const isSha1 = ({ key, hashAlgo }: PublicKeyAuthContext): boolean =>
  key.algo === 'ssh-dss' || (key.algo === 'ssh-rsa' && hashAlgo === undefined)

function isProven({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (!blob || !signature) return false
  const parsed = utils.parseKey(key.data)
  // The blob names its kind itself; a client may not have it taken for another.
  if (parsed instanceof Error || parsed.type !== key.algo) return false
  try {
    return parsed.verify(blob, signature, hashAlgo) === true
  } catch {
    return false
  }
}

function whyNot(called: string, failure: GuestFailure, message: string, line: string): string {
  switch (failure) {
    case 'key-refused':
      return `${called} rejected the key of this gateway. The VM was created before the gateway, or the key was removed. Add this line to /root/.ssh/authorized_keys in the VM, then try again:\n${line}`
    case 'no-answer':
      return `${called} is running, but its SSH server does not respond (${message}) Check the console of the VM, or restart it.`
    case 'other':
      return `${called} is running, but a connection to its SSH server failed: ${message}`
  }
}
