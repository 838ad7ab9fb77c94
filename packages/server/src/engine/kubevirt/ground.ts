/** What every part of the engine stands on. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { KubeClient } from './kube/kube-client.ts'
import type { Mirror } from './mirror.ts'
import type { Names } from './names.ts'

export interface Ground {
  client: KubeClient
  mirror: Mirror
  names: Names
  clock: Clock
  log: Log
  /** Null: the default of the cluster. */
  storageClass: string | null
  /** Null: the one of the same driver. */
  snapshotClass: string | null
}
