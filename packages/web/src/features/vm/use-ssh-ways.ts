import {
  gatewayOf,
  type Host,
  type Project,
  type SshWay,
  sshUserOf,
  sshWays,
  type Vm,
} from '@slipway/contract'
import { hostNow, useHost } from '../../api/host.ts'
import { projectsNow, useProjects } from '../../api/projects.ts'
import { useVms, vmsNow } from '../../api/vms.ts'

function waysOf(vm: Vm, host: Host | undefined, projects: readonly Project[], vms: readonly Vm[]): SshWay[] {
  const project = projects.find(({ id }) => id === vm.project_id)
  const user = project ? sshUserOf(vm, project, { vms, projects }) : vm.id
  const { hostname } = window.location
  const addresses = host?.addresses ?? 'this-host'
  return sshWays(vm, gatewayOf(host, user, hostname), { addresses, consoleHost: hostname })
}

/** The ways into a VM for whoever looks at this page, the one to take first. */
export function useSshWays(vm: Vm): SshWay[] {
  const { projects } = useProjects()
  const { vms } = useVms(vm.project_id)
  return waysOf(vm, useHost(), projects, vms)
}

/** The first of them as things stand: for cards, of which a list has too many to count in every change. */
export function sshCommandNow(vm: Vm): string {
  return waysOf(vm, hostNow(), projectsNow(), vmsNow(vm.project_id))[0]?.command ?? ''
}
