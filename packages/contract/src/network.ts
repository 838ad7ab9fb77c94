import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { networkTexts } from './network.rules.ts'
import { ProjectParams } from './project.ts'
import { Id } from './text.ts'
import { VmParams } from './vm.ts'

/** A VM in the network of its project. */
export const NetworkMember = z.object({
  vm_id: Id,
  vm_name: z.string(),
  /** Its address there, which stays for its life; null until it is known, or where the engine has none. */
  address: z.string().nullable(),
  /** What other VMs of the project find it by, the shortest first. */
  names: z.array(z.string()),
})
export type NetworkMember = z.infer<typeof NetworkMember>

export const NetworkGroupKind = z.enum(['vm_pool', 'vm_set'])

/** A pool or set in the network of its project. */
export const NetworkGroup = z.object({
  group_id: Id,
  group_name: z.string(),
  kind: NetworkGroupKind,
  names: z.array(z.string()),
  vm_ids: z.array(Id),
})

/** The private network of a project. */
export const Network = z.object({
  project_id: Id,
  /** What its names end in, such as `shop.internal`. */
  domain: z.string(),
  /** Whether its VMs reach the Internet. */
  internet: z.boolean(),
  members: z.array(NetworkMember),
  /** Names that mean all running members of a pool or set. */
  groups: z.array(NetworkGroup),
})
export type Network = z.infer<typeof Network>

/** The network as one VM sees it. */
export const VmNetwork = NetworkMember.extend({
  domain: z.string(),
  internet: z.boolean(),
  /** Names that mean all running members of its pool or set, itself included while it runs. */
  group_names: z.array(z.string()),
})
export type VmNetwork = z.infer<typeof VmNetwork>

export const NetworkUpdate = z.object({ internet: z.boolean({ error: networkTexts.internetMissing }) })
export type NetworkUpdate = z.infer<typeof NetworkUpdate>

export const networkApi = {
  get: endpoint('network.get', {
    summary: 'The private network of a project: its members, their addresses and names',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: Network,
    errors: { 404: [messages.projectNotFound] },
  }),
  update: endpoint('network.update', {
    summary: 'Switch the Internet access of all VMs of a project on or off',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    body: NetworkUpdate,
    response: Network,
    errors: {
      400: [networkTexts.internetMissing],
      404: [messages.projectNotFound],
      422: ['A sentence of `cannot.networks`'],
    },
  }),
  ofVm: endpoint('network.ofVm', {
    summary: 'Address and names of a VM in the network of its project',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: VmNetwork,
    errors: { 404: [messages.projectNotFound, messages.vmNotFound] },
  }),
}
