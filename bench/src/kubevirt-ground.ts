import type { Template } from '@slipway/contract'
import type { Server } from '@slipway/e2e/server'
import type { Cluster } from './cluster.ts'
import type { Fleet } from './fleet.ts'
import type { Person } from './person.ts'

/** What is measured on. */
export interface Ground {
  server: Server
  person: Person
  fleet: Fleet
  template: Template
  /** The cluster by the same way that the server takes. */
  cluster: Cluster
  /** In which the VMs of the fleet are. */
  namespace: string
}
