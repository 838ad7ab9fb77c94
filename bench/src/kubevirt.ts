/**
 * The engine `kubevirt` on the cluster that SLIPWAY_BENCH_KUBECONFIG names. Where SLIPWAY_BENCH_IMAGE names no boot
 * image that the cluster can fetch, one is named that only a played cluster takes: it has a head and nothing else. Everything
 * the server asks of the cluster goes through a proxy that counts it, and so does the bare work beside it.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Template, templateApi } from '@slipway/contract'
import { readKubeAccess } from '@slipway/e2e/kube'
import { type Server, startServer } from '@slipway/e2e/server'
import { type Cluster, makeCluster } from './cluster.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { type Fleet, newFleet } from './fleet.ts'
import type { Ground } from './kubevirt-ground.ts'
import { benchCreates, benchEvents } from './kubevirt-lags.ts'
import { benchResync } from './kubevirt-resync.ts'
import { newPerson, type Person } from './person.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report, timed } from './report.ts'

const isQuick = process.argv.includes('--quick')
const sizes = isQuick
  ? { vms: 40, samples: 15, restSeconds: 20, resync: 1_000 }
  : { vms: 1_000, samples: 60, restSeconds: Number(process.env.SLIPWAY_BENCH_REST_S ?? 180), resync: 10_000 }

export async function benchKubevirt(): Promise<boolean> {
  const file = process.env.SLIPWAY_BENCH_KUBECONFIG
  if (!file) {
    console.log(
      '\nSKIPPED: kubevirt, because SLIPWAY_BENCH_KUBECONFIG names no cluster. Nothing was measured.',
    )
    return true
  }
  const access = await readKubeAccess(file)
  const prefix = `bench-${randomBytes(3).toString('hex')}`
  const directory = await mkdtemp(join(tmpdir(), 'slipway-bench-kubevirt-'))
  const proxy = await startCountingProxy(access)
  const image = await serveImage()
  const cluster = makeCluster(proxy.access)
  let server: Server | null = null
  try {
    const kubeconfig = join(directory, 'kubeconfig')
    await writeFile(kubeconfig, proxy.kubeconfig)
    server = await startServer({
      SLIPWAY_ENGINE: 'kubevirt',
      SLIPWAY_KUBECONFIG: kubeconfig,
      SLIPWAY_KUBE_PREFIX: prefix,
      SLIPWAY_PRIVATE_SOURCES: '127.0.0.1',
      SLIPWAY_ROOT_DISK_GB: '4',
    })
    const person = await newPerson(server)
    const template = await bootable(person, process.env.SLIPWAY_BENCH_IMAGE ?? image.url)
    const began = performance.now()
    const fleet = await newFleet(person, sizes.vms, template.id)
    const upS = (performance.now() - began) / 1_000
    const made = proxy.take().reduce((sum, [, times]) => sum + times, 0)
    const ground: Ground = {
      server,
      person,
      fleet,
      template,
      cluster,
      namespace: `${prefix}-${fleet.project.id}`,
    }
    const parts = [
      report(`${sizes.vms} VMs on the cluster, one after the other`, [
        { what: 'create one VM (POST), 95 %', value: quantile(fleet.posts, 0.95), unit: 'ms', goal: null },
        { what: 'until all run', value: upS, unit: 's', goal: null },
        { what: 'calls to the cluster for each', value: made / sizes.vms, unit: '', goal: null },
        { what: 'memory of the server', value: await memoryMb(server.pid), unit: 'MB', goal: null },
      ]),
      await benchCreates(ground, sizes.samples),
      await benchEvents(ground, sizes.samples),
      await benchList(ground),
      await benchRest(ground, proxy),
      await benchResync(ground, { access, directory, prefix }, sizes.resync),
    ]
    return parts.every((met) => met)
  } finally {
    await server?.stop()
    await removeNamespaces(cluster, prefix)
    cluster.close()
    proxy.close()
    image.close()
    await rm(directory, { recursive: true })
  }
}

/** Serves the head of an empty disk of 1 GiB. */
async function serveImage() {
  const head = Buffer.alloc(65_536)
  head.write('QFI\xfb', 'latin1')
  head.writeUInt32BE(3, 4)
  head.writeUInt32BE(16, 20)
  head.writeBigUInt64BE(2n ** 30n, 24)
  head.writeUInt32BE(104, 100)
  const files = createServer((_request, answer) => answer.end(head))
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const { port } = files.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/disk.qcow2`, close: () => files.close() }
}

/** A template whose image the cluster has. */
async function bootable(person: Person, image: string): Promise<Template> {
  const made = await person.call(templateApi.create, {
    body: {
      name: 'Bench',
      description: 'A VM to measure with.',
      default_cpu: 1,
      default_memory_mb: 512,
      image_url: image,
    },
  })
  for (;;) {
    const all = await person.call(templateApi.list, {})
    const template = all.find(({ id }) => id === made.id)
    if (template?.image?.state === 'ready') return template
    await sleep(200)
  }
}

/** The same list on a simulated engine, in turns. */
async function benchList({ person, fleet, server }: Ground): Promise<boolean> {
  const other = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const beside = await newPerson(other)
    const simulated = await newFleet(beside, sizes.vms)
    const ours: number[] = []
    const theirs: number[] = []
    await sleep(2_000)
    const list = (who: Person, { project }: Fleet) =>
      timed(5, () => who.get(`/api/projects/${project.id}/vms`))
    for (let turn = 0; turn < 20; turn++) {
      theirs.push(...(await list(beside, simulated)))
      ours.push(...(await list(person, fleet)))
    }
    const ratio = quantile(ours, 0.5) / quantile(theirs, 0.5)
    return report(`List of ${sizes.vms} VMs`, [
      { what: 'on a simulated engine, median', value: quantile(theirs, 0.5), unit: 'ms', goal: null },
      { what: 'on the cluster, median', value: quantile(ours, 0.5), unit: 'ms', goal: null },
      { what: 'on the cluster, 95 %', value: quantile(ours, 0.95), unit: 'ms', goal: null },
      { what: 'on the cluster, times simulated', value: ratio, unit: 'x', goal: 1.2 },
      { what: 'memory of the server', value: await memoryMb(server.pid), unit: 'MB', goal: null },
    ])
  } finally {
    await other.stop()
  }
}

/** What is asked of the cluster while all VMs run and nobody looks. */
async function benchRest(
  { server }: Ground,
  proxy: { take(): [what: string, times: number][] },
): Promise<boolean> {
  // What the starts have left behind ends first.
  await sleep(10_000)
  proxy.take()
  const before = await cpuSeconds(server.pid)
  await sleep(sizes.restSeconds * 1_000)
  const cpu = ((await cpuSeconds(server.pid)) - before) / sizes.restSeconds
  const asked = proxy.take()
  const perVmAndHour = (times: number) => (times * 3_600) / sizes.restSeconds / sizes.vms
  const sum = (which: (what: string) => boolean) =>
    asked.reduce((total, [what, times]) => total + (which(what) ? times : 0), 0)
  const isWatch = (what: string) => what.startsWith('watch ')
  // One list has the figures of all VMs, for their charts.
  const isMetrics = (what: string) => what === 'GET pods.metrics.k8s.io'
  for (const [what, times] of asked) console.log(`  asked ${times} times: ${what}`)
  const others = perVmAndHour(sum((what) => !isWatch(what) && !isMetrics(what)))
  return report(`At rest for ${sizes.restSeconds} s with ${sizes.vms} VMs`, [
    { what: 'calls for each VM and hour', value: others, unit: '', goal: 0 },
    { what: 'lists of what all VMs use', value: sum(isMetrics), unit: '', goal: null },
    { what: 'watches opened anew', value: sum(isWatch), unit: '', goal: null },
    { what: 'CPU of the server, of one core', value: cpu * 100, unit: '%', goal: null },
  ])
}

/** Leaves nothing of ours in the cluster. */
async function removeNamespaces(cluster: Cluster, prefix: string): Promise<void> {
  const selector = encodeURIComponent(`slipway.org/installation=${prefix}`)
  const { items } = await cluster.call<{ items: { metadata: { name: string } }[] }>(
    'GET',
    `/api/v1/namespaces?labelSelector=${selector}`,
  )
  for (const { metadata } of items) await cluster.call('DELETE', `/api/v1/namespaces/${metadata.name}`)
}
