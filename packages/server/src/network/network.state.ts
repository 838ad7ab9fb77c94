/** What is known of the network of a project, and what the engine is told of it. */
import { networkNames, projectLabelOf } from '@slipway/contract'
import type { NetworkSpec } from '../engine/engine.ts'

export interface ProjectNetwork {
  project: { id: string; name: string }
  internet: boolean
  /** Oldest first, those that are deleted left out. */
  vms: readonly { id: string; name: string; groupId: string | null }[]
  /** Pools and sets with the ids of their running members. */
  groups: readonly { id: string; name: string; running: readonly string[] }[]
}

export const specOf = ({ project, internet, vms, groups }: ProjectNetwork): NetworkSpec => ({
  label: projectLabelOf(project.name),
  internet,
  names: networkNames(vms, groups),
})
