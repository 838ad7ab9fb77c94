import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { healthTexts } from './health.rules.ts'
import { Time } from './text.ts'

/** One loop that makes wishes true. Times in milliseconds; counts are since the server started unless they say so. */
export const ReconcilerHealth = z.object({
  /** What it looks after, such as `vm`. */
  name: z.string(),
  /** The last scan for what needs a look; null before the first one has ended. */
  last_scan_at: Time.nullable(),
  last_scan_ms: z.int().nullable(),
  /** Scans that failed since one succeeded. */
  scans_failed_in_a_row: z.int(),
  /** The last look that ended or was abandoned. */
  last_look_at: Time.nullable(),
  last_look_ms: z.int().nullable(),
  longest_look_ms: z.int(),
  /** How long the oldest look under way has taken so far; null when there is none. */
  oldest_look_ms: z.int().nullable(),
  /** Looks under way, and objects that wait for one. */
  working: z.int(),
  queued: z.int(),
  /** Objects whose last look failed, and the most failures in a row that one of them has. */
  failing: z.int(),
  failures_in_a_row: z.int(),
  looks: z.int(),
  failed: z.int(),
  /** Looks that did not end in time, and those of them that have not ended yet. */
  abandoned: z.int(),
  abandoned_under_way: z.int(),
  /** What went wrong last, and at which object; its id is null in a scan. It may have gone well since. */
  last_failure: z.object({ at: Time, id: z.string().nullable(), message: z.string() }).nullable(),
})
export type ReconcilerHealth = z.infer<typeof ReconcilerHealth>

export const HealthStatus = z.enum(['ok', 'degraded'])

/** How the server itself is: for operators, beside the public `host.health`, which says only that it answers. */
export const Health = z.object({
  status: HealthStatus,
  /** What is wrong and what to do about it; empty when nothing is. */
  problems: z.array(z.string()),
  /** Which of the servers drives: makes wishes true. Its reconcilers are the ones below; other servers have none. */
  driver: z.object({
    is_this_server: z.boolean(),
    /** Host name and process, as it was seen last; null when nobody drives. */
    server: z.string().nullable(),
  }),
  reconcilers: z.array(ReconcilerHealth),
  /** The last time that the use of running VMs was measured. */
  measuring: z.object({
    last_at: Time.nullable(),
    last_ms: z.int().nullable(),
    failures_in_a_row: z.int(),
  }),
  process: z.object({
    started_at: Time,
    /** How long what was due had to wait in the last one to two minutes: 99 of 100 at most, and the longest. */
    event_loop_delay_ms: z.int(),
    event_loop_delay_max_ms: z.int(),
    memory_mb: z.int(),
    /** File descriptors; null where the system does not tell. */
    open_files: z.int().nullable(),
    open_files_limit: z.int().nullable(),
    /** Errors that nothing in the server handled. */
    uncaught_errors: z.int(),
  }),
  /** The file system of the data directory; null while it cannot be read. */
  data_directory: z.object({ free_mb: z.int(), size_mb: z.int() }).nullable(),
  /**
   * Space that is set aside to stop and delete things on a full disk: all of it, what was given up, and how much has to be
   * free until the server sets that aside again, 0 while nothing is missing. Null where none is set aside.
   */
  ballast: z.object({ size_mb: z.int(), missing_mb: z.int(), needed_mb: z.int() }).nullable(),
  engine: z.object({
    kind: z.string(),
    accelerator: z.string().nullable(),
    /** How long it took to answer; null when it did not. */
    answer_ms: z.int().nullable(),
  }),
  /** Mails of all servers: how many wait and since when, how many of the last day failed, and why the last one did. */
  mails: z.object({
    waiting: z.int(),
    oldest_waiting_at: Time.nullable(),
    failed: z.int(),
    last_failure: z.string().nullable(),
  }),
  /** Backups outside the host, of the data directory of this server; null where none are configured. */
  backups: z
    .object({
      repository: z.string(),
      /** When they are made, in words; null when by hand only. */
      schedule: z.string().nullable(),
      running_since: Time.nullable(),
      next_at: Time.nullable(),
      /** The newest complete one: when it was begun and ended, its size, by how much the repository grew, and how many objects have no files in it. */
      last_good: z
        .object({
          id: z.string(),
          at: Time,
          ended_at: Time,
          bytes: z.number(),
          added_bytes: z.number(),
          left_out: z.int(),
        })
        .nullable(),
      /** The last attempt, if it failed. */
      last_failure: z.object({ at: Time, message: z.string() }).nullable(),
    })
    .nullable(),
})
export type Health = z.infer<typeof Health>

/** What VMs were given. */
export const AllocatedResources = z.object({ vms: z.int(), processors: z.int(), memory_mb: z.number() })

/** What the host has, what takes it, and when it is full. */
export const Capacity = z.object({
  /** Memory that is free for VMs, by the engine; null where it does not tell. */
  free_memory_mb: z.number().nullable(),
  /** Guests that are kept ready for VMs, and the memory that they hold until somebody needs it; null where none ever is. */
  reserve: z.object({ guests: z.int(), memory_mb: z.number() }).nullable(),
  /** Processors of the machine that the server runs on. */
  processors: z.int(),
  /** What VMs were given: those that run, and all. */
  running: AllocatedResources,
  all: AllocatedResources,
  /** The file system of the data directory; null while it cannot be read. */
  disk: z
    .object({
      free_mb: z.int(),
      size_mb: z.int(),
      /** By how much its use grows, and when it is full at that rate; null while unknown, or not within a year. */
      growth_mb_per_day: z.number().nullable(),
      full_at: Time.nullable(),
    })
    .nullable(),
  /** Sizes of data disks, which take only what is written to them, and what snapshots take. */
  stored: z.object({
    disks_bytes: z.number(),
    vm_snapshots_bytes: z.number(),
    disk_snapshots_bytes: z.number(),
  }),
  /**
   * What of `stored` is in bins, those of projects included that are in the bin whole, and how many VMs are. The room that their root
   * disks and saved memory take is not measured. `all` has none of these VMs.
   */
  in_bins: z.object({
    vms: z.int(),
    disks_bytes: z.number(),
    vm_snapshots_bytes: z.number(),
    disk_snapshots_bytes: z.number(),
  }),
})
export type Capacity = z.infer<typeof Capacity>

export const healthApi = {
  capacity: endpoint('health.capacity', {
    summary: 'What the host has, what takes it and when it is full; for those named as administrators',
    auth: 'session',
    status: 200,
    response: Capacity,
    errors: { 403: [healthTexts.refused] },
  }),
  get: endpoint('health.get', {
    summary: 'How the server is: its loops, process, disk and engine; for those named as administrators',
    auth: 'session',
    status: 200,
    response: Health,
    errors: { 403: [healthTexts.refused] },
  }),
}
