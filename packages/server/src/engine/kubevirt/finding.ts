/** What the doctor looks at a cluster with. */
import type { KubeClient } from './kube/kube-client.ts'

export interface Examined {
  client: KubeClient
  prefix: string
  /** Null: the default of the cluster. */
  storageClass: string | null
  /** Null: the one of the same driver. */
  snapshotClass: string | null
  /** Null: the metrics API of the cluster. */
  prometheusUrl: string | null
}

/** For each question. */
export const patienceMs = 10_000
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const grantHelp = 'grant the ClusterRole of deploy/chart/templates/rights.yaml to this account'
