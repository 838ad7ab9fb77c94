import { randomBytes, randomUUID } from 'node:crypto'
import { aroundOf } from '../network/space.ts'
import type { KeptSpec, RunRecord } from '../records.ts'
import { forPrintf, type HostKey, makeHostKey } from './host-key.ts'

/** Who a guest becomes that goes on from the memory of another one. */
export interface Identity {
  spec: Pick<KeptSpec, 'id' | 'hostname' | 'sshPublicKeys'>
  network: GuestAddress
  /** Of the same machine at another boot; null where the guest has drawn none yet. */
  bootId: string | null
}

export interface GuestAddress {
  /** Null for the one it has. */
  mac: string | null
  ip: string
  netmask: string
  prefix: number
  gateway: string
  resolver: string
  /** What short names are completed with. */
  domain: string | null
}

/** As many as the kernel's pool of random numbers holds, twice. */
const RANDOM_BYTES = 64

/** What QEMU's own network gives to its one guest. QEMU manual, "Using the user mode network stack". */
const ALONE: GuestAddress = {
  mac: null,
  ip: '10.0.2.15',
  netmask: '255.255.255.0',
  prefix: 24,
  gateway: '10.0.2.2',
  resolver: '10.0.2.3',
  domain: null,
}

/** The address of a guest in one run: what the network would tell it if it asked. */
export function addressOf({ plug }: Pick<RunRecord, 'plug'>): GuestAddress {
  if (!plug) return ALONE
  const { range, gateway, netmask } = aroundOf(plug.ip)
  const { mac, ip, domain = null } = plug
  return { mac, ip, netmask, prefix: range.prefix, gateway, resolver: gateway, domain }
}

/**
 * All that makes a guest the machine it is, as one text that its shell reads: a variable a line. What nobody else has is
 * made here, at each call.
 */
export function identityText(
  { spec, network, bootId }: Identity,
  hostKey: HostKey = makeHostKey(`root@${spec.hostname}`),
): string {
  const { mac, ip, netmask, prefix, gateway, resolver, domain } = network
  const values = {
    random: randomBytes(RANDOM_BYTES).toString('hex'),
    now: String(Math.round(Date.now() / 1000)),
    instance: spec.id,
    name: spec.hostname,
    machine_id: randomUUID().replaceAll('-', ''),
    boot_id: bootId ?? '',
    keys: spec.sshPublicKeys.map((key) => `${key.trim()}\n`).join(''),
    dropbear_key: forPrintf(hostKey.dropbear),
    openssh_key: hostKey.openssh,
    mac: mac ?? '',
    ip,
    netmask,
    prefix: String(prefix),
    gateway,
    resolver,
    domain: domain ?? '',
  }
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('')
}

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll('\0', '').replaceAll("'", "'\\''")}'`
