/** Which cluster the settings mean. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { type Cluster, ownCluster } from './kube/cluster.ts'
import { readKubeconfig } from './kube/kubeconfig.ts'

/** That of the file, else the one this program runs in, else that of `~/.kube/config`. */
export function findCluster(
  at: { kubeconfig: string | null; host: string | null; port: string | null; home: () => string },
  clock: Pick<Clock, 'now'>,
): Promise<Cluster> {
  if (at.kubeconfig !== null) return readKubeconfig(at.kubeconfig, clock)
  if (at.host === null) {
    const usual = path.join(at.home(), '.kube/config')
    if (existsSync(usual)) return readKubeconfig(usual, clock)
  }
  return ownCluster({ host: at.host ?? undefined, port: at.port ?? undefined }, clock)
}
