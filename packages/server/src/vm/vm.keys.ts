/**
 * Gives the guest of a VM its SSH key: a job beside the looks talks to the guest. One that cannot be given it now is asked again
 * from time to time, as its agent may be busy, or come later.
 */
import type { SshKeyDue } from '@slipway/contract'
import type { Engine, KeysGiven } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import type { VmJobs } from './vm.jobs.ts'
import type { VmRecord } from './vm.state.ts'
import type { StoreVm } from './vm.store.ts'

export interface VmKeysOptions {
  engine: Pick<Engine, 'changeKeys'>
  jobs: VmJobs
  store: StoreVm
  /** OpenSSH public keys by which Slipway itself gets into every guest. */
  ownKeys: readonly string[]
  /** Looks at a VM soon. */
  wake: (vmId: string) => void
  clock: Clock
  log: Log
}

/** A guest that has just booted may answer on port 22 long before its agent does. */
const agentComesMs = 60_000
const askAgainMs = { whileItComes: 2_000, later: 60_000 } as const

const dueOf: Record<KeysGiven, SshKeyDue | null> = {
  taken: null,
  'next-start': 'next_start',
  'by-hand': 'by_hand',
}

/** What came of it, for which key, in which run. */
type Given = { keyId: string; run: string | null; how: KeysGiven }

const jobIdOf = (vmId: string): string => `keys ${vmId}`

export function makeVmKeys({ engine, jobs, store, ownKeys, wake, clock, log }: VmKeysOptions) {
  const keysOf = ({ sshPublicKey, formerSshKeys }: VmRecord) => ({
    sshPublicKeys: [sshPublicKey, ...ownKeys],
    ...(formerSshKeys.length > 0 && { formerSshPublicKeys: [...formerSshKeys] }),
  })

  /** Begins to give a living guest the key that it lacks, or takes the outcome. */
  async function give(vm: VmRecord, run: string | null): Promise<Again> {
    const id = jobIdOf(vm.id)
    const job = jobs.find(id)
    if (!job) await startJob(vm, run)
    if (job?.state !== 'settled') return 'when-kicked'
    const outcome = jobs.peek<Given>(id)
    const isYoung = clock.now() - vm.statusSince < agentComesMs
    const again = { afterMs: isYoung ? askAgainMs.whileItComes : askAgainMs.later }
    if (!outcome?.ok) {
      log.warn({ vm: vm.id, err: outcome?.error }, 'a guest could not be given its SSH key')
      jobs.forget(id)
      return again
    }
    const { keyId, how } = outcome.value
    const due = dueOf[how]
    // The key may have been changed once more meanwhile, or the disks of another guest.
    const isOfNow = keyId === vm.sshKeyId && outcome.value.run === run
    if (isOfNow && due !== vm.sshKeyDue && (due === null || !isYoung))
      await store(vm, (current) => (current.sshKeyId === keyId ? { sshKeyDue: due } : {}))
    jobs.forget(id)
    if (!isOfNow) return 'now'
    return due === null ? 'when-kicked' : again
  }

  async function startJob(vm: VmRecord, run: string | null): Promise<void> {
    const { id: vmId, sshKeyId } = vm
    jobs.start<Given>({
      id: jobIdOf(vmId),
      // Not shown as an operation: it ends within seconds.
      kind: 'plug',
      subject: await jobs.subjectOf(vm, 'vm.update'),
      run: async () => ({ keyId: sshKeyId, run, how: await engine.changeKeys(vmId, keysOf(vm)) }),
      onSettled: () => wake(vmId),
    })
  }

  return { keysOf, give, forget: (vmId: string) => jobs.forget(jobIdOf(vmId)) }
}
