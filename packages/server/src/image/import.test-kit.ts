import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import http, { type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../lib/command.ts'
import { silentLog } from '../lib/log.ts'
import { type FetchPolicy, type ImageSource, makeImporter } from './import.ts'

/** A web server on loopback; `seen` are the requests it got. */
export async function serve(answer: RequestListener, host = '127.0.0.1') {
  const seen: IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  // A server that listens on TCP has an address of this shape.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    seen,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A place to import into, with servers on loopback; `cleanUp` removes it. */
export async function makePlace(policy: Partial<FetchPolicy> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-import-'))
  const scratchDir = join(dir, 'scratch')
  const targets = join(dir, 'targets')
  const target = join(targets, 'disk.qcow2')
  await mkdir(targets)
  const limits = { maxImageBytes: 256 * MIB, maxVirtualBytes: 1024 * MIB, privateSources: ['127.0.0.1'] }
  const importer = makeImporter({
    scratchDir,
    policy: { ...limits, ...policy },
    log: silentLog,
    pace: { stallMs: 5000, retryMs: 1 },
  })
  const closers: (() => void)[] = []

  const traces = async () => ({ scratch: await readdir(scratchDir), targets: await readdir(targets) })

  return {
    dir,
    scratchDir,
    target,
    importer,
    traces,

    /** Serves what a handler answers, on loopback. */
    async serve(answer: RequestListener): Promise<string> {
      const { url, stop } = await serve(answer)
      closers.push(stop)
      return url
    },

    /** Serves one file. */
    async serveFile(content: Buffer | string): Promise<ImageSource> {
      const bytes = typeof content === 'string' ? await readFile(content) : content
      const url = await this.serve((_, response) => {
        response.setHeader('content-length', bytes.length)
        response.end(bytes)
      })
      return { from: 'url', url: `${url}/image` }
    },

    /** Imports what has to be good; resolves with what was found, and the disk's bytes. */
    async take(source: ImageSource, signal: AbortSignal = new AbortController().signal) {
      const progress: (number | null)[] = []
      const imported = await importer.import(source, target, {
        signal,
        onProgress: (at) => progress.push(at),
      })
      expect(await traces()).toEqual({ scratch: [], targets: ['disk.qcow2'] })
      const raw = join(dir, 'disk.raw')
      await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', target, raw])
      const content = await readFile(raw)
      await rm(raw)
      return { ...imported, progress, content }
    },

    /** Imports what has to be refused; resolves with the reason once it is sure that nothing is left. */
    async refusal(source: ImageSource): Promise<string> {
      const work = { signal: new AbortController().signal, onProgress: () => {} }
      const reason = await reasonOf(importer.import(source, target, work))
      expect(await traces()).toEqual({ scratch: [], targets: [] })
      expect(reason).not.toContain(dir)
      return reason
    },

    async cleanUp() {
      for (const close of closers) close()
      await rm(dir, { recursive: true })
    },
  }
}

/** Why something is not imported: a sentence for a user, who must not learn about the host. */
export async function reasonOf(importing: Promise<unknown>): Promise<string> {
  const error = await importing.then(
    () => new Error('It was taken'),
    (failure: Error) => failure,
  )
  expect(error.name).toBe('ImportError')
  expect(error.message).toMatch(/^[A-Z].*[.?]$/)
  return error.message
}

export const MIB = 1024 * 1024
