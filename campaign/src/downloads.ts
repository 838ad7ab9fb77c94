/** A web server on loopback whose images come whole, slowly, in part, or never. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** That of this campaign: another one that served both would end before it. Scripts name manners only. */
let port = 0

/** How a download behaves. */
export const manners = ['whole', 'slow', 'cut', 'stalled', 'refused'] as const

/** The URL of an image that is served in that manner. */
export const imageUrl = (manner: string, name: string): string =>
  `http://127.0.0.1:${port}/${manner}/${name}.img`

/** A raw disk of 4 MiB with the mark of a boot record. */
const image = Buffer.alloc(4 * 1024 ** 2, 'campaign ')
image.writeUInt16LE(0xaa55, 510)

async function serve(manner: string, response: ServerResponse): Promise<void> {
  if (manner === 'refused') {
    response.writeHead(503).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': image.length })
  if (manner === 'whole') {
    response.end(image)
    return
  }
  const half = image.length / 2
  response.write(image.subarray(0, half))
  if (manner === 'cut') setTimeout(() => response.destroy(), 500)
  if (manner !== 'slow') return
  for (let at = half; at < image.length && !response.destroyed; at += 65_536) {
    response.write(image.subarray(at, at + 65_536))
    await sleep(500)
  }
  response.end()
}

/** Serves until the function that it returns is called. */
export async function serveDownloads(): Promise<() => void> {
  const server = createServer((request, response) => {
    response.on('error', () => {})
    serve(request.url?.split('/')[1] ?? '', response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
