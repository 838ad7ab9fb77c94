import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Postgres, startPostgres } from './postgres.ts'
import { startProgram } from './program.ts'
import { type Server, startServer } from './server.ts'

/** Several servers over one PostgreSQL and one simulated host, with a balancer in front. */
export interface Installation {
  postgres: Postgres
  host: SimulatedHost
  balancer: Balancer
  /** Those that were started and not killed, in this order. */
  servers: () => Server[]
  /** Starts one more. */
  add: () => Promise<Server>
  /** Waits until one of them drives. */
  driver: () => Promise<Server>
  /** Ends all of it and removes its data. */
  stop: () => Promise<void>
}

/** Starts everything; `settings` are more of the environment of each server and of the host. */
export async function startInstallation(
  count: number,
  settings: Record<string, string> = {},
): Promise<Installation> {
  const [postgres, host] = await Promise.all([startPostgres(), startSimulatedHost(settings)])
  const all: Server[] = []
  /** Those of the servers themselves: the one that drives sends all mails. */
  const ownLinks: Server['mailedLink'][] = []
  const servers = () => all.filter((server) => server.isUp())
  const balancer = await startBalancer(() => servers().map(({ url }) => url))
  const add = async () => {
    const server = await startServer({
      ...settings,
      SLIPWAY_DATABASE_URL: postgres.url,
      SLIPWAY_SIMULATED_SOCKET: host.socket,
    })
    ownLinks.push(server.mailedLink)
    server.mailedLink = (address, page) => Promise.any(ownLinks.map((link) => link(address, page)))
    all.push(server)
    return server
  }
  await Promise.all(Array.from({ length: count }, add))
  return {
    postgres,
    host,
    balancer,
    servers,
    add,
    async driver() {
      const deadline = Date.now() + 60_000
      while (Date.now() < deadline) {
        // One that drove and lost the lease ends.
        const found = servers().find((server) => server.output().includes('This server drives from now on.'))
        if (found) return found
        await sleep(50)
      }
      throw new Error('No server drives')
    },
    async stop() {
      await balancer.close()
      await Promise.all(all.map((server) => server.stop()))
      await Promise.all([host.stop(), postgres.remove()])
    },
  }
}

/** The simulated engine in a process of its own, reached by servers over a socket. */
export interface SimulatedHost {
  socket: string
  pid: number
  /** Ends it without giving it a chance; its world stays. */
  kill: () => Promise<void>
  /** Starts it again after `kill`. */
  start: () => Promise<void>
  /** Ends it and removes its world. */
  stop: () => Promise<void>
}

/** Starts a simulated host with a world of its own. */
export async function startSimulatedHost(settings: Record<string, string> = {}): Promise<SimulatedHost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-world-'))
  const socket = join(dataDir, 'world.sock')
  const begin = () =>
    startProgram('simulated-host.ts', /The simulated host is ready at (\S+)/, {
      SLIPWAY_ENGINE: 'simulated',
      ...settings,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_SIMULATED_SOCKET: socket,
    })
  let program = await begin()
  return {
    socket,
    get pid() {
      return program.pid
    },
    kill: () => program.end('SIGKILL'),
    async start() {
      program = await begin()
    },
    async stop() {
      await program.end('SIGTERM')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A plain TCP balancer, which knows nothing of what it carries. */
export interface Balancer {
  url: string
  /** New connections go to this server first, as long as it is up. */
  prefer: (server: Server) => void
  close: () => Promise<void>
}

/** Sends each new connection to the first of the servers that takes it. */
export async function startBalancer(urls: () => readonly string[]): Promise<Balancer> {
  let preferred: string | null = null
  const open = new Set<Socket>()
  const listener = createServer(async (client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    const order = urls().toSorted((one, other) => Number(other === preferred) - Number(one === preferred))
    for (const url of order) {
      const server = connect(Number(new URL(url).port), '127.0.0.1')
      try {
        await once(server, 'connect')
      } catch {
        continue
      }
      server.on('error', () => {}).on('close', () => client.destroy())
      client.on('close', () => server.destroy())
      if (client.destroyed) server.destroy()
      client.pipe(server).pipe(client)
      return
    }
    client.destroy()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    prefer(server) {
      preferred = server.url
    },
    async close() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
