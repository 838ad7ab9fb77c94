import type { ActivityService } from '../activity/activity.service.ts'
import { makeConsoleService } from '../console/console.service.ts'
import type { Tx } from '../db/open.ts'
import type { DiskService } from '../disk/disk.service.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { ShareService } from '../share/share.service.ts'
import { makeSnapshotReconcile } from '../snapshot/snapshot.reconcile.ts'
import { resumeSchedules } from '../snapshot-schedule/snapshot-schedule.writes.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import { makePatience } from '../vm/vm.patience.ts'
import { makeVmReconcile } from '../vm/vm.reconcile.ts'
import { makeVmRepo } from '../vm/vm.repo.ts'
import { makeReserveShare } from '../vm/vm.reserve.ts'
import { makeVmService } from '../vm/vm.service.ts'
import { makeVmBin } from '../vm/vm-bin.service.ts'
import { makeVmIdle, type VmIdleOptions } from '../vm/vm-idle.service.ts'
import { makeVmWake } from '../vm/vm-wake.service.ts'
import { vmSnapshotKind } from '../vm-snapshot/vm-snapshot.reconcile.ts'
import { makeVmSnapshotRepo } from '../vm-snapshot/vm-snapshot.repo.ts'
import { makeVmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import { addVmSnapshot } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'

/** VMs, their snapshots and their consoles. */
export function makeMachines(
  base: Base,
  options: {
    quotas: QuotaService
    /** For how many days what people delete is kept; 0: it is not. */
    maxDiskGb: number
    binDays: number
    /** How many guests may be on their way up at once. */
    startsAtOnce: number
    /** Public keys of the server itself, which every guest lets in. */
    ownKeys: string[]
    activity: ActivityService
    keys: SshKeyService
    templates: TemplateService
    disks: DiskService
    shares: ShareService
    startScripts: StartScriptService
    /** Whether a disk or a VM is made of the snapshot now, or a VM put back to it. */
    isInUse: (snapshotId: string, tx?: Tx) => Promise<boolean>
  },
) {
  const { db, engine, cannot, clock, log, bus, clockGuard, jobs, board, calls, uses, underLease } = base
  const { activity, isInUse, quotas, maxDiskGb, binDays } = options
  const vmRepo = makeVmRepo(db, { addVmSnapshot })
  const patience = makePatience(clock)
  const vms = makeVmService({
    repo: vmRepo,
    disks: options.disks,
    keys: options.keys,
    templates: options.templates,
    shares: options.shares,
    startScripts: options.startScripts,
    kick: calls.kickVm,
    hurry: calls.hurryVm,
    changed: bus.changed,
    onMember: calls.kickGroup,
    clock,
    patience,
    cannot,
    quotas,
    maxDiskGb,
    binDays,
    takeReserved: makeReserveShare(() => engine.reserve, clock),
  })
  const comeBack = makeVmBin({
    repo: vmRepo,
    disks: options.disks,
    quotas,
    resumeSchedules,
    kick: calls.kickVm,
    announce: vms.announce,
    changed: bus.changed,
    clock,
  })
  const waking = makeVmWake({ repo: vmRepo, kick: calls.kickVm, announce: vms.announce, clock })
  const snapshotRepo = makeVmSnapshotRepo(db)
  const vmSnapshots = makeVmSnapshotService({
    repo: snapshotRepo,
    cannot,
    vms,
    quotas,
    binDays,
    isInUse,
    kick: calls.kickVmSnapshot,
    changed: bus.changed,
    jobs: board,
    clock,
  })

  const vmReconcile = makeVmReconcile({
    repo: vmRepo,
    engine,
    jobs,
    announce: vms.announce,
    clock,
    log,
    patience,
    startsAtOnce: options.startsAtOnce,
    announceSnapshot: vmSnapshots.announceById,
    suspectSnapshot: calls.suspectVmSnapshot,
    wakeSnapshot: calls.kickVmSnapshot,
    wake: calls.kickVm,
    startScriptOf: options.startScripts.scriptOf,
    ownKeys: options.ownKeys,
  })
  const vmReconciler = makeReconciler({
    name: 'vm',
    look: vmReconcile.look,
    scan: vmReconcile.scan,
    onFailure: vmReconcile.showFailure,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  const kind = vmSnapshotKind({
    repo: snapshotRepo,
    engine,
    isInUse,
    expire: vmSnapshots.expire,
    announce: vmSnapshots.announce,
    announceGone: vmSnapshots.announceGone,
  })
  const { suspect, ...snapshotReconcile } = makeSnapshotReconcile(kind, {
    engine,
    jobs,
    kick: calls.kickVmSnapshot,
    clock,
    clockGuard,
    log,
  })
  const vmSnapshotReconciler = makeReconciler({
    name: 'vm-snapshot',
    ...snapshotReconcile,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })

  const consoles = makeConsoleService({
    engine,
    cannot,
    ownVm: vms.get,
    uses,
    clock,
    onOpened: (user, { id, name, project_id }, what) =>
      activity.visit(
        user.id,
        { type: 'vm', id, name, projectId: project_id },
        {
          action: `vm.${what}`,
          message:
            what === 'consoleLog'
              ? `Read the console output of VM ${name}`
              : `Opened the ${what} of VM ${name}`,
        },
      ),
  })

  bus.reads('vm', vms.read)
  bus.reads('vm_snapshot', vmSnapshots.read)
  calls.connect({
    kickVm: vmReconciler.kick,
    hurryVm: vmReconciler.hurry,
    kickVmSnapshot: vmSnapshotReconciler.kick,
    suspectVmSnapshot: suspect,
    announceVm: vms.announceById,
    wakeVm: waking.wake,
    isWaking: waking.isWaking,
  })
  return {
    vms,
    /** Brings a VM back from the bin. */
    comeBack,
    vmSnapshots,
    consoles,
    vmReconciler,
    vmSnapshotReconciler,
    /** Suspends VMs that nobody uses, by what others measure of them. */
    makeIdle: (loadsSince: VmIdleOptions['loadsSince']) =>
      makeVmIdle({
        repo: vmRepo,
        uses,
        loadsSince,
        suspend: vms.suspendUnused,
        announce: vms.announce,
        underLease,
        clock,
        log,
      }),
  }
}
