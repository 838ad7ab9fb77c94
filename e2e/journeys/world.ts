/** Where a journey takes place: a server with the engine that really runs guests, and a way to see what is really there. */
import type { Server } from '../server.ts'
import type { Owner } from './owner.ts'
import type { Belongings } from './storage.ts'

export interface World {
  dataDir: string
  /** Starts the server; a further call, after it was killed, is a restart. */
  start: (settings?: Record<string, string>) => Promise<Server>
  /** What the engine runs, whatever the server believes. */
  guests: () => Promise<Guest[]>
  /** What is there of VMs, disks and snapshots and belongs to none of those that somebody has, by the engine's names. */
  left: (had?: Belongings) => Promise<string[]>
  /** The same when nobody has a project any more; what is there of boot images stays. */
  leftOfProjects: () => Promise<string[]>
  /** Ends a guest as a crash would. */
  crash: (machineId: string) => Promise<void>
  /** A VM without persistent storage whose guest crashes starts anew: its engine cannot tell that from a reboot. */
  crashIsReboot: boolean
  /**
   * Null where guests really run, else why they are not asked for what only these can tell: bytes, SSH, processors at
   * work.
   */
  played: string | null
  /**
   * Sees to it that whoever opens the console of a VM that runs finds a shell; what it prints then. Null where guests are
   * played and nobody said how one gets a shell.
   */
  openShell: (owner: Owner, vmId: string) => Promise<string | null>
  /** The last resort after a test, passed or not: nothing of it is left. */
  close: () => Promise<void>
}

/** Commands for guests, and what they print: both are null where guests are played. */
export function shellsOf({ played }: World, run: (vmId: string, command: string) => Promise<string>) {
  return {
    inGuest: async (vmId: string, command: string) => (played === null ? run(vmId, command) : null),
    printed: <T>(text: T) => (played === null ? text : null),
  }
}

export interface Guest {
  machineId: string
  /** This run of it. */
  run: string
}
