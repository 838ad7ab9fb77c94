import {
  type Limits,
  messages,
  type Network,
  type NetworkUpdate,
  networkDomainOf,
  networkLabels,
  networkNamesOf,
  type VmNetwork,
} from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem, require422 } from '../lib/problem.ts'
import type { NetworkRepo } from './network.repo.ts'
import type { ProjectNetwork } from './network.state.ts'

export type NetworkService = ReturnType<typeof makeNetworkService>

export interface NetworkServiceOptions {
  repo: NetworkRepo
  /** The addresses of VMs of a project, by VM, as far as they are known now. */
  addressesOf: (projectId: string) => Promise<ReadonlyMap<string, string>>
  cannot: Limits
  /** What names end in, as the engine tells it. */
  domain: string
  clock: Clock
  changed: Changed
}

export function makeNetworkService({
  repo,
  addressesOf,
  cannot,
  domain,
  clock,
  changed,
}: NetworkServiceOptions) {
  /** The network of a project, with the addresses that are known. */
  async function find(
    projectId: string,
  ): Promise<{ network: ProjectNetwork; addresses: ReadonlyMap<string, string> }> {
    const [network, addresses] = await Promise.all([repo.find(projectId), addressesOf(projectId)])
    if (!network) throw new Problem(404, messages.projectNotFound)
    return { network, addresses }
  }

  /** Says of objects of a network what they are found by. */
  function namesIn({ project, vms, groups }: ProjectNetwork): (id: string) => string[] {
    const ending = networkDomainOf(project, domain)
    const labels = networkLabels([...vms, ...groups])
    return (id) => networkNamesOf(labels.get(id) ?? id, ending)
  }

  async function get(projectId: string): Promise<Network> {
    const { network, addresses } = await find(projectId)
    const namesOf = namesIn(network)
    return {
      project_id: projectId,
      domain: networkDomainOf(network.project, domain),
      internet: network.internet,
      members: network.vms.map(({ id, name }) => ({
        vm_id: id,
        vm_name: name,
        address: addresses.get(id) ?? null,
        names: namesOf(id),
      })),
      groups: network.groups.map(({ id, name, kind, running }) => ({
        group_id: id,
        group_name: name,
        kind: `vm_${kind}` as const,
        names: namesOf(id),
        vm_ids: [...running],
      })),
    }
  }

  return {
    get,

    async ofVm(projectId: string, vmId: string): Promise<VmNetwork> {
      const { network, addresses } = await find(projectId)
      const vm = network.vms.find(({ id }) => id === vmId)
      if (!vm) throw new Problem(404, messages.vmNotFound)
      const namesOf = namesIn(network)
      return {
        vm_id: vm.id,
        vm_name: vm.name,
        address: addresses.get(vm.id) ?? null,
        names: namesOf(vm.id),
        domain: networkDomainOf(network.project, domain),
        internet: network.internet,
        group_names: network.groups.some(({ id }) => id === vm.groupId) ? namesOf(vm.groupId ?? '') : [],
      }
    },

    async update(userId: string, projectId: string, { internet }: NetworkUpdate): Promise<Network> {
      require422(cannot.networks ?? true)
      const {
        network: {
          project: { name },
        },
      } = await find(projectId)
      const told = entry(
        clock.now(),
        { type: 'project', id: projectId, name, projectId },
        wish(
          userId,
          'network.update',
          `Switched ${internet ? 'on' : 'off'} the Internet access of project ${name}`,
        ),
      )
      if (await repo.setInternet(projectId, internet, told)) changed('project', projectId, projectId)
      return get(projectId)
    },
  }
}
