/**
 * A server that lists a large cluster, and lists it again when its watches have expired. The objects are played here, after
 * real ones of this run, because a cluster with so many VMs is seldom at hand: how quickly a cluster hands them out is
 * not in the figures. A second server takes them for its own, under a prefix of its own; its database knows none.
 */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeAccess } from '@slipway/e2e/kube'
import { startServer } from '@slipway/e2e/server'
import { instancesOf, type KubeObject, machinesOf } from './cluster.ts'
import { type Instead, startCountingProxy } from './counting-proxy.ts'
import type { Ground } from './kubevirt-ground.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report } from './report.ts'

const turns = 5
/** What an API server keeps in an object about who wrote which field; the cluster may leave it out. */
const managedBytes = 3_000
const version = '1000000'

/** Pages and watches of three kinds: a machine, its instance and its root disk, so many times. */
function playLarge(
  patterns: Record<string, { object: KubeObject; apiVersion: string }>,
  id: string,
  size: number,
) {
  const watches = new Map<string, ServerResponse>()
  let opened = () => {}
  let bytes = 0
  const texts = Object.fromEntries(
    Object.entries(patterns).map(([plural, { object, apiVersion }]) => {
      const managedFields = [{ manager: 'bench', operation: 'Update', fieldsV1: 'f'.repeat(managedBytes) }]
      const metadata = { ...object.metadata, resourceVersion: '999999', managedFields }
      return [plural, JSON.stringify({ ...object, apiVersion, metadata })]
    }),
  )
  const uids = Object.values(patterns).map(({ object }) => object.metadata.uid ?? '')
  const numbered = (text: string, i: number) => text.slice(0, -6) + String(i).padStart(6, '0')
  const made = (text: string, i: number) =>
    [id, ...uids].reduce((sofar, one) => sofar.replaceAll(one, numbered(one, i)), text)

  const instead: Instead = (url, request, answer) => {
    const plural = url.pathname.split('/').at(-1) ?? ''
    const text = texts[plural]
    if (request.method !== 'GET' || text === undefined) return false
    if (url.searchParams.has('watch')) {
      answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      watches.set(plural, answer)
      opened()
      return true
    }
    const from = Number(url.searchParams.get('continue') ?? 0)
    const to = Math.min(size, from + Number(url.searchParams.get('limit') ?? size))
    const items = Array.from({ length: to - from }, (_, i) => made(text, from + i))
    const metadata = { resourceVersion: version, ...(to < size && { continue: String(to) }) }
    const page = `{"kind":"List","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`
    bytes += page.length
    answer.writeHead(200, { 'content-type': 'application/json' }).end(page)
    return true
  }
  return {
    instead,
    /** Resolves when all kinds are watched. */
    watched: () =>
      new Promise<void>((resolve) => {
        opened = () => {
          if (watches.size === uids.length) resolve()
        }
        opened()
      }),
    /** Ends all watches, and what they knew has expired. */
    expire(): void {
      const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' }
      for (const answer of watches.values())
        answer.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`)
      watches.clear()
    },
    takeBytes(): number {
      const taken = bytes
      bytes = 0
      return taken
    },
  }
}

export async function benchResync(
  { fleet, cluster, namespace }: Ground,
  { access, directory, prefix }: { access: KubeAccess; directory: string; prefix: string },
  size: number,
): Promise<boolean> {
  const id = fleet.vms[0]?.id ?? ''
  const other = `large-${randomBytes(3).toString('hex')}`
  const disks = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes`
  const pattern = async (path: string, apiVersion: string) => ({
    object: JSON.parse(JSON.stringify(await cluster.call('GET', path)).replaceAll(prefix, other)),
    apiVersion,
  })
  const played = playLarge(
    {
      virtualmachines: await pattern(`${machinesOf(namespace)}/vm-${id}`, 'kubevirt.io/v1'),
      virtualmachineinstances: await pattern(`${instancesOf(namespace)}/vm-${id}`, 'kubevirt.io/v1'),
      datavolumes: await pattern(`${disks}/vm-${id}-root`, 'cdi.kubevirt.io/v1beta1'),
    },
    id,
    size,
  )
  const proxy = await startCountingProxy(access, played.instead)
  const kubeconfig = join(directory, 'kubeconfig-large')
  await writeFile(kubeconfig, proxy.kubeconfig)
  const began = performance.now()
  const starting = startServer({
    SLIPWAY_ENGINE: 'kubevirt',
    SLIPWAY_KUBECONFIG: kubeconfig,
    SLIPWAY_KUBE_PREFIX: other,
    // Consoles are recorded by another program, as in a cluster.
    SLIPWAY_RECORDER_URL: 'http://127.0.0.1:1',
    SLIPWAY_RECORDER_TOKEN: randomBytes(16).toString('hex'),
    SLIPWAY_LOG_LEVEL: 'error',
  })
  try {
    const server = await starting
    const readyS = (performance.now() - began) / 1_000
    await played.watched()
    await sleep(5_000)
    const first = await memoryMb(server.pid)
    const writes = proxy.take().filter(([what]) => !/^(GET|watch) /.test(what))
    for (const [what, times] of writes) console.log(`  asked ${times} times: ${what}`)
    const spans: number[] = []
    const cpu: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      played.takeBytes()
      const cpuBefore = await cpuSeconds(server.pid)
      const start = performance.now()
      played.expire()
      await played.watched()
      spans.push((performance.now() - start) / 1_000)
      cpu.push((await cpuSeconds(server.pid)) - cpuBefore)
      await sleep(2_000)
    }
    const calls = writes.reduce((sum, [, times]) => sum + times, 0)
    return report(`${size} machines: as many VMs, instances and root disks, played`, [
      { what: 'bytes of all lists', value: played.takeBytes() / 1e6, unit: 'MB', goal: null },
      { what: 'until a new server is ready', value: readyS, unit: 's', goal: null },
      { what: 'calls that are no list or watch', value: calls, unit: '', goal: 0 },
      { what: 'everything listed again, best', value: Math.min(...spans), unit: 's', goal: null },
      { what: 'everything listed again, median', value: quantile(spans, 0.5), unit: 's', goal: null },
      { what: 'CPU of the server for that, median', value: quantile(cpu, 0.5), unit: 's', goal: null },
      { what: 'memory of the server, ready', value: first, unit: 'MB', goal: 400 },
      { what: `memory after ${turns} times`, value: await memoryMb(server.pid), unit: 'MB', goal: 400 },
      { what: 'the most it ever had', value: await memoryMb(server.pid, 'VmHWM'), unit: 'MB', goal: 400 },
    ])
  } finally {
    await (await starting.catch(() => null))?.stop()
    proxy.close()
  }
}
