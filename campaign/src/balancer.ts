/** A plain TCP balancer, as hosts put one before several servers: it knows nothing of HTTP, and tries nothing again. */
import { connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  url: string
  /** How many are open now to the server of a URL. */
  connectionsTo: (url: string) => number
  close: () => void
}

/** `choose` gives the URL that a new connection goes to; null: there is none, and it breaks. */
export async function balance(choose: () => string | null): Promise<Balancer> {
  /** Both ends of each connection, with the URL that it goes to. */
  const open = new Map<Socket, string>()
  const server = createServer((near) => {
    const url = choose()
    if (url === null) {
      near.destroy()
      return
    }
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.set(one, url)
      one.setNoDelay(true)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        // What was sent last is still on its way.
        if (one.errored) other.destroy()
        else other.end()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The balancer has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    connectionsTo: (url) => [...open.values()].filter((one) => one === url).length / 2,
    close() {
      server.close()
      for (const socket of open.keys()) socket.destroy()
    },
  }
}
