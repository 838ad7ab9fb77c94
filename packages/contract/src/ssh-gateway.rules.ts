/** How SSH finds a VM by its name: `ssh <vm>.<project>@<console> -p <port>`. */
import { hostnameOf } from './vm.rules.ts'

interface Named {
  id: string
  name: string
}

/** The label of a project in names for SSH; `project` when nothing of its name is left. */
export const projectLabelOf = (name: string): string => {
  const label = hostnameOf(name)
  return label === 'vm' && !/vm/i.test(name) ? 'project' : label
}

/** What a VM is called by its project; not always the only one of that name. */
export const sshNameOf = (vm: { name: string }, project: { name: string }): string =>
  `${hostnameOf(vm.name)}.${projectLabelOf(project.name)}`

/**
 * What to call a VM by: its name, or its id when another VM of its owner would be called the same.
 *
 * @param vms the VMs of its project
 * @param projects the projects of its owner; those that are alike make the name ambiguous
 */
export function sshUserOf(
  vm: Named,
  project: Named,
  { vms, projects }: { vms: readonly Named[]; projects: readonly Named[] },
): string {
  const label = hostnameOf(vm.name)
  const twin = vms.some((other) => other.id !== vm.id && hostnameOf(other.name) === label)
  const projectLabel = projectLabelOf(project.name)
  const twinProject = projects.some(
    (other) => other.id !== project.id && projectLabelOf(other.name) === projectLabel,
  )
  return twin || twinProject ? vm.id : sshNameOf(vm, project)
}

/** The command that opens a root shell from anywhere the console can be reached. */
export const gatewayCommand = (user: string, gateway: { host: string; port: number }): string =>
  `ssh ${user}@${gateway.host} -p ${gateway.port}`

/** Whether an address means the machine itself: what it says is of use there only. */
export const isLoopback = (host: string): boolean =>
  /^((.*\.)?localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)

const proofPrefix = 'prove-'

/** The user name by which a sign-in proves a key; no VM is called so, as their names have a dot. */
export const proofUserOf = (code: string): string => `${proofPrefix}${code}`

/** The code in such a user name; null when it is another name. */
export const proofCodeIn = (user: string): string | null =>
  user.toLowerCase().startsWith(proofPrefix) && !user.includes('.')
    ? user.toLowerCase().slice(proofPrefix.length)
    : null
