/** What the network of a project is made of. */
export interface ProjectNetwork {
  project: { id: string; name: string }
  internet: boolean
  /** Oldest first, those that are deleted left out. */
  vms: readonly { id: string; name: string; groupId: string | null }[]
  /** Pools and sets with the ids of their running members. */
  groups: readonly { id: string; name: string; kind: 'pool' | 'set'; running: readonly string[] }[]
}
