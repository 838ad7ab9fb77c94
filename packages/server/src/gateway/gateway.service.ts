import { proofCodeIn } from '@slipway/contract'
import type { ActivityService } from '../activity/activity.service.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { Uses } from '../lib/uses.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { Dial, Doors } from './doors.ts'
import {
  type Called,
  choose,
  jumpName,
  jumpText,
  noProofText,
  provenText,
  unprovenText,
  vmIdIn,
} from './gateway.plan.ts'
import type { GatewayRepo } from './gateway.repo.ts'
import type { GatewayDesk } from './gateway.thread.ts'
import type { Caller, Cut, Line, Visit, Way } from './messages.ts'

export interface GatewayServiceOptions {
  repo: GatewayRepo
  cut: (cut: Cut) => void
  /** Takes a code for the proof of a key. */
  prove: SshKeyService['prove']
  /** How people call the gateway; without a host, by the address of ours that they came to. */
  called: Readonly<{ host: string | null; port: number }>
  dial: Dial
  /** Whether a connection waits for a VM that was suspended: others may wait with it. */
  isWaking: (vmId: string) => boolean
  uses: Pick<Uses, 'begin'>
  doors: Doors
  activity: Pick<ActivityService, 'access'>
  clock: Clock
  log: Log
}

/** How often it is looked whether those who are in still may be. Deleted keys are known at once; this is for the rest. */
const checkEveryMs = 15_000

const sshPort = 22

/** Says who may come in by SSH and where to, and who has to leave. */
export function makeGatewayService({
  repo,
  cut,
  prove,
  called,
  dial,
  isWaking,
  uses,
  doors,
  activity,
  clock,
  log,
}: GatewayServiceOptions) {
  const visits = new Map<number, Visit & { end: () => void }>()
  let cancelCheck: (() => void) | null = null
  /** Counts cuts: an answer that was looked up before one may be wrong after it. */
  let cuts = 0

  function cutOff(one: Cut): void {
    cuts += 1
    cut(one)
  }

  async function lookUp(caller: Caller): Promise<Way> {
    const { host, port } = called
    const gateway: Called = { host: host ?? hostIn(caller.at), port }
    const accountIds = await repo.trustedOf(caller.fingerprint)
    if (accountIds.length === 0) {
      const holders = await repo.accountsOf(caller.fingerprint)
      return holders.length === 0 ? { to: 'nobody' } : { to: 'word', accountIds: holders, text: unprovenText }
    }
    if (caller.name === jumpName) return { to: 'jump', accountIds, text: jumpText(gateway) }
    const vms = await repo.candidates(caller.fingerprint, vmIdIn(caller.name))
    const asTheyCome = vms.map((vm) => (isWaking(vm.id) ? { ...vm, status: 'suspended' } : vm))
    return choose(caller.name, asTheyCome, gateway)
  }

  /** Proves a key by the code in the name. Done once: unlike a way, it is not looked up again. */
  async function takeProof({ fingerprint }: Caller, code: string): Promise<Way> {
    const proven = await prove(fingerprint, code)
    if (proven) return { to: 'proof', accountIds: [proven.accountId], text: provenText(proven) }
    const accountIds = await repo.accountsOf(fingerprint)
    return accountIds.length === 0 ? { to: 'nobody' } : { to: 'word', accountIds, text: noProofText }
  }

  async function lineTo(vmId: string): Promise<Line> {
    const line = await dial(vmId, sshPort)
    return 'stream' in line ? { door: await doors.open(line.stream) } : line
  }

  /** Ends visits by keys that are gone or proven to be others', of accounts that are disabled or no members any more. */
  async function check(): Promise<void> {
    const each = new Map(
      [...visits.values()].map((visit) => [`${visit.accountId} ${visit.fingerprint} ${visit.vmId}`, visit]),
    )
    for (const visit of each.values()) await checkOne(visit)
  }

  async function checkOne(visit: Visit): Promise<void> {
    if (await repo.mayStay(visit)) return
    const { accountId, fingerprint, vmId } = visit
    cutOff({ accountId, fingerprint, vmIds: [vmId], why: 'This SSH key is no longer authorized.' })
  }

  function checkLater(): void {
    cancelCheck ??= clock.after(checkEveryMs, () => {
      cancelCheck = null
      if (visits.size === 0) return
      inBackground(log, 'checking visits by SSH', check())
      checkLater()
    })
  }

  async function recordVisit({ accountId, fingerprint, vmId }: Visit): Promise<void> {
    const names = await repo.namesOf({ accountId, fingerprint, vmId })
    if (!names) return
    await activity.access(
      accountId,
      { type: 'vm', id: vmId, name: names.vm, projectId: names.projectId },
      {
        action: 'vm.ssh',
        message: `Connected to VM ${names.vm} by SSH`,
        reason: `SSH key ${names.key}, ${fingerprint}.`,
      },
    )
  }

  const desk: GatewayDesk = {
    async answer(question) {
      if (question.ask === 'known') return (await repo.accountsOf(question.fingerprint)).length > 0
      if (question.ask === 'line') return lineTo(question.vmId)
      const code = proofCodeIn(question.name)
      if (code !== null) return takeProof(question, code)
      for (;;) {
        const before = cuts
        const way = await lookUp(question)
        if (cuts === before) return way
      }
    },
    came(visit) {
      visits.set(visit.id, { ...visit, end: uses.begin(visit.vmId) })
      inBackground(log, 'recording a visit by SSH', recordVisit(visit))
      // Between the answer to where they may go and now, a cut found nothing to end.
      inBackground(log, 'checking a new visit by SSH', checkOne(visit))
      checkLater()
    },
    went(id) {
      visits.get(id)?.end()
      visits.delete(id)
    },
    reset() {
      for (const { end } of visits.values()) end()
      visits.clear()
    },
  }

  return {
    desk,
    /** A key was taken out of an account: what came in by it ends. */
    keyDeleted: (accountId: string, fingerprint: string) =>
      cutOff({
        accountId,
        fingerprint,
        vmIds: null,
        why: 'The SSH key of this connection was removed.',
      }),
    /** Nobody comes in by any key of an account: what came in ends. */
    accountDisabled: (accountId: string) =>
      cutOff({
        accountId,
        fingerprint: null,
        vmIds: null,
        why: 'The account of this connection was disabled.',
      }),
    /** An account came into a project, left it or became something else there: it leaves what it may not enter. */
    async moved(accountId: string, projectId: string): Promise<void> {
      const vmIds = await repo.closedTo(accountId, projectId)
      // Also without VMs: what was looked up before is looked up again.
      cutOff({ accountId, fingerprint: null, vmIds, why: 'Your role in the project of this VM has changed.' })
    },
    close(): void {
      cancelCheck?.()
    },
  }
}

/** An address as it stands in commands. */
const hostIn = (address: string): string => address.replace(/^::ffff:/, '')
