/** The table of faults: how often each is dealt, where it can be, and what it does to the server or its host. */
import { ofClock } from './faults/clock.ts'
import { ofDisk } from './faults/disk.ts'
import type { Fault } from './faults/fault.ts'
import { ofGuests } from './faults/guests.ts'
import { ofMemory } from './faults/memory.ts'
import { ofServer } from './faults/server.ts'

export const faults: readonly Fault[] = [...ofServer, ...ofDisk, ...ofClock, ...ofMemory, ...ofGuests]
