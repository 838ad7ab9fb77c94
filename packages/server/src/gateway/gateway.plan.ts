import { gatewayCommand, hostnameOf, projectLabelOf, vmCan } from '@slipway/contract'

/** A VM that a key may lead to, with what is told of it. */
export interface Candidate {
  id: string
  name: string
  projectName: string
  accountId: string
  status: string
  statusMessage: string | null
  ip: string | null
}

type Choice =
  | { to: 'nobody' }
  | { to: 'vm'; accountId: string; vmId: string; called: string }
  | { to: 'word'; accountIds: string[]; text: string }

/** How the gateway is called, for the commands it tells. */
export interface Called {
  host: string
  port: number
}

/** The login name that leads on to VMs; no VM is called so, as their names have a dot. */
export const jumpName = 'jump'

export const jumpText = (gateway: Called) =>
  `The user name ${jumpName} is a jump host for VMs:\n` +
  `ssh -J ${jumpName}@${gateway.host}:${gateway.port} root@<vm>.<project>\n` +
  `To open a shell, name a VM:\n${gatewayCommand('<vm>.<project>', gateway)}`

/** For somebody who has the private key; whoever else stored it is not named. */
export const unprovenText =
  'This SSH key is stored in more than one account, and none of them has proven that it is theirs. ' +
  'Choose Prove Key on the SSH Keys page of the web console, then try again.'

export const noProofText =
  'This command does not prove this SSH key: it was used, replaced or has expired, or it is for another key. ' +
  'Choose Prove Key on the SSH Keys page of the web console for a new one.'

/** Names the account: somebody who was talked into this finds out. */
export const provenText = ({ name, email }: { name: string; email: string }): string =>
  `SSH key ${plain(name)} is proven for the account ${plain(email)}.\n` +
  'If this is not your account, tell the operator of this server: somebody else can now be taken for you.'

/** The id that a name is, or null; ids are UUIDs. */
export const vmIdIn = (name: string): string | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name) ? name.toLowerCase() : null

/** Which of the VMs that a key may enter is meant by a name, and whether it can be entered now. */
export function choose(name: string, vms: readonly Candidate[], gateway: Called): Choice {
  const [label, projectLabel, ...rest] = name.toLowerCase().split('.')
  const id = vmIdIn(name)
  const meant = vms.filter((vm) =>
    id === null
      ? rest.length === 0 && hostnameOf(vm.name) === label && projectLabelOf(vm.projectName) === projectLabel
      : vm.id === id,
  )
  const [vm, ...others] = meant
  if (!vm) return { to: 'nobody' }
  if (others.length > 0) {
    const commands = meant.map(
      (one) =>
        `${gatewayCommand(one.id, gateway)}  # VM ${plain(one.name)} in project ${plain(one.projectName)}, ${one.status}`,
    )
    const accountIds = [...new Set(meant.map((one) => one.accountId))]
    return {
      to: 'word',
      accountIds,
      text: `${meant.length} VMs are called ${name}. Use one of these:\n${commands.join('\n')}`,
    }
  }
  const called = `VM ${plain(vm.name)}`
  // One that is suspended is started by the connection, which waits for it.
  if (vm.status !== 'suspending' && vmCan.ssh({ status: vm.status, ip_address: vm.ip }) !== true)
    return { to: 'word', accountIds: [vm.accountId], text: whyNot(called, vm) }
  return { to: 'vm', accountId: vm.accountId, vmId: vm.id, called }
}

function whyNot(called: string, { status, statusMessage }: Candidate): string {
  const said = statusMessage ? ` ${plain(statusMessage)}` : ''
  switch (status) {
    case 'stopped':
      return `${called} is stopped.${said} Start it in the web console, then try again.`
    case 'stopping':
      return `${called} is stopping.${said} When it has stopped, start it again.`
    case 'running':
      return `${called} is running, but has no address yet. Try again in a moment.`
    case 'failed':
    case 'error':
      // What it says of itself has the way out in it.
      return `${called} is ${status === 'error' ? 'in error' : 'failed'}.${said || ' Its page says why.'}`
    default:
      return `${called} is ${status}.${said} Try again when it is running.`
  }
}

/** Without what a terminal would obey. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')
