import { isBootImageUrl, passkeyOriginOf } from '@slipway/contract'
import type { Base } from './app/base.ts'
import { makeBatches } from './app/batches.ts'
import { makeBins } from './app/bins.ts'
import { makeCalls } from './app/calls.ts'
import { makeDial } from './app/dial.ts'
import { makeExports } from './app/exports.ts'
import { makeGroups } from './app/groups.ts'
import { makeLeaving } from './app/leaving.ts'
import { makeMachines } from './app/machines.ts'
import { makeMails } from './app/mails.ts'
import { makeNetworks } from './app/networks.ts'
import { makeNotices } from './app/notices.ts'
import type { AppOptions } from './app/options.ts'
import { makePeople } from './app/people.ts'
import { makeProjects } from './app/projects.ts'
import { makeQueues } from './app/queues.ts'
import { makeSchedules } from './app/schedules.ts'
import { makeShares } from './app/shares.ts'
import { makeStorage } from './app/storage.ts'
import { makeWatching } from './app/watching.ts'
import { hostOf, installRoutes, openWeb } from './app/web.ts'
import { makeWebhooks } from './app/webhooks.ts'
import { makeIdempotencyKeys } from './db/idempotency-keys.ts'
import { makeSeenTime } from './db/seen-time.ts'
import { makeEventBus } from './event/event.bus.ts'
import { makeStartTimesRepo } from './host/start-times.repo.ts'
import { makeStartTimes } from './host/start-times.service.ts'
import { closeServer } from './http/connections.ts'
import { makeEventStreams } from './http/events.ts'
import { makeIdempotency } from './http/idempotency.ts'
import { makeSessionLines } from './http/sessions.ts'
import type { Clock } from './lib/clock.ts'
import { makeClockGuard } from './lib/clock-guard.ts'
import { underLease } from './lib/fence.ts'
import { inBackground } from './lib/in-background.ts'
import { makeJobBoard } from './lib/job-board.ts'
import { makeJobs } from './lib/jobs.ts'
import { makeUses } from './lib/uses.ts'
import { asWayOut } from './lib/way-out.ts'
import { makeOperationService } from './operation/operation.service.ts'
import { makeQuotaRepo } from './quota/quota.repo.ts'
import { makeQuotaService } from './quota/quota.service.ts'
import { makeStartScriptRepo } from './start-script/start-script.repo.ts'
import { makeStartScriptService } from './start-script/start-script.service.ts'
import { makeTemplateRepo } from './template/template.repo.ts'
import { makeTemplateService } from './template/template.service.ts'

const sweepEveryMs = 60 * 60_000

/**
 * Builds the whole server without listening: tests inject requests into it. `start` must be called before requests are
 * let in. `drive` takes up the work left by an earlier server, and is called by the one that has the lease; `rest` ends
 * that, before it gives the lease up. `close` ends everything but the guests. This file is the table of contents; the
 * parts are built in app/.
 */
export async function buildApp(options: AppOptions) {
  const { config, db, engine, log, gateway, startsAtOnce, peers, lease } = options
  const publicUrl = () => (config.publicUrl?.href ?? options.ownUrl()).replace(/\/$/, '')
  // Without a public URL browsers on this machine come to `localhost`: an IP address has no passkeys.
  const passkeyOrigin = () =>
    passkeyOriginOf(config.publicUrl?.href ?? options.ownUrl().replace('//127.0.0.1', '//localhost'))
  const app = await openWeb(config, log)

  let isDriving = false
  const drives = () => isDriving && lease.number() !== null
  // No lease has this number: what is not ours any more is refused.
  const underOwnLease: Base['underLease'] = (act) => asWayOut(() => underLease(lease.number() ?? -1, act))

  const seenTime = makeSeenTime(db)
  const clockGuard = makeClockGuard({
    clock: options.clock,
    load: seenTime.load,
    // One server's clock at a time.
    store: async (seen) => (drives() ? underOwnLease(() => seenTime.store(seen)) : undefined),
    log,
  })
  const clock: Clock = { ...options.clock, now: clockGuard.now }

  const startTimes = makeStartTimes({ repo: makeStartTimesRepo(db), clock, log })
  // Nothing boots on the simulated engine.
  const startTime = () => (engine.kind === 'simulated' ? null : startTimes.latest())
  const calls = makeCalls({ peers, drives })
  const bus = makeEventBus({
    peers,
    onFailure: (error) => log.error({ err: error }, 'Changed objects could not be read for event streams'),
  })
  const notices = makeNotices({ db, clock, log }, peers, bus)
  const host = hostOf(config, engine, gateway, options.templates, startTime, notices.latest, passkeyOrigin)
  const sessionLines = makeSessionLines(clock, log)
  /** Who is connected to which VM through this server. */
  const uses = makeUses(clock)
  const idempotency = makeIdempotency({ keys: makeIdempotencyKeys(db), clock, log })
  const streams = makeEventStreams(bus, sessionLines)
  // What the accounts may do may be among what was missed: their clients come back at once, and it is read anew.
  peers.onGap(streams.close)
  /** Long work beside the reconcilers. It ends with the server; the next one begins it again. */
  const jobs = makeJobs({ clock, onChange: calls.announceJob })
  const board = makeJobBoard({ jobs, peers, drives })
  const queues = makeQueues(config.perAccount, clock)

  const { projects, projectReconciler } = makeProjects(
    { db, engine, clock, log, bus, calls, underLease: underOwnLease },
    { binDays: config.binDays, vms: () => vms, groupIdsOf: (projectId) => groups.idsOf(projectId) },
  )
  const { mailQueue, mailDelivery, mailReconciler, mailFigures, leaveMails } = makeMails(
    { db, clock, clockGuard, log, calls, underLease: underOwnLease },
    { sendMail: options.sendMail, secretKey: options.factorKey },
  )
  const people = makePeople({
    config,
    db,
    clock,
    log,
    bus,
    projects,
    mails: mailQueue,
    factorKey: options.factorKey,
    passwordCost: options.passwordCost,
    publicUrl,
    passkeyOrigin,
    sessionLines,
    peers,
    gateway,
    dial: makeDial(engine, calls.wakeVm),
    isWaking: calls.isWaking,
    uses,
  })
  const { accounts, secondStep, oidc, apiTokens, passkeys, activity, keys, visits } = people
  const startScripts = makeStartScriptService({
    repo: makeStartScriptRepo(db),
    // What is built here has none; what comes from elsewhere is made for it.
    hasCloudInit: (imageId) =>
      isBootImageUrl(imageId) || options.templates.some(({ id, url }) => id === imageId && url !== null),
    resultOf: (vmId, form) => engine.startScriptResult(vmId, form),
  })
  const templates = makeTemplateService({
    repo: makeTemplateRepo(db),
    images: engine,
    imageChecks: queues.image_checks,
    startScripts,
    builtIn: options.templates,
    hasAdmins: config.admins.length > 0 || config.oidc.some(({ adminGroup }) => adminGroup !== null),
    binDays: config.binDays,
    clock,
  })

  const base: Base = {
    db,
    engine,
    cannot: host.cannot,
    clock,
    log,
    bus,
    clockGuard,
    jobs,
    board,
    calls,
    uses,
    drives,
    underLease: underOwnLease,
  }
  const quotas = makeQuotaService({ repo: makeQuotaRepo(db), defaults: config.quota })
  const adminAccounts = people.makeAdminAccounts(quotas)
  const handOvers = people.makeHandOvers(quotas)
  const { shares, front, originOf } = makeShares(base, {
    config,
    quotas,
    ownUrl: options.ownUrl,
    accounts,
    roleOf: projects.roleOf,
    sessionLines,
    peers,
  })
  const storage = makeStorage(base, { config, quotas, queues })
  const { disks, diskSnapshots } = storage
  const machines = makeMachines(base, {
    quotas,
    maxDiskGb: config.maxDiskGb,
    binDays: config.binDays,
    startsAtOnce,
    ownKeys: gateway ? [gateway.publicKey] : [],
    activity,
    keys,
    templates,
    disks,
    shares,
    startScripts,
    isInUse: storage.isInUse,
  })
  const { vms, vmSnapshots, consoles } = machines
  const { snapshotSchedules, scheduleWatch } = makeSchedules(base, { vms, disks, vmSnapshots, diskSnapshots })
  const groups = makeGroups(base, {
    policy: config.scaling,
    binDays: config.binDays,
    startsAtOnce,
    keys,
    templates,
    disks,
    vms,
    startScripts,
    vmSnapshots,
    quotas,
  })
  const { pools, sets, scaling } = groups
  const { bin, projectBin, templateBin, binLimitReconciler, pushedOut } = makeBins(
    base,
    {
      vm: machines.comeBack,
      disk: disks.comeBack,
      vm_snapshot: vmSnapshots.comeBack,
      disk_snapshot: diskSnapshots.comeBack,
      vm_pool: groups.comeBack('pool'),
      vm_set: groups.comeBack('set'),
    },
    { projects, quotas },
  )
  const { networks, networkReconciler } = makeNetworks(base)
  const { deletions, accountDeletionReconciler } = makeLeaving(base, {
    ...people.leaving,
    projects,
    vms,
    pools,
    sets,
  })
  const { batches, batchReconciler } = makeBatches(base, {
    accounts,
    projects,
    vms,
    disks,
    vmSnapshots,
    diskSnapshots,
    pools,
    sets,
  })
  const { webhooks, webhookReconciler, webhookFigures } = makeWebhooks(base, {
    privateWebhooks: config.privateWebhooks,
    secretKey: options.factorKey,
  })
  const operations = makeOperationService({
    jobs: board,
    projects,
    cancels: {
      'disk.create': disks.cancelCreation,
      'vmSnapshot.restore': vms.cancelRestore,
      'vmSnapshot.create': vmSnapshots.cancelCreation,
      'diskSnapshot.create': diskSnapshots.cancelCreation,
    },
    changed: bus.changed,
  })
  bus.reads('operation', operations.read)
  calls.connect({
    announceJob(job) {
      board.note(job)
      operations.announce(job)
    },
    rescanBelongings() {
      machines.vmReconciler.rescan()
      storage.diskReconciler.rescan()
      machines.vmSnapshotReconciler.rescan()
      storage.diskSnapshotReconciler.rescan()
    },
  })

  const reconcilers = [
    machines.vmReconciler,
    groups.groupReconciler,
    storage.diskReconciler,
    machines.vmSnapshotReconciler,
    storage.diskSnapshotReconciler,
    projectReconciler,
    networkReconciler,
    accountDeletionReconciler,
    batchReconciler,
    webhookReconciler,
    mailReconciler,
    binLimitReconciler,
  ]
  // What another server asked for may be among what was missed.
  peers.onGap(() => {
    if (drives()) for (const one of reconcilers) one.rescan()
  })
  peers.onBack(() => {
    for (const one of reconcilers) one.retry()
  })
  const stopListening = engine.onChange((id) => drives() && calls.kickVm(id))

  const watching = makeWatching(base, {
    config,
    reconcilers,
    holder: lease.holder,
    backups: options.backups ?? null,
    ballast: options.ballast?.state ?? null,
    own: { vm: vms.get, vmPool: pools.own, vmSet: sets.own },
    viewers: consoles.viewers,
    webhookFigures,
    mailFigures,
    pushedOut,
    queues,
  })
  const { sampler, vitals, loadsSince } = watching
  const idle = machines.makeIdle(loadsSince)

  const exports = makeExports({
    ...people,
    projects,
    projectBin,
    vms,
    disks,
    pools,
    sets,
    vmSnapshots,
    diskSnapshots,
    snapshotSchedules,
    bin,
    shares,
    webhooks,
    clock,
  })

  await installRoutes(app, {
    db,
    host,
    isSecure: config.publicUrl?.protocol === 'https:',
    clock,
    webRoot: options.webRoot,
    metricsToken: options.metricsToken,
    sessionLines,
    idempotency,
    isShortOfRoom: () => options.ballast?.isShort() ?? false,
    queues,
    streams,
    revision: bus.revision,
    moveOf: bus.moveOf,
    projects,
    templates,
    notices,
    operations,
    batches,
    webhooks,
    bin,
    projectBin,
    templateBin,
    networks,
    quotas,
    adminAccounts,
    mailDelivery,
    handOvers,
    deletions,
    exports,
    snapshotSchedules,
    shares,
    originOf,
    ...people,
    ...storage,
    startScripts,
    ...machines,
    ...groups,
    ...watching,
  })

  let cancelSweep: (() => void) | null = null
  let stopEnding = () => {}
  function sweep(): void {
    const swept = {
      accounts,
      secondStep,
      oidc,
      apiTokens,
      passkeys,
      activity,
      idempotency,
      batches,
      bin,
      projectBin,
      templateBin,
      webhooks,
      mailDelivery,
      uploads: storage.uploads,
    }
    const due: Partial<typeof swept> = clockGuard.isTrusted() ? swept : {}
    for (const [what, one] of Object.entries(due))
      inBackground(log, `forgetting what is old of ${what}`, underOwnLease(one.sweep))
    cancelSweep = clock.after(sweepEveryMs, sweep)
  }

  async function rest(): Promise<void> {
    cancelSweep?.()
    stopEnding()
    stopListening()
    leaveMails()
    // Jobs end without an outcome, so no look takes one for a failure.
    await Promise.all([
      jobs.close(),
      idle.stop(),
      scheduleWatch.stop(),
      ...reconcilers.map((one) => one.stop()),
    ])
    isDriving = false
  }

  return {
    app,
    drives,
    /** For tests: settles when no mail is on its way or due. */
    mailsIdle: mailReconciler.idle,
    /** For tests: settles when nothing needs a look right now. */
    async idle() {
      await accounts.idle()
      await scaling.idle()
      await sampler.idle()
      await idle.idle()
      await scheduleWatch.idle()
      for (const reconciler of reconcilers) await reconciler.idle()
      await bus.idle()
      await front.idle()
    },
    /** For tests: what the event stream of a project carries. */
    subscribe: (projectId: string, listener: (event: string, data: unknown) => void) =>
      bus.subscribe({ projectId, by: null }, null, ({ name, data }) => {
        if (name !== 'hello') listener(name, data)
      }),
    async start() {
      await clockGuard.start()
      await templates.install()
      await notices.reload()
      // Looked at once ahead of the first visitor.
      startTime()
      board.begin()
      scaling.wake()
      sampler.start()
      if (visits !== null) gateway?.serve(visits.desk)
      await app.ready()
      front.answerFor(app.server)
      front.refreshAll()
    },
    /** This server has the lease. To be called once. */
    async drive() {
      isDriving = true
      board.begin()
      clockGuard.keep()
      for (const reconciler of reconcilers) await reconciler.start()
      inBackground(log, 'giving ports to shares', underOwnLease(shares.assignPorts))
      stopEnding = shares.watchEnds(underOwnLease)
      sweep()
      idle.start()
      scheduleWatch.start()
    },
    /** Ends what is done under the lease; it can be given up then. */
    rest,
    async close() {
      clockGuard.close()
      vitals.stop()
      visits?.close()
      streams.close()
      await front.close()
      await consoles.close()
      await closeServer(app)
      // Requests in flight may have waited for what is done under the lease.
      await Promise.all([rest(), scaling.stop(), sampler.stop()])
    },
  }
}
