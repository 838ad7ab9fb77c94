/** Where the figures of VMs would come from, for `npm run doctor`. */

import { bad, type Finding, good, note } from '../../lib/finding.ts'
import { type Examined, patienceMs, reasonOf } from './finding.ts'
import { isKube } from './kube/kube-error.ts'
import { askPrometheus } from './usage-sources.ts'

/** The source that the settings choose, since the server asks no other. */
export const examineMetrics = (cluster: Examined): Promise<Finding> =>
  cluster.prometheusUrl === null ? examineMetricsApi(cluster) : examinePrometheus(cluster.prometheusUrl)

const name = 'metrics'
const without = 'without it usage is not shown and pools do not scale by themselves'

async function examineMetricsApi({ client }: Examined): Promise<Finding> {
  try {
    await client.text('/apis/metrics.k8s.io/v1beta1', { deadlineMs: patienceMs })
    return good(
      name,
      'metrics.k8s.io answers: usage and auto scaling; disks and network only with SLIPWAY_PROMETHEUS_URL',
    )
  } catch (error) {
    const why = isKube(error, 'not-found') ? 'not installed' : reasonOf(error)
    return note(
      name,
      `metrics.k8s.io: ${why}; ${without}`,
      'install metrics-server, or set SLIPWAY_PROMETHEUS_URL',
    )
  }
}

/** What KubeVirt itself tells of, also while no VM runs. */
const anyFigure = 'count({__name__=~"kubevirt_.+"})'

async function examinePrometheus(url: string): Promise<Finding> {
  try {
    const samples = await askPrometheus(url, anyFigure)
    if (samples.length > 0)
      return good(name, `Prometheus at ${url} has the figures of KubeVirt: usage and auto scaling`)
    return note(
      name,
      `Prometheus at ${url} has no figures of KubeVirt; ${without}`,
      'let it collect them: KubeVirt brings a ServiceMonitor where the Prometheus operator is installed',
    )
  } catch (error) {
    return bad(
      name,
      `${url}: ${reasonOf(error)}`,
      'SLIPWAY_PROMETHEUS_URL has to name a Prometheus server (/api/v1/query), not a page with metrics',
    )
  }
}
