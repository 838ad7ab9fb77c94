/**
 * What goes between a server and a recorder: one WebSocket for each console that somebody looks at. Texts are JSON; bytes
 * go as they are, behind the number of the question they belong to.
 */
import { z } from 'zod'
import type { MachineNote } from '../engine.ts'

export const consolePath = (machineId: string): string => `/consoles/${encodeURIComponent(machineId)}`

/** What a server asks. It types by sending bytes. */
export const Asking = z.strictObject({
  id: z.number().int().nonnegative(),
  read: z.strictObject({ from: z.number().int().nonnegative(), max: z.number().int().positive() }),
})
export type Asking = z.infer<typeof Asking>

/** What it is told: how the console is now (notes only when they changed), and whether what was typed was taken. */
export const Telling = z.union([
  z.strictObject({
    extent: z.strictObject({ first: z.number(), end: z.number() }),
    notes: z.custom<readonly MachineNote[]>(Array.isArray).optional(),
  }),
  z.strictObject({ id: z.number(), taken: z.boolean() }),
])
export type Telling = z.infer<typeof Telling>

/** Bytes in one message; who wants more asks again. */
export const mostReadBytes = 256 * 1024
export const mostTypedBytes = 64 * 1024
/** A line whose other end is gone without a word shows that in this time. */
export const keepAliveMs = 30_000

const headBytes = 4

export function withId(id: number, bytes: Buffer): Buffer {
  const message = Buffer.allocUnsafe(headBytes + bytes.length)
  message.writeUInt32BE(id)
  bytes.copy(message, headBytes)
  return message
}

/** Null for what is too short to be one. */
export const apart = (message: Buffer): { id: number; bytes: Buffer } | null =>
  message.length < headBytes ? null : { id: message.readUInt32BE(), bytes: message.subarray(headBytes) }

/** A text as what it has to be; null for anything else. */
export function understood<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
