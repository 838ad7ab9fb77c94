/** What the doctor says of a cluster, and what it looks with. */
import type { KubeClient } from './kube/kube-client.ts'

export interface Finding {
  state: 'good' | 'note' | 'bad'
  name: string
  text: string
  help?: string
}

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

export const good = (name: string, text: string): Finding => ({ state: 'good', name, text })
export const note = (name: string, text: string, help?: string): Finding => found('note', name, text, help)
export const bad = (name: string, text: string, help?: string): Finding => found('bad', name, text, help)
const found = (state: Finding['state'], name: string, text: string, help?: string): Finding => ({
  state,
  name,
  text,
  ...(help === undefined ? {} : { help }),
})

/** For each question. */
export const patienceMs = 10_000
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const grantHelp = 'grant the ClusterRole of deploy/chart/templates/rights.yaml to this account'
