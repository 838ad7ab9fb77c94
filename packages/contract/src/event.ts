import { z } from 'zod'
import type { Batch } from './batch.ts'
import type { BinItem } from './bin.ts'
import type { Disk } from './disk.ts'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import type { Operation } from './operation.ts'
import { type Project, ProjectParams } from './project.ts'
import type { Share } from './share.ts'
import type { Vm } from './vm.ts'
import type { VmPool } from './vm-pool.ts'
import type { VmSet } from './vm-set.ts'
import type { VmSnapshot } from './vm-snapshot.ts'

export interface Gone {
  id: string
  project_id: string
  deleted: true
}

/** The objects that event streams carry, by the name of the event. `deleted` ends an object. */
export interface ObjectEvents {
  project: Project | Gone
  vm: Vm | Gone
  disk: Disk | Gone
  vm_snapshot: VmSnapshot | Gone
  disk_snapshot: DiskSnapshot | Gone
  vm_pool: VmPool | Gone
  vm_set: VmSet | Gone
  share: Share | Gone
  operation: Operation | Gone
  batch: Batch | Gone
  bin_item: BinItem | Gone
}

/** What a stream says of itself. */
export interface StreamEvents {
  /**
   * The first event, and another one whenever the server could not say what changed. `replayed`: everything that
   * changed since the revision the stream was opened with follows. Otherwise the lists have to be fetched again.
   */
  hello: { revision: string; replayed: boolean }
  /** Every 15 seconds: the stream is alive, and everything up to this revision was sent. */
  beat: { revision: string }
}

const StreamQuery = z.object({
  /** Send what changed after this revision. The header `Last-Event-ID` says the same, and wins. */
  after: z.string().max(100).optional(),
  /** The id of the user that the page shows; the session of another user is refused. */
  account: z.string().max(100).optional(),
})

const limits = { 429: [messages.tooManyStreams], 503: [messages.noStreamLeft] }

export const eventApi = {
  streamAll: endpoint('event.streamAll', {
    summary: "Server-sent events: every change of the user's projects and of their objects, whole",
    auth: 'session',
    status: 200,
    query: StreamQuery,
    answers: 'events',
    errors: limits,
  }),
  stream: endpoint('event.stream', {
    summary: 'Server-sent events: every change of an object of the project, whole',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: StreamQuery,
    answers: 'events',
    errors: { 404: [messages.projectNotFound], ...limits },
  }),
}
