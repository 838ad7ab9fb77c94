import type { Health } from '@slipway/contract'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueFigures } from '../lib/fair-queue.ts'
import { makeHealthFigures } from './health.figures.ts'
import { type MailFigures, makeMailFigures } from './mail.figures.ts'
import type { MetricsRepo } from './metrics.repo.ts'
import { makeWebhookFigures, type WebhookFigures } from './webhook.figures.ts'

/** What one guest has used since its run began; null where nobody could tell. */
export interface GuestFigures {
  cpuMs: number
  memoryMb: number | null
  disk: { read: number; written: number } | null
  network: { received: number; sent: number } | null
  refusedPackets?: number
}

/** A request to the API; `route` is its address with names in the place of ids. */
export interface Answered {
  method: string
  route: string
  status: number
  ms: number
}

export interface MetricsServiceOptions {
  repo: MetricsRepo
  /** What bins hold; sizes in bytes. */
  inBins: () => Promise<{ vms: number; disks: number; vmSnapshots: number; diskSnapshots: number }>
  /** Objects that this server deleted for good since it started because a bin had no room for them. */
  pushedOut: () => number
  /** What guests used, at the last look, by VM. */
  readings: () => ReadonlyMap<string, GuestFigures>
  /** Windows that look at a console now. */
  viewers: () => number
  webhooks: () => Promise<WebhookFigures>
  mails: () => Promise<MailFigures>
  /** What waits for its turn, by kind. */
  queues: () => readonly ({ kind: string } & QueueFigures)[]
  health: () => Promise<Health>
  engine: string
}

export type MetricsService = ReturnType<typeof makeMetricsService>

const ofVm = ['vm_id', 'vm', 'project'] as const
const mebibyte = 1024 ** 2

/**
 * prom-client watches the event loop with a timer of its own, which cannot be switched off. At its usual ten
 * milliseconds that timer costs more than everything else a server at rest does; the delay is measured in `health/`.
 */
const unusedTimerMs = 3_600_000
const unusedMetrics = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (one) => `nodejs_eventloop_lag_${one}_seconds`,
)

/** The figures for an operator. Names and units: Prometheus, "Metric and label naming". */
export function makeMetricsService(options: MetricsServiceOptions) {
  const { repo, inBins, pushedOut, readings, viewers, webhooks, mails, queues, health, engine } = options
  const register = new Registry()
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: unusedTimerMs })
  for (const name of unusedMetrics) register.removeSingleMetric(name)
  const writeHealth = makeHealthFigures(register)
  const writeWebhooks = makeWebhookFigures(register)
  const writeMails = makeMailFigures(register)
  const registers = [register]
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge<L>({ name, help, labelNames, registers })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames, registers })

  gauge('slipway_info', 'Which engine runs the VMs.', ['engine']).set({ engine }, 1)
  const objects = gauge('slipway_objects', 'VMs, disks and snapshots by their status.', ['kind', 'status'])
  const binVms = gauge('slipway_bin_vms', 'VMs in bins, those of projects in the bin included.', [])
  const binBytes = gauge(
    'slipway_bin_bytes',
    'Bytes of data disks and snapshots in bins, those of projects in the bin included.',
    ['kind'],
  )
  const binPushedOut = counter(
    'slipway_bin_pushed_out_total',
    'Objects that were deleted for good before their time because the bin of their account had no room for them.',
    [],
  )
  const consoles = gauge('slipway_console_viewers', 'Open console viewers.', [])
  const cpu = counter('slipway_vm_cpu_seconds_total', 'Time the processors of a VM worked in this run.', ofVm)
  const memory = gauge('slipway_vm_memory_bytes', 'Memory that a VM uses.', ofVm)
  const diskRead = counter(
    'slipway_vm_disk_read_bytes_total',
    'Bytes a VM read from disks in this run.',
    ofVm,
  )
  const diskWritten = counter(
    'slipway_vm_disk_written_bytes_total',
    'Bytes a VM wrote to disks in this run.',
    ofVm,
  )
  const received = counter(
    'slipway_vm_network_received_bytes_total',
    'Bytes a VM received in this run, as reported by the VM.',
    ofVm,
  )
  const sent = counter(
    'slipway_vm_network_sent_bytes_total',
    'Bytes a VM sent in this run, as reported by the VM.',
    ofVm,
  )
  const refusedPackets = counter(
    'slipway_vm_refused_packets_total',
    'Packets dropped because a VM began too many connections or asked for too many names; 0 again after an hour without.',
    ofVm,
  )
  const ofQueue = ['kind'] as const
  const running = gauge('slipway_queue_running', 'What has a place at this server, by what it is.', ofQueue)
  const waiting = gauge('slipway_queue_waiting', 'What waits for a place at this server.', ofQueue)
  const refused = counter(
    'slipway_queue_refused_total',
    'What was refused with 429 because its account had too much of it.',
    ofQueue,
  )
  const requests = new Histogram({
    name: 'slipway_http_request_duration_seconds',
    help: 'How long requests took, by the address of the API.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2],
    registers,
  })

  async function look(): Promise<void> {
    const [counts, names, kept, ofWebhooks, ofMails, now] = await Promise.all([
      repo.counts(),
      repo.names(),
      inBins(),
      webhooks(),
      mails(),
      health(),
    ])
    writeHealth(now)
    writeWebhooks(ofWebhooks)
    writeMails(ofMails)
    objects.reset()
    for (const [kind, all] of Object.entries(counts))
      for (const { status, count } of all) objects.set({ kind, status }, count)
    binVms.set(kept.vms)
    binBytes.set({ kind: 'disk' }, kept.disks)
    binBytes.set({ kind: 'vm_snapshot' }, kept.vmSnapshots)
    binBytes.set({ kind: 'disk_snapshot' }, kept.diskSnapshots)
    binPushedOut.reset()
    binPushedOut.inc(pushedOut())
    consoles.set(viewers())
    refused.reset()
    for (const { kind, ...of } of queues()) {
      running.set({ kind }, of.running)
      waiting.set({ kind }, of.waiting)
      refused.inc({ kind }, of.refused)
    }
    for (const each of [cpu, memory, diskRead, diskWritten, received, sent, refusedPackets]) each.reset()
    for (const [id, figures] of readings()) {
      const name = names.get(id)
      if (!name) continue
      const labels = { vm_id: id, ...name }
      cpu.inc(labels, figures.cpuMs / 1000)
      if (figures.memoryMb !== null) memory.set(labels, figures.memoryMb * mebibyte)
      if (figures.disk) {
        diskRead.inc(labels, figures.disk.read)
        diskWritten.inc(labels, figures.disk.written)
      }
      if (figures.network) {
        received.inc(labels, figures.network.received)
        sent.inc(labels, figures.network.sent)
      }
      if (figures.refusedPackets !== undefined) refusedPackets.inc(labels, figures.refusedPackets)
    }
  }

  return {
    contentType: register.contentType,

    /** Takes note of a request that was answered. */
    observe: ({ method, route, status, ms }: Answered) =>
      requests.observe({ method, route, status }, ms / 1000),

    async text(): Promise<string> {
      await look()
      return register.metrics()
    },
  }
}
