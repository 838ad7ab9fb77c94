import { z } from 'zod'
import { consoleNoteNames, terminalLimits } from './console.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { Time } from './text.ts'
import { VmParams } from './vm.ts'

/**
 * What the server says in text frames; binary frames are what the guest printed, from the offset of the last `at` on.
 * Offsets count the bytes that a machine ever printed, over all its runs.
 */
export const ConsoleSaying = z.discriminatedUnion('type', [
  /** The next byte has this offset. Comes first, and again when older output was forgotten before it could be sent. */
  z.object({ type: z.literal('at'), offset: z.int() }),
  /** What came before the offset has been sent: from now on it is live. */
  z.object({ type: z.literal('live') }),
  /** Sent before the byte at its offset. */
  z.object({ type: z.literal('note'), note: z.enum(consoleNoteNames), offset: z.int(), at: Time }),
  /** Who looks at this console now, everybody once per window. */
  z.object({
    type: z.literal('viewers'),
    viewers: z.array(z.object({ name: z.string(), you: z.boolean() })),
  }),
  /** Whether the guest also has a screen. */
  z.object({ type: z.literal('screen'), available: z.boolean() }),
  /**
   * Sent every `consoleBeatMs`, so that a connection that died unnoticed is found, and whenever the guest has accepted
   * input. `typed` counts the bytes typed over this connection that the guest has accepted.
   */
  z.object({ type: z.literal('beat'), typed: z.int() }),
])
export type ConsoleSaying = z.infer<typeof ConsoleSaying>

/** What a viewer says in text frames; binary frames are typed into the guest. */
export const ConsoleAsking = z.object({
  type: z.literal('resize'),
  cols: z.int().min(2).max(terminalLimits.cols),
  rows: z.int().min(1).max(terminalLimits.rows),
})
export type ConsoleAsking = z.infer<typeof ConsoleAsking>

const errors = {
  403: [messages.crossSite],
  404: [messages.projectNotFound, messages.vmNotFound],
  409: ['VM is not running'],
  429: [messages.tooManyConsoles],
  503: [messages.noConsoleLeft],
}

export const consoleApi = {
  open: endpoint('vm.console', {
    summary:
      'The serial console of a VM. Binary frames are its bytes in both ways; without `from` the last 64 KiB come first',
    auth: 'session',
    status: 101,
    params: VmParams,
    query: z.object({
      /** The offset to go on from: bytes before it have been seen. */
      from: z.coerce.number().int().min(0).optional(),
    }),
    answers: 'socket',
    errors,
  }),
  log: endpoint('vm.consoleLog', {
    summary: 'What the serial console of a VM printed, as far as it is kept, as a file',
    auth: 'session',
    status: 200,
    params: VmParams,
    answers: 'text',
    errors: { 404: errors[404] },
  }),
  screen: endpoint('vm.screen', {
    summary: 'The screen of a VM that has one: the RFB protocol (RFC 6143) in binary frames',
    auth: 'session',
    status: 101,
    params: VmParams,
    answers: 'socket',
    errors: {
      ...errors,
      409: ['VM is not running', 'This VM has no screen'],
      422: ['<`cannot.screens` of the host>'],
    },
  }),
}
