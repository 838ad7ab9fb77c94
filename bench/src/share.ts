/**
 * A shared port against a direct connection and against nginx as reverse proxy, in one run and in turns, so that all see
 * the same load: the same web server, the same requests. nginx is Debian's; `SLIPWAY_BENCH_NGINX` names another program.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, createServer, get } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { projectApi, shareApi, sshKeyApi, vmApi } from '@slipway/contract'
import { clear, newDataDir } from '@slipway/e2e/real'
import { type Server, startServer } from '@slipway/e2e/server'
import { newPublicKey } from './fleet.ts'
import { newPerson } from './person.ts'
import { quantile, report } from './report.ts'

const isQuick = process.argv.includes('--quick')
const rounds = isQuick ? 1 : 5
const oneByOne = isQuick ? 50 : 2_000
const together = isQuick ? 200 : 10_000
const connections = 32
const downloadMb = isQuick ? 20 : 500

/** The web server behind all three, in a thread of its own. */
if (!isMainThread) {
  const small = Buffer.alloc(2_048, 'x')
  const piece = Buffer.alloc(256 * 1024, 'x')
  const server = createServer((request, response) => {
    const megabytes = Number(/^\/mb\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0)
    response.writeHead(200, { 'content-length': megabytes ? megabytes * 2 ** 20 : small.length })
    if (!megabytes) return void response.end(small)
    let left = megabytes * 4
    const more = (): void => {
      while (left-- > 0) if (!response.write(piece)) return void response.once('drain', more)
      response.end()
    }
    more()
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
}

/** Asks for a path and reads all of the answer; its bytes. */
const read = (port: number, agent: Agent, path = '/') =>
  new Promise<number>((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', port, path, agent }, (answer) => {
      let bytes = 0
      if (answer.statusCode !== 200) reject(new Error(`${path} at ${port}: ${answer.statusCode}`))
      answer.on('data', (part: Buffer) => {
        bytes += part.length
      })
      answer.on('end', () => resolve(bytes)).on('error', reject)
    })
    sent.on('error', reject)
  })

async function measure(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const many = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    const spans: number[] = []
    for (let i = 0; i < oneByOne; i++) {
      const start = performance.now()
      await read(port, agent)
      spans.push(performance.now() - start)
    }
    const begun = performance.now()
    await Promise.all(Array.from({ length: together }, () => read(port, many)))
    const perSecond = (together / (performance.now() - begun)) * 1_000
    const start = performance.now()
    const bytes = await read(port, agent, `/mb/${downloadMb}`)
    const mbPerSecond = bytes / 2 ** 20 / ((performance.now() - start) / 1_000)
    return { p50: quantile(spans, 0.5), p99: quantile(spans, 0.99), perSecond, mbPerSecond }
  } finally {
    agent.destroy()
    many.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** As Debian has it, with kept connections to the web server, which the share has too. Null where there is none. */
async function startNginx(dir: string, webPort: number) {
  const port = await freePort()
  const file = join(dir, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
  upstream web { server 127.0.0.1:${webPort}; keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://web; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_buffering off;
    }
  }
}
`,
  )
  const nginx = spawn(process.env.SLIPWAY_BENCH_NGINX ?? 'nginx', ['-p', dir, '-c', file], {
    stdio: 'ignore',
  })
  const failed = once(nginx, 'error').then(() => true)
  if (await Promise.race([failed, sleep(1_000, false)])) return null
  return { port, stop: () => nginx.kill('SIGTERM') }
}

async function sharedPort(server: Server): Promise<number> {
  const person = await newPerson(server)
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: newPublicKey() },
  })
  const params = { projectId: (await person.call(projectApi.create, { body: { name: 'bench' } })).id }
  const wish = { name: 'web', template_id: 'starter', ssh_key_id: key.id }
  const { id: vmId } = await person.call(vmApi.create, { params, body: wish })
  while ((await person.call(vmApi.get, { params: { ...params, vmId } })).status !== 'running') await sleep(50)
  const { address } = await person.call(shareApi.create, {
    params: { ...params, vmId },
    body: { port: 3000, audience: 'everybody' },
  })
  const port = Number(/:(\d+)\/$/.exec(address)?.[1])
  const agent = new Agent()
  while (!(await read(port, agent).catch(() => 0))) await sleep(50)
  return port
}

export async function benchShare(): Promise<boolean> {
  const dir = await newDataDir()
  const web = new Worker(fileURLToPath(import.meta.url))
  const [webPort] = (await once(web, 'message')) as [number]
  const server = await startServer({
    SLIPWAY_SIMULATED_WEB: `127.0.0.1:${webPort}`,
    SLIPWAY_SIMULATED_SPEED: '50',
  })
  const nginx = await startNginx(dir, webPort)
  try {
    const ports = { direct: webPort, nginx: nginx?.port, share: await sharedPort(server) }
    const all: Record<keyof typeof ports, Awaited<ReturnType<typeof measure>>[]> = {
      direct: [],
      nginx: [],
      share: [],
    }
    // The first round warms all three up and is not counted.
    for (let round = 0; round <= rounds; round++)
      for (const way of ['direct', 'nginx', 'share'] as const) {
        const port = ports[way]
        const figures = port === undefined ? null : await measure(port)
        if (figures && round > 0) all[way].push(figures)
      }
    const median = (way: keyof typeof ports, what: keyof (typeof all)['direct'][number]) =>
      quantile(
        all[way].map((one) => one[what]),
        0.5,
      )
    const shown = (what: keyof (typeof all)['direct'][number], label: string, unit: string) =>
      (['direct', 'nginx', 'share'] as const)
        .filter((way) => ports[way] !== undefined)
        .map((way) => ({ what: `${label}, ${way}`, value: median(way, what), unit, goal: null }))
    if (!nginx) console.log('There is no nginx to compare with: apt-get install nginx')
    return report('shared port', [
      ...shown('p50', 'p50', 'ms'),
      ...shown('p99', 'p99', 'ms'),
      ...shown('perSecond', `requests of ${connections} connections`, '/s'),
      ...shown('mbPerSecond', `download of ${downloadMb} MB`, 'MB/s'),
      ...(nginx
        ? [
            {
              what: 'p50, share to nginx',
              value: median('share', 'p50') / median('nginx', 'p50'),
              unit: 'x',
              goal: 1.5,
            },
            // At least 0.7 of it.
            {
              what: 'requests, nginx to share',
              value: median('nginx', 'perSecond') / median('share', 'perSecond'),
              unit: 'x',
              goal: 1 / 0.7,
            },
            {
              what: 'download, nginx to share',
              value: median('nginx', 'mbPerSecond') / median('share', 'mbPerSecond'),
              unit: 'x',
              goal: 1 / 0.7,
            },
          ]
        : []),
    ])
  } finally {
    nginx?.stop()
    await server.stop()
    await web.terminate()
    await clear(dir)
  }
}
