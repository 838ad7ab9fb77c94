export const consoleNoteNames = ['started', 'resumed', 'rebooted', 'ended', 'crashed'] as const
export type ConsoleNote = (typeof consoleNoteNames)[number]

/** What happened to a machine, told in its console between the bytes it printed. */
export const consoleNotes: Record<ConsoleNote, string> = {
  started: 'The VM started',
  resumed: 'The VM resumed from its saved memory',
  rebooted: 'The guest restarted itself',
  ended: 'The VM is off',
  crashed: 'The VM crashed',
}

/** Why a console closes (RFC 6455, section 7.4.1). */
export const consoleCloses = {
  /** The guest ended; there is more after its next start. */
  ended: 1000,
  /** The server is stopping; it comes back. */
  away: 1001,
  /** The session ended, or the VM is no longer the user's. */
  refused: 1008,
  /** Too many viewers on this console. */
  full: 1013,
} as const

/** How many may look at one console. */
export const viewersPerConsole = 100

/** What somebody who opens a console without naming a place sees first. */
export const consoleTailBytes = 64 * 1024

/** A terminal that is larger than this is none. */
export const terminalLimits = { cols: 500, rows: 300 } as const
