import { z } from 'zod'
import type { JobView } from '../lib/jobs.ts'
import type { Peers, Topic } from '../lib/peers.ts'
import type { Woken } from '../vm/vm-wake.service.ts'

/** What is asked of the reconcilers: those of the server that drives, whichever asks. */
const forDriver = [
  'kickVm',
  'hurryVm',
  'kickDisk',
  'kickVmSnapshot',
  'kickDiskSnapshot',
  /** They could not be used: there may be damage that no look sees. */
  'suspectVmSnapshot',
  'suspectDiskSnapshot',
  'kickGroup',
  'kickProject',
  'kickBin',
  'kickAccountDeletion',
  'kickBatch',
  'kickWebhook',
  'kickMails',
  /** VMs, disks and snapshots are left to be removed: their reconcilers look for them. */
  'rescanBelongings',
] as const
type ForDriver = (typeof forDriver)[number]

/** What parts of the server ask of parts that are built after them. */
export type Calls = Record<Exclude<ForDriver, 'rescanBelongings'>, (id: string) => void> & {
  rescanBelongings: () => void
  /** Tells the project's listeners what the VM is like now. */
  announceVm: (id: string) => Promise<void>
  announceJob: (job: JobView) => void
  /** Starts a suspended VM for a connection to it. */
  wakeVm: (id: string) => Promise<Woken>
  isWaking: (id: string) => boolean
}

const asked: Topic<{ of: ForDriver; id: string }> = {
  name: 'asked',
  body: z.object({ of: z.enum(forDriver), id: z.string() }),
}

/**
 * A service kicks the reconciler that looks after what it stores, and a reconciler wakes others: some of them are
 * always built later, and may be those of another server. They call each other here. Whoever builds a part connects what
 * it answers; nothing is called before `start`, when all of it is connected.
 */
export function makeCalls(options: {
  peers: Pick<Peers, 'tellOthers' | 'hear'>
  /** Whether this server drives. */
  drives: () => boolean
}): Calls & { connect: (answers: Partial<Calls>) => void } {
  const { peers, drives } = options
  const connected: Partial<Calls> = {}
  function of<K extends keyof Calls>(name: K): Calls[K] {
    const answer: Calls[K] | undefined = connected[name]
    if (!answer) throw new Error(`Nobody is connected to ${name}`)
    return answer
  }
  const ask = (name: ForDriver) => (id: string) => {
    if (drives()) of(name)(id)
    else peers.tellOthers(asked, { of: name, id })
  }
  peers.hear(asked, ({ of: name, id }) => {
    if (drives()) of(name)(id)
  })
  return {
    connect: (answers) => void Object.assign(connected, answers),
    kickVm: ask('kickVm'),
    hurryVm: ask('hurryVm'),
    kickDisk: ask('kickDisk'),
    kickVmSnapshot: ask('kickVmSnapshot'),
    suspectVmSnapshot: ask('suspectVmSnapshot'),
    suspectDiskSnapshot: ask('suspectDiskSnapshot'),
    kickDiskSnapshot: ask('kickDiskSnapshot'),
    kickGroup: ask('kickGroup'),
    kickProject: ask('kickProject'),
    kickBin: ask('kickBin'),
    kickAccountDeletion: ask('kickAccountDeletion'),
    kickBatch: ask('kickBatch'),
    kickWebhook: ask('kickWebhook'),
    kickMails: ask('kickMails'),
    rescanBelongings: () => ask('rescanBelongings')(''),
    announceVm: (id) => of('announceVm')(id),
    announceJob: (job) => of('announceJob')(job),
    wakeVm: (id) => of('wakeVm')(id),
    isWaking: (id) => of('isWaking')(id),
  }
}
