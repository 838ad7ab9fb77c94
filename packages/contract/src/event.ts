import type { Disk } from './disk.ts'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import type { Operation } from './operation.ts'
import { ProjectParams } from './project.ts'
import type { Vm } from './vm.ts'
import type { VmPool } from './vm-pool.ts'
import type { VmSet } from './vm-set.ts'
import type { VmSnapshot } from './vm-snapshot.ts'

export interface Gone {
  id: string
  deleted: true
}

/** What the stream of a project carries, by the name of the event. `deleted` ends an object. */
export interface ProjectEvents {
  vm: Vm | Gone
  disk: Disk | Gone
  vm_snapshot: VmSnapshot | Gone
  disk_snapshot: DiskSnapshot | Gone
  vm_pool: VmPool | Gone
  vm_set: VmSet | Gone
  operation: Operation | Gone
}

export const eventApi = {
  stream: endpoint('event.stream', {
    summary: 'Server-sent events: every change of an object of the project, whole',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    answers: 'events',
    errors: {
      404: [messages.projectNotFound],
      429: [messages.tooManyStreams],
      503: [messages.noStreamLeft],
    },
  }),
}
