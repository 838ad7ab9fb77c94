import {
  type AddressPlace,
  gatewayCommand,
  type Host,
  isLoopback,
  sshCommand,
  type Vm,
} from '@slipway/contract'

/** A way into a VM by SSH. */
export type SshWay = {
  command: string
  /** More one can do that way, with the names of what to replace in capitals. */
  more: readonly { label: string; command: string }[]
} & (
  | {
      kind: 'gateway'
      /** Its host means the server's own machine: elsewhere it leads nowhere. */
      onServerOnly: boolean
    }
  | { kind: 'direct'; addresses: AddressPlace }
)

interface Gateway {
  user: string
  host: string
  port: number
}

/** Where the gateway is for whoever looks at the console under `consoleHost`; null when there is none from there. */
export function gatewayOf(
  host: Pick<Host, 'ssh_gateway'> | undefined,
  user: string,
  consoleHost: string,
): Gateway | null {
  const gateway = host?.ssh_gateway
  return gateway && (!gateway.local_only || isLoopback(consoleHost))
    ? { user, host: gateway.host ?? consoleHost, port: gateway.port }
    : null
}

/**
 * The ways into a VM, the one to take first. Addresses of VMs answer on the server's own machine only, or only inside the
 * cluster: who looks at the console from elsewhere is led through the gateway, by the name of the VM.
 */
export function sshWays(
  vm: Pick<Vm, 'status' | 'ip_address' | 'ssh_port'>,
  gateway: Gateway | null,
  { addresses, consoleHost }: { addresses: AddressPlace; consoleHost: string },
): SshWay[] {
  const through = gateway && throughGateway(gateway)
  // It has no address, but a connection by its name starts it.
  if (vm.status === 'suspended') return through ? [through] : []
  const command = sshCommand(vm)
  if (!vm.ip_address || !command) return []
  const direct: SshWay = {
    kind: 'direct',
    command,
    more: moreOf('root', vm.ip_address, vm.ssh_port),
    addresses,
  }
  if (!through) return [direct]
  return addresses === 'this-host' && isLoopback(consoleHost) ? [direct, through] : [through, direct]
}

function throughGateway(gateway: Gateway): SshWay {
  const { user, host, port } = gateway
  return {
    kind: 'gateway',
    command: gatewayCommand(user, gateway),
    more: [
      ...moreOf(user, host, port),
      { label: 'Jump through the console', command: `ssh -J jump@${host}:${port} root@${user}` },
    ],
    onServerOnly: isLoopback(host),
  }
}

function moreOf(user: string, host: string, port: number): SshWay['more'] {
  const option = port === 22 ? '' : `-P ${port} `
  // A colon ends a host, so an IPv6 address stands in brackets.
  const target = `${user}@${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`
  return [
    { label: 'Copy a file to the VM', command: `scp ${option}FILE ${target}:` },
    { label: 'Copy a file from the VM', command: `scp ${option}${target}:FILE .` },
    { label: 'Look through its files', command: `sftp ${option}${target}` },
    {
      label: 'Reach port 8080 of the VM',
      command: `ssh -L 8080:localhost:8080 ${user}@${host}${port === 22 ? '' : ` -p ${port}`}`,
    },
  ]
}
