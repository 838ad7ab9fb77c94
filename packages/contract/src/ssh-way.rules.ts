/** The ways into a VM by SSH, for the console and the command line. */

import type { AddressPlace } from './host.rules.ts'
import type { Host } from './host.ts'
import { gatewayCommand, isLoopback } from './ssh-gateway.rules.ts'
import { sshCommand } from './vm.rules.ts'
import type { Vm } from './vm.ts'

/** A way into a VM by SSH: whom to call, and the command that does it. */
export type SshWay = {
  user: string
  host: string
  port: number
  command: string
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
    user: 'root',
    host: vm.ip_address,
    port: vm.ssh_port,
    command,
    addresses,
  }
  if (!through) return [direct]
  return addresses === 'this-host' && isLoopback(consoleHost) ? [direct, through] : [through, direct]
}

function throughGateway(gateway: Gateway): SshWay {
  const command = gatewayCommand(gateway.user, gateway)
  return { kind: 'gateway', ...gateway, command, onServerOnly: isLoopback(gateway.host) }
}
