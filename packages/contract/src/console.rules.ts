import { type Limits, unlessLimited } from './host.rules.ts'

export const consoleNoteNames = ['started', 'resumed', 'rebooted', 'suspended', 'ended', 'crashed'] as const
export type ConsoleNote = (typeof consoleNoteNames)[number]

/** What happened to a machine, shown in its console between the lines it printed. */
export const consoleNotes: Record<ConsoleNote, string> = {
  started: 'The VM started',
  resumed: 'The VM resumed from its saved memory',
  rebooted: 'The guest restarted itself',
  suspended: 'The VM was suspended',
  ended: 'The VM is off',
  crashed: 'The VM crashed',
}

/** Why a console closes (RFC 6455, section 7.4.1). */
export const consoleCloses = {
  /** The guest ended; there is more after its next start. */
  ended: 1000,
  /** The server is shutting down; connect again later. */
  away: 1001,
  /** The session ended, or the VM is no longer the user's. */
  refused: 1008,
  /** Too many viewers on this console. */
  full: 1013,
} as const

/** The server sends at least one message this often, in milliseconds. */
export const consoleBeatMs = 5_000

/** How many viewers one console may have. */
export const viewersPerConsole = 100

/** What a viewer gets first without an offset. */
export const consoleTailBytes = 64 * 1024

/** The largest terminal accepted. */
export const terminalLimits = { cols: 500, rows: 300 } as const

/** Whether screens can be shown here, of VMs that have one: `true`, or the sentence that says why not. */
export const screenAllowed = (cannot: Pick<Limits, 'screens'>): true | string => unlessLimited(cannot.screens)
