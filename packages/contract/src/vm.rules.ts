import { type Limits, unlessLimited } from './host.rules.ts'

/** Said of what takes a running VM. */
export const notRunning = 'VM is not running'

/** Said of what would delete a VM that is protected against it. */
export const deleteProtected = 'This VM is protected against deletion. Turn its protection off first.'

/** The eleven words of the wire; the server never sends another. */
export const vmStatuses = [
  'pending',
  'creating',
  'provisioning',
  'starting',
  'running',
  'suspending',
  'suspended',
  'stopping',
  'stopped',
  'failed',
  'error',
] as const

/**
 * What happens while a VM comes up, in this order. A VM that starts again skips the first ones; one that was suspended
 * resumes, and boots only when it cannot; one whose first start went on from a frozen guest started warm, and did not
 * boot. One that is made of a VM snapshot is a copy, which resumes where the snapshot has memory.
 */
export const vmStepNames = [
  'image',
  'disks',
  'copy',
  'turn',
  'room',
  'root_disk',
  'resume',
  'warm',
  'boot',
  'ready',
] as const

type WithStatus = { status: string }
type WithAddress = { ip_address: string | null }

const coming = ['pending', 'creating', 'provisioning', 'starting'] as const
const transitional: readonly string[] = [...coming, 'suspending', 'stopping']

/** Whether the status will change by itself; lists poll while any VM is in such a status. */
export function isTransitional(vm: WithStatus): boolean {
  return transitional.includes(vm.status.toLowerCase())
}

/** Whether a VM can be suspended here at all: `true`, or the sentence that says why not. */
export const suspendAllowed = (cannot: Pick<Limits, 'suspend'>): true | string =>
  unlessLimited(cannot.suspend)

/** Whether VMs can be copied here at all: `true`, or the sentence that says why not. */
export const copiesAllowed = (cannot: Pick<Limits, 'copies'>): true | string => unlessLimited(cannot.copies)

/** Whether the VM is on its way up; the dashboard and the VM list count these as starting or provisioning. */
export function isComing(vm: WithStatus): boolean {
  return (coming as readonly string[]).includes(vm.status.toLowerCase())
}

function allow(verb: string, statuses: readonly (typeof vmStatuses)[number][]) {
  return (vm: WithStatus): true | string => {
    const status = vm.status.toLowerCase()
    return (statuses as readonly string[]).includes(status) || `VM cannot be ${verb} while it is ${status}`
  }
}

/**
 * What may be done to a VM now: `true`, or the sentence that says why not. The server answers 409 with it and
 * the console shows it beside the disabled button (state machine SM-3).
 */
export const vmCan = {
  start: allow('started', ['suspended', 'stopped', 'error']),
  /** Of a suspended VM either discards the saved memory. */
  stop: allow('stopped', ['running', 'suspending', 'suspended', 'stopping']),
  forceStop: allow('stopped', ['provisioning', 'starting', 'running', 'suspending', 'suspended', 'stopping']),
  suspend: allow('suspended', ['running']),
  restart: allow('restarted', ['running']),
  /** Take a snapshot of it. */
  snapshot: (vm: WithStatus): true | string =>
    ['running', 'stopped'].includes(vm.status.toLowerCase()) ||
    'VM must be running or stopped to create a snapshot',
  /** Make copies of it. */
  fork: allow('forked', ['running', 'stopped']),
  restore: allow('restored', ['running', 'stopped', 'error']),
  console: (vm: WithStatus): true | string =>
    ['provisioning', 'starting', 'running', 'suspending', 'stopping'].includes(vm.status.toLowerCase()) ||
    (vm.status.toLowerCase() === 'suspended' ? 'VM is suspended' : notRunning),
  /** Begin anew to count how long it was not used. */
  keepAwake: (vm: WithStatus): true | string => vm.status.toLowerCase() === 'running' || notRunning,
  /** A suspended VM is started by a connection by name. */
  ssh: (vm: WithStatus & WithAddress): true | string => {
    const status = vm.status.toLowerCase()
    if (status === 'suspended' || (status === 'running' && vm.ip_address !== null)) return true
    return status === 'failed'
      ? 'A failed VM has no address.'
      : 'The VM has no address yet. It is assigned one when it runs.'
  },
  /** Unless it is protected, in every status. */
  remove: (vm: { delete_protection: boolean }): true | string => !vm.delete_protection || deleteProtected,
  /** In every status, but only within a selected project. */
  delete: (project: object | null): true | string => project !== null || 'No project selected',
}

export interface VmSummary<V> {
  total: number
  running: number
  suspended: number
  stopped: number
  starting: number
  vms: V[]
}

/** Counts of a project's VMs. Failed, broken and stopping ones are in the total only (catalogue G-021). */
export function summarizeVms<V extends WithStatus>(vms: V[]): VmSummary<V> {
  const is = (word: string) => vms.filter((vm) => vm.status.toLowerCase() === word).length
  return {
    total: vms.length,
    running: is('running'),
    suspended: is('suspended'),
    stopped: is('stopped'),
    starting: vms.filter(isComing).length,
    vms,
  }
}

/** What of a VM says whose member it is. */
export interface WithGroup {
  vmpool_id: string | null
  vmset_id: string | null
}

/** Whether a VM belongs to a pool or set. */
export const isMember = (vm: WithGroup): boolean => vm.vmpool_id !== null || vm.vmset_id !== null

/** `Active` when the VM runs and has an address (catalogue G-012). */
export function networkOf(vm: WithStatus & WithAddress): 'Active' | 'Inactive' {
  return vm.status.toLowerCase() === 'running' && vm.ip_address ? 'Active' : 'Inactive'
}

/** The command that opens a root shell; null until there is an address. */
export function sshCommand(vm: WithAddress & { ssh_port: number }): string | null {
  if (!vm.ip_address) return null
  return vm.ssh_port === 22 ? `ssh root@${vm.ip_address}` : `ssh -p ${vm.ssh_port} root@${vm.ip_address}`
}

/** The guest's host name: a slug of the VM's name, valid by RFC 1123; `vm` when nothing is left. */
export function hostnameOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
    .replace(/-+$/, '')
  return slug || 'vm'
}
