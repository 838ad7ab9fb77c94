/** Where figures of living guests come from: the metrics API of the cluster, or Prometheus where there is one. */
import type { Ground } from './ground.ts'
import { isKube } from './kube/kube-error.ts'
import type { Kind, KubeObject } from './kube/objects.ts'
import { mark } from './names.ts'
import { numberOf } from './quantities.ts'

/** What one look found of a guest. */
export interface Figures {
  /** Processor time per time: 2 when two processors work all the time. */
  processors: number
  memoryMb: number | null
  disk: { read: number; written: number } | null
  network: { received: number; sent: number; at: number } | null
}

/**
 * By the id of the machine, all living guests in one call. Throws a sentence for the operator when there is nothing to
 * learn.
 */
export type UsageSource = () => Promise<ReadonlyMap<string, Figures>>

const MIB = 1024 * 1024
const lookMs = 10_000
/** Of 10,000 launcher pods it is some 10 MiB. */
const mostBytes = 48 * MIB

interface PodMetrics extends KubeObject {
  containers?: { name: string; usage: { cpu?: string; memory?: string } }[]
}
const podMetrics: Kind<PodMetrics> = { group: 'metrics.k8s.io', version: 'v1beta1', plural: 'pods' }

/** The container of a launcher pod that the guest runs in. */
const guestContainer = 'compute'

/** Launcher pods carry the labels of their machine; processors and memory are all that is known of pods. */
export const podSource =
  ({ client, names }: Pick<Ground, 'client' | 'names'>): UsageSource =>
  async () => {
    const list = await client
      .list(podMetrics, { labelSelector: names.selector }, { deadlineMs: lookMs, maxBytes: mostBytes })
      .catch((cause: unknown) => {
        throw new Error(whyNoMetrics(cause), { cause })
      })
    const found = new Map<string, Figures>()
    for (const { metadata, containers = [] } of list.items) {
      const id = metadata.labels?.[mark.id]
      const usage = containers.find(({ name }) => name === guestContainer)?.usage
      const processors = numberOf(usage?.cpu)
      if (!id || processors === null) continue
      const bytes = numberOf(usage?.memory)
      const memoryMb = bytes === null ? null : Math.round(bytes / MIB)
      // A guest that moves to another node has two pods for a while, and is in both.
      const other = found.get(id)
      found.set(id, {
        processors: processors + (other?.processors ?? 0),
        memoryMb: other ? Math.max(memoryMb ?? 0, other.memoryMb ?? 0) : memoryMb,
        disk: null,
        network: null,
      })
    }
    return found
  }

function whyNoMetrics(error: unknown): string {
  if (isKube(error, 'not-found'))
    return 'The cluster has no metrics API (metrics.k8s.io). Install metrics-server, or set SLIPWAY_PROMETHEUS_URL.'
  if (isKube(error, 'forbidden'))
    return 'The cluster does not allow Slipway to list pods in the metrics API (metrics.k8s.io).'
  return 'The metrics API of the cluster (metrics.k8s.io) does not respond.'
}

const part = {
  processors: 'rate(kubevirt_vmi_cpu_usage_seconds_total{}[2m])',
  available: 'kubevirt_vmi_memory_available_bytes{}',
  usable: 'kubevirt_vmi_memory_usable_bytes{}',
  resident: 'kubevirt_vmi_memory_resident_bytes{}',
  read: 'kubevirt_vmi_storage_read_traffic_bytes_total{}',
  written: 'kubevirt_vmi_storage_write_traffic_bytes_total{}',
  received: 'kubevirt_vmi_network_receive_bytes_total{}',
  sent: 'kubevirt_vmi_network_transmit_bytes_total{}',
} as const

/** All figures in one question: sums for each guest, told apart by a label that is put on them here. */
const questionFor = (prefix: string): string =>
  Object.entries(part)
    .map(([figure, series]) => {
      const ours = series.replace('{}', `{namespace=~"${prefix}-.*"}`)
      return `label_replace(sum by (namespace, name) (${ours}), "figure", "${figure}", "", "")`
    })
    .join(' or ')

interface Sample {
  metric?: { namespace?: string; name?: string; figure?: string }
  /** Seconds since the epoch, and the value as a text. */
  value?: [number, string]
}

/** @param url of the server, such as `http://prometheus:9090` */
export const prometheusSource =
  ({ mirror }: Pick<Ground, 'mirror'>, prefix: string, url: string): UsageSource =>
  async () => {
    const samples = await askPrometheus(url, questionFor(prefix))
    const byGuest = new Map<string, { at: number; figures: Partial<Record<string, number>> }>()
    for (const { metric = {}, value } of samples) {
      const guest = mirror.instances.get(`${metric.namespace}/${metric.name}`)
      const count = Number(value?.[1])
      if (!guest || !metric.figure || !Number.isFinite(count)) continue
      const known = byGuest.get(guest.id) ?? { at: Math.round(Number(value?.[0]) * 1000), figures: {} }
      known.figures[metric.figure] = count
      byGuest.set(guest.id, known)
    }
    const found = new Map<string, Figures>()
    for (const [id, { at, figures }] of byGuest) {
      const { processors, available, usable, resident, read, written, received, sent } = figures
      if (processors === undefined) continue
      const used =
        available !== undefined && usable !== undefined && usable <= available ? available - usable : resident
      const disk = countOf(read, written)
      const network = countOf(received, sent)
      found.set(id, {
        processors,
        memoryMb: used === undefined ? null : Math.round(used / MIB),
        disk: disk && { read: disk[0], written: disk[1] },
        network: network && { received: network[0], sent: network[1], at },
      })
    }
    return found
  }

/** Two counters that make sense only together. */
const countOf = (one: number | undefined, other: number | undefined): [number, number] | null =>
  one === undefined || other === undefined ? null : [Math.round(one), Math.round(other)]

/** What a Prometheus answers now. Throws a sentence for the operator. */
export async function askPrometheus(url: string, query: string): Promise<Sample[]> {
  const fail = (why: string, cause?: unknown) =>
    new Error(`Prometheus ${why} (SLIPWAY_PROMETHEUS_URL).`, { cause })
  let text: string
  try {
    const answer = await fetch(new URL(`${url.replace(/\/$/, '')}/api/v1/query`), {
      method: 'POST',
      body: new URLSearchParams({ query }),
      signal: AbortSignal.timeout(lookMs),
    })
    text = await boundedText(answer)
    if (!answer.ok) throw fail(`answered ${answer.status}`)
  } catch (cause) {
    throw cause instanceof Error && cause.message.startsWith('Prometheus ')
      ? cause
      : fail('does not respond', cause)
  }
  try {
    const { data } = JSON.parse(text) as { data?: { result?: Sample[] } }
    if (Array.isArray(data?.result)) return data.result
  } catch {
    // It is no JSON.
  }
  throw fail('gave an answer that cannot be understood')
}

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new Error('The answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
