/**
 * What the JSON files of this engine have to look like at least. They are our own, but a disk that fails, a hand that
 * slips or a foreign backup can change them; what does not fit is unreadable, and never used or removed.
 */

import { z } from 'zod'
import type { ConsoleIndex } from '../console/console-logs.ts'
import type { Shape } from './durable.ts'
import type { MachineManifest, MachineRecord, Prepared, RunRecord, Swap, VolumeManifest } from './records.ts'

const shapeOf =
  <T>(schema: z.ZodType): Shape<T> =>
  (value): value is T =>
    schema.safeParse(value).success

const image = z.looseObject({
  disk: z.string(),
  lower: z.string().optional(),
  kernel: z.string().optional(),
  initrd: z.string().optional(),
  cmdline: z.string().optional(),
  rootBytes: z.number().optional(),
})
const places = z.array(z.looseObject({ id: z.string(), port: z.number() }))
const added = z.looseObject({ cpus: z.number(), memoryMb: z.array(z.number()) }).optional()
const fit = z.looseObject({
  shape: z.number(),
  qemu: z.string(),
  added,
  volumes: places,
  address: z.string().optional(),
})
const consistency = z.enum(['clean', 'memory', 'frozen', 'crash'])

const record = z.looseObject({
  spec: z.looseObject({
    id: z.string(),
    hostname: z.string(),
    cpu: z.number(),
    memoryMb: z.number(),
    rootBytes: z.number().optional(),
    imageId: z.string(),
    sshPublicKeys: z.array(z.string()),
    volumeIds: z.array(z.string()),
    persistent: z.boolean(),
  }),
  address: z.looseObject({ ip: z.string(), port: z.number() }),
  image,
  // Machines of early versions have neither.
  volumes: places.optional(),
  restored: z
    .looseObject({
      memory: fit.nullable(),
      suspended: z.looseObject({ run: z.string(), sha256: z.string() }).optional(),
      sha256: z.string().optional(),
      moved: z.boolean().optional(),
      copied: z.boolean().optional(),
    })
    .nullish(),
  fresh: z.boolean().optional(),
  scripted: z.boolean().optional(),
})

const manifest = z.looseObject({
  imageId: z.string(),
  image,
  volumeIds: z.array(z.string()),
  consistency,
  memory: z.looseObject({ fit, bytes: z.number(), sha256: z.string().optional() }).nullable(),
  storedBytes: z.number(),
})

const prepared = z.looseObject({
  snapshotId: z.string(),
  snapshot: manifest,
  volumeIds: z.array(z.string()),
})

/** A machine's record as a file has it. */
export type KeptRecord = Omit<MachineRecord, 'volumes' | 'restored'> & Partial<MachineRecord>

export const isRecord: Shape<KeptRecord> = shapeOf(record)
export const isRun: Shape<RunRecord> = shapeOf(
  z.looseObject({
    run: z.string(),
    shape: z.number(),
    bootId: z.string(),
    startedAt: z.number(),
    user: z.number().optional(),
    added,
    plug: z
      .looseObject({
        tap: z.string(),
        mac: z.string(),
        ip: z.string(),
        domain: z.string().optional(),
        reach: z.enum(['route', 'door']).optional(),
      })
      .optional(),
    warm: z.looseObject({ renewed: z.boolean() }).optional(),
    copy: z.looseObject({ renewed: z.boolean() }).optional(),
  }),
)
export const isMark: Shape<string> = shapeOf(z.string())
export const isMachineManifest: Shape<MachineManifest> = shapeOf(manifest)
export const isVolumeManifest: Shape<VolumeManifest> = shapeOf(
  z.looseObject({ volumeId: z.string(), consistency, deleting: z.boolean() }),
)
export const isPrepared: Shape<Prepared> = shapeOf(prepared)
export const isSwap: Shape<Swap> = shapeOf(z.looseObject({ safetyId: z.string(), prepared, record }))
export const isConsoleIndex: Shape<ConsoleIndex> = shapeOf(
  z.looseObject({
    first: z.number(),
    notes: z.array(z.looseObject({ what: z.string(), offset: z.number(), at: z.number() })),
  }),
)
