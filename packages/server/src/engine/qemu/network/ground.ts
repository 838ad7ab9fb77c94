import type { Range } from '../../../lib/address-range.ts'

/**
 * What project networks stand on: a network namespace in which all guests of a data directory live, with nothing of the
 * host in it, the way out of it, and the way in. A server that runs as root makes them in one way (`root-ground.ts`), any
 * other in another (`user-ground.ts`). What is in it stays when the server ends, as guests do, and goes with the host.
 */
export interface Ground {
  /** Where the files of the programs are that serve it. */
  readonly files: string
  /**
   * How the host gets to guests: `route`: at the addresses that they have in their networks. `door`: through the server,
   * which listens in their place (`doors.ts`).
   */
  readonly reach: 'route' | 'door'
  /** The user that name servers drop to; null where there is nobody else. */
  readonly user: string | null
  /** What leads a program into it: in front of its name and arguments. Throws while it is not there. */
  entry(): readonly string[]
  isThere(): Promise<boolean>
  make(): Promise<void>
  /** Ends what serves it and removes all there is of it. No guest may live in it. */
  remove(): Promise<void>
  /** Runs a program in it, and resolves with what it printed. */
  inside(command: string, args: readonly string[], input?: string): Promise<string>
  /** Ranges of addresses that the host has routes to, but for those that lead into it, and what others like it have. */
  takenRanges(): Promise<Range[]>
  /**
   * Sees to it that a way leads out of it. Throws a `SpaceTakenError` when somebody else took the range.
   *
   * @returns whether something was missing
   */
  ensureWayOut(space: Range): Promise<boolean>
  /**
   * Sees to it that whatever else this way out needs is in force: rules, and who forwards questions for names.
   *
   * @returns what had been removed or ended by somebody else
   */
  keepWayOut(space: Range): Promise<string[]>
  /** Whom name servers in it ask for names of the Internet, as dnsmasq reads it. */
  resolver(space: Range): string
}
