/** The table of faults: how often each is dealt, where it can be, and what it does to the server or its host. */
import type { Random } from '@slipway/e2e/random'
import { ofClock } from './faults/clock.ts'
import { ofDisk } from './faults/disk.ts'
import type { Fault, Field } from './faults/fault.ts'
import { ofGuests } from './faults/guests.ts'
import { ofListeners } from './faults/listeners.ts'
import { ofMemory } from './faults/memory.ts'
import { ofServer } from './faults/server.ts'
import { ofServers } from './faults/servers.ts'
import { ofTenants, ofTenantsWithGuests } from './faults/tenants.ts'
import type { Fleet } from './fleet.ts'
import type { Host, OneServer } from './host.ts'

const ofOneServer: readonly Fault<OneServer>[] = [
  ...ofServer,
  ...ofListeners,
  ...ofDisk,
  ...ofClock,
  ...ofMemory,
  ...ofGuests,
  ...ofTenants,
  ...ofTenantsWithGuests,
]
const ofSeveral: readonly Fault<Fleet>[] = [...ofServers, ...ofListeners, ...ofTenants]

/** A fault of the host that it was asked for. */
export interface Dealt {
  name: string
  weight: number
  harsh: boolean
  /** Whether errors in the logs are explained by it. */
  logged: boolean
  /** Why it cannot be dealt there; null when it can. */
  missing: string | null
  deal: (random: Random, field: Field) => Promise<void>
}

export type AnyHost = OneServer | Fleet

/** All faults that concern a host of that kind and engine. */
export const faultsOf = (host: AnyHost): Dealt[] =>
  host.kind === 'one' ? bind(ofOneServer, host) : bind(ofSeveral, host)

const bind = <H extends Host>(faults: readonly Fault<H>[], host: H): Dealt[] =>
  faults
    .filter(({ engines }) => engines.includes(host.engine))
    .map(({ name, weight, harsh, logged = harsh, missing, deal }) => ({
      name,
      weight,
      harsh,
      logged,
      missing: missing?.(host) ?? null,
      deal: (random, field) => deal(host, random, field),
    }))
