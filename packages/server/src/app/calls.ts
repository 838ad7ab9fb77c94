import type { JobView } from '../lib/jobs.ts'

/** What parts of the server ask of parts that are built after them. */
export interface Calls {
  kickVm: (id: string) => void
  hurryVm: (id: string) => void
  kickDisk: (id: string) => void
  kickVmSnapshot: (id: string) => void
  kickDiskSnapshot: (id: string) => void
  kickGroup: (id: string) => void
  /** Disks and snapshots are left to be removed: their reconcilers look for them. */
  rescanStorage: () => void
  /** Tells the project's listeners what the VM is like now. */
  announceVm: (id: string) => Promise<void>
  announceJob: (job: JobView) => void
}

/**
 * A service kicks the reconciler that looks after what it stores, and a reconciler wakes others: some of them are
 * always built later. They call each other here. Whoever builds a part connects what it answers; nothing is called
 * before `start`, when all of it is connected.
 */
export function makeCalls(): Calls & { connect: (answers: Partial<Calls>) => void } {
  const connected: Partial<Calls> = {}
  function of<K extends keyof Calls>(name: K): Calls[K] {
    const answer: Calls[K] | undefined = connected[name]
    if (!answer) throw new Error(`Nobody is connected to ${name}`)
    return answer
  }
  return {
    connect: (answers) => void Object.assign(connected, answers),
    kickVm: (id) => of('kickVm')(id),
    hurryVm: (id) => of('hurryVm')(id),
    kickDisk: (id) => of('kickDisk')(id),
    kickVmSnapshot: (id) => of('kickVmSnapshot')(id),
    kickDiskSnapshot: (id) => of('kickDiskSnapshot')(id),
    kickGroup: (id) => of('kickGroup')(id),
    rescanStorage: () => of('rescanStorage')(),
    announceVm: (id) => of('announceVm')(id),
    announceJob: (job) => of('announceJob')(job),
  }
}
