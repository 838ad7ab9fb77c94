import cookie from '@fastify/cookie'
import type { Host } from '@slipway/contract'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { sql } from 'kysely'
import { makeAccountRepo } from './account/account.repo.ts'
import { accountRoutes, sessionToken } from './account/account.routes.ts'
import { makeAccountService } from './account/account.service.ts'
import { makeActivityRepo } from './activity/activity.repo.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { makeActivityService } from './activity/activity.service.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/console.routes.ts'
import { makeConsoleService } from './console/console.service.ts'
import type { Db } from './db/open.ts'
import { makeSeenTime } from './db/seen-time.ts'
import { makeDiskReconcile } from './disk/disk.reconcile.ts'
import { makeDiskRepo } from './disk/disk.repo.ts'
import { diskRoutes } from './disk/disk.routes.ts'
import { makeDiskService } from './disk/disk.service.ts'
import { deleteDisksOfProject } from './disk/disk.writes.ts'
import { diskSnapshotKind } from './disk-snapshot/disk-snapshot.reconcile.ts'
import { makeDiskSnapshotRepo } from './disk-snapshot/disk-snapshot.repo.ts'
import { diskSnapshotRoutes } from './disk-snapshot/disk-snapshot.routes.ts'
import { makeDiskSnapshotService } from './disk-snapshot/disk-snapshot.service.ts'
import { deleteDiskSnapshotsOfProject } from './disk-snapshot/disk-snapshot.writes.ts'
import type { Engine } from './engine/engine.ts'
import { makeEventBus } from './event/event.bus.ts'
import { eventRoutes } from './event/event.routes.ts'
import { makeGatewayRepo } from './gateway/gateway.repo.ts'
import { makeGatewayService } from './gateway/gateway.service.ts'
import type { Gateway } from './gateway/gateway.thread.ts'
import { healthRoutes } from './health/health.routes.ts'
import { makeHealthService } from './health/health.service.ts'
import { makeVitals } from './health/vitals.ts'
import { hostRoutes } from './host/host.routes.ts'
import { closeServer, connectionLimits, connectionOptions, limitConnections } from './http/connections.ts'
import { frameworkErrors, installErrorHandler } from './http/errors.ts'
import { makeEventStreams } from './http/events.ts'
import { installGuard } from './http/guard.ts'
import { type Authenticate, makeRoute } from './http/route.ts'
import { makeSessionLines } from './http/sessions.ts'
import { installSockets } from './http/sockets.ts'
import { installStatic } from './http/static.ts'
import { installTiming } from './http/timing.ts'
import { makeAddressList } from './lib/client-address.ts'
import type { Clock } from './lib/clock.ts'
import { makeClockGuard } from './lib/clock-guard.ts'
import { inBackground } from './lib/in-background.ts'
import { makeJobs } from './lib/jobs.ts'
import { makeReconciler } from './lib/reconciler.ts'
import { uncaughtErrors } from './lib/uncaught.ts'
import type { SendMail } from './mail/mail.ts'
import { makeMetricsRepo } from './metrics/metrics.repo.ts'
import { metricsRoutes } from './metrics/metrics.routes.ts'
import { makeMetricsService } from './metrics/metrics.service.ts'
import { operationRoutes } from './operation/operation.routes.ts'
import { makeOperationService } from './operation/operation.service.ts'
import { makeProjectRepo } from './project/project.repo.ts'
import { projectRoutes } from './project/project.routes.ts'
import { makeProjectService } from './project/project.service.ts'
import { makeSearchRepo } from './search/search.repo.ts'
import { searchRoutes } from './search/search.routes.ts'
import { makeSearchService } from './search/search.service.ts'
import { makeSnapshotReconcile } from './snapshot/snapshot.reconcile.ts'
import { makeSshKeyRepo } from './ssh-key/ssh-key.repo.ts'
import { sshKeyRoutes } from './ssh-key/ssh-key.routes.ts'
import { makeSshKeyService } from './ssh-key/ssh-key.service.ts'
import { makeTemplateRepo } from './template/template.repo.ts'
import { templateRoutes } from './template/template.routes.ts'
import { type BuiltInTemplate, makeTemplateService } from './template/template.service.ts'
import { makeUsageBook } from './usage/usage.book.ts'
import { makeUsageSampler } from './usage/usage.reconcile.ts'
import { makeUsageRepo } from './usage/usage.repo.ts'
import { usageRoutes } from './usage/usage.routes.ts'
import { makeUsageService } from './usage/usage.service.ts'
import { makeVmReconcile } from './vm/vm.reconcile.ts'
import { makeVmRepo } from './vm/vm.repo.ts'
import { vmRoutes } from './vm/vm.routes.ts'
import { makeVmService } from './vm/vm.service.ts'
import { makeLoadBook } from './vm-group/load.ts'
import { makeScaling } from './vm-group/scaling.reconcile.ts'
import { makeVmGroupReconcile } from './vm-group/vm-group.reconcile.ts'
import { makeVmGroupRepo } from './vm-group/vm-group.repo.ts'
import { vmPoolRoutes } from './vm-pool/vm-pool.routes.ts'
import { makeVmPoolService } from './vm-pool/vm-pool.service.ts'
import { vmSetRoutes } from './vm-set/vm-set.routes.ts'
import { makeVmSetService } from './vm-set/vm-set.service.ts'
import { vmSnapshotKind } from './vm-snapshot/vm-snapshot.reconcile.ts'
import { makeVmSnapshotRepo } from './vm-snapshot/vm-snapshot.repo.ts'
import { vmSnapshotRoutes } from './vm-snapshot/vm-snapshot.routes.ts'
import { makeVmSnapshotService } from './vm-snapshot/vm-snapshot.service.ts'
import { addVmSnapshot, deleteVmSnapshotsOfProject } from './vm-snapshot/vm-snapshot.writes.ts'

export interface AppOptions {
  config: Pick<
    Config,
    | 'dataDir'
    | 'publicUrl'
    | 'allowedHosts'
    | 'trustedProxies'
    | 'productName'
    | 'contacts'
    | 'maxVmsPerProject'
    | 'maxDiskGb'
    | 'admins'
    | 'activityDays'
    | 'scaling'
  >
  db: Db
  engine: Engine
  /** The templates that come with Slipway. */
  templates: readonly BuiltInTemplate[]
  sendMail: SendMail
  clock: Clock
  log: FastifyBaseLogger
  /** Folder of the built front end; null serves the API only. */
  webRoot: string | null
  /** Where the server is reached when no public address is set. */
  ownUrl: () => string
  /** How many guests may be on their way up at once. */
  startsAtOnce: number
  /** Who carries it may read `/metrics`. */
  metricsToken: string
  /** SSH by name, listening; null when it is switched off. Whoever started it closes it. */
  gateway: Gateway | null
}

/** Members that a group has ready to start when others are up. */
const waitingMembers = 2
const scanEveryMs = 30_000
const sweepEveryMs = 60 * 60_000

/**
 * Builds the whole server without listening: tests inject requests into it. `start` takes up the work left by an
 * earlier process and must be called before requests are let in; `close` ends everything but the guests.
 */
export async function buildApp(options: AppOptions) {
  const { config, db, engine, clock, log, gateway } = options
  const isTrusted = makeAddressList(config.trustedProxies)
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 64 * 1024,
    // Nobody else may say which address a request comes from: rate limits count by it.
    trustProxy: isTrusted,
    ...connectionOptions(connectionLimits),
    frameworkErrors,
    // Requests in flight may end; event streams are ended by us.
    forceCloseConnections: 'idle',
  })
  installErrorHandler(app)
  await app.register(cookie)
  // A proxy on this machine may well be in use without being named.
  limitConnections(app, connectionLimits, makeAddressList(['loopback', ...config.trustedProxies]), log)
  await installGuard(app, config.publicUrl, config.allowedHosts)

  /** Everything that deletes data for its age asks it first. */
  const clockGuard = makeClockGuard({ clock, ...makeSeenTime(db), log })
  const bus = makeEventBus()
  const sessionLines = makeSessionLines(clock, log)
  const streams = makeEventStreams(bus.subscribe, sessionLines)
  const publicUrl = () => (config.publicUrl?.href ?? options.ownUrl()).replace(/\/$/, '')

  const accounts = makeAccountService({
    repo: makeAccountRepo(db),
    sendMail: options.sendMail,
    publicUrl,
    productName: config.productName,
    keysOf: (accountId) => keys.list(accountId),
    onSessionsEnded(ended) {
      if ('sessionId' in ended) sessionLines.endSession(ended.sessionId)
      else sessionLines.endAccount(ended.accountId)
    },
    clock,
    log,
  })
  const projects = makeProjectService({
    repo: makeProjectRepo(db, [
      deleteDisksOfProject,
      deleteVmSnapshotsOfProject,
      deleteDiskSnapshotsOfProject,
    ]),
    clock,
    onDeleted: () => {
      for (const reconciler of storageReconcilers()) reconciler.rescan()
    },
  })
  const activity = makeActivityService({
    ...{ repo: makeActivityRepo(db), projects, clock },
    ...{ admins: config.admins, days: config.activityDays },
  })
  const visits = gateway
    ? makeGatewayService({
        ...{ repo: makeGatewayRepo(db), clock, log },
        cut: gateway.cut,
        called: gateway,
        hasGuests: engine.kind !== 'simulated',
        activity,
      })
    : null
  const keys = makeSshKeyService({
    repo: makeSshKeyRepo(db),
    clock,
    onDeleted: (userId, fingerprint) => visits?.keyDeleted(userId, fingerprint),
  })
  const templates = makeTemplateService({
    ...{
      repo: makeTemplateRepo(db),
      images: engine,
      builtIn: options.templates,
      admins: config.admins,
      clock,
    },
  })
  /** Long work beside the reconcilers. It ends with the server; the next one begins it again. */
  const jobs = makeJobs({ clock, onChange: (job) => operations.announce(job) })
  const vmRepo = makeVmRepo(db, { addVmSnapshot })
  const diskRepo = makeDiskRepo(db)
  const isInUse = async (snapshotId: string) =>
    (await diskRepo.isSourceInUse(snapshotId)) || (await vmRepo.isRestoring(snapshotId))

  const disks = makeDiskService({
    repo: diskRepo,
    projects,
    kick: (id) => diskReconciler.kick(id),
    publish: bus.publish,
    announceVm: (id) => vms.announceById(id),
    jobs,
    clock,
    maxDiskGb: config.maxDiskGb,
  })
  const vms = makeVmService({
    repo: vmRepo,
    disks,
    projects,
    keys,
    templates,
    kick: (id) => vmReconciler.kick(id),
    publish: bus.publish,
    isWatched: bus.isWatched,
    onMember: (groupId) => groupReconciler.kick(groupId),
    clock,
    maxVmsPerProject: config.maxVmsPerProject,
  })
  const vmReconcile = makeVmReconcile({
    repo: vmRepo,
    engine,
    jobs,
    announce: vms.announce,
    clock,
    log,
    startsAtOnce: options.startsAtOnce,
    announceSnapshot: (id) => vmSnapshots.announceById(id),
    suspectSnapshot: (id) => vmSnapshotReconciler.kick(id),
    wake: (id) => vmReconciler.kick(id),
    ownKeys: gateway ? [gateway.publicKey] : [],
  })
  const vmReconciler = makeReconciler({
    name: 'vm',
    look: vmReconcile.look,
    scan: vmReconcile.scan,
    onFailure: vmReconcile.showFailure,
    scanEveryMs,
    parallel: 16,
    clock,
    log,
  })
  const stopListening = engine.onChange((id) => vmReconciler.kick(id))

  const diskReconcile = makeDiskReconcile({
    repo: diskRepo,
    engine,
    announce: disks.announce,
    announceVm: vms.announceById,
    wakeVm: (id) => vmReconciler.kick(id),
    // One of them knows it.
    suspectSnapshot: (id) => {
      vmSnapshotReconciler.kick(id)
      diskSnapshotReconciler.kick(id)
    },
    jobs,
    kick: (id) => diskReconciler.kick(id),
    clock,
    log,
  })
  const diskReconciler = makeReconciler({
    name: 'disk',
    look: diskReconcile.look,
    scan: diskReconcile.scan,
    onFailure: diskReconcile.showFailure,
    scanEveryMs,
    parallel: 16,
    clock,
    log,
  })

  const vmSnapshotRepo = makeVmSnapshotRepo(db)
  const vmSnapshots = makeVmSnapshotService({
    repo: vmSnapshotRepo,
    projects,
    vms,
    isInUse,
    kick: (id) => vmSnapshotReconciler.kick(id),
    publish: bus.publish,
    jobs,
    clock,
  })
  const vmSnapshotReconciler = makeReconciler({
    name: 'vm-snapshot',
    ...makeSnapshotReconcile(
      vmSnapshotKind({
        repo: vmSnapshotRepo,
        engine,
        isInUse,
        announce: vmSnapshots.announce,
        announceGone: vmSnapshots.announceGone,
      }),
      { engine, jobs, kick: (id) => vmSnapshotReconciler.kick(id), clock, clockGuard, log },
    ),
    scanEveryMs,
    parallel: 16,
    clock,
    log,
  })

  const diskSnapshotRepo = makeDiskSnapshotRepo(db)
  const diskSnapshots = makeDiskSnapshotService({
    repo: diskSnapshotRepo,
    projects,
    disks,
    isInUse,
    kick: (id) => diskSnapshotReconciler.kick(id),
    publish: bus.publish,
    jobs,
    clock,
  })
  const diskSnapshotReconciler = makeReconciler({
    name: 'disk-snapshot',
    ...makeSnapshotReconcile(
      diskSnapshotKind({
        repo: diskSnapshotRepo,
        engine,
        isInUse,
        announce: diskSnapshots.announce,
        announceGone: diskSnapshots.announceGone,
      }),
      { engine, jobs, kick: (id) => diskSnapshotReconciler.kick(id), clock, clockGuard, log },
    ),
    scanEveryMs,
    parallel: 16,
    clock,
    log,
  })
  const operations = makeOperationService({
    jobs,
    projects,
    cancels: {
      'disk.create': disks.cancelCreation,
      'vmSnapshot.restore': vms.cancelRestore,
      'vmSnapshot.create': vmSnapshots.cancelCreation,
      'diskSnapshot.create': diskSnapshots.cancelCreation,
    },
    publish: bus.publish,
    isWatched: bus.isWatched,
    admins: config.admins,
  })
  const groupRepo = makeVmGroupRepo(db)
  const load = makeLoadBook()
  const kickGroup = (id: string) => {
    groupReconciler.kick(id)
    scaling.wake()
  }
  const groupParts = { repo: groupRepo, projects, keys, templates, vms, disks, load, clock }
  const pools = makeVmPoolService({
    ...groupParts,
    kick: kickGroup,
    publish: bus.publish,
    policy: config.scaling,
  })
  const sets = makeVmSetService({ ...groupParts, kick: kickGroup, publish: bus.publish })
  const announceGroup = (group: Parameters<typeof pools.announce>[0]) =>
    group.kind === 'pool' ? pools.announce(group) : sets.announce(group)
  const groupReconciler = makeReconciler({
    name: 'vm-group',
    ...makeVmGroupReconcile({
      repo: groupRepo,
      vms,
      announce: announceGroup,
      clock,
      log,
      membersAtOnce: options.startsAtOnce + waitingMembers,
    }),
    scanEveryMs,
    parallel: 16,
    clock,
    log,
  })
  const scaling = makeScaling({
    ...{ repo: groupRepo, engine, load, policy: config.scaling, announce: announceGroup },
    ...{ kick: kickGroup, clock, log },
  })
  const usageRepo = makeUsageRepo(db)
  const usageBook = makeUsageBook()
  const sampler = makeUsageSampler({ repo: usageRepo, book: usageBook, engine, clock, log })
  const usage = makeUsageService({
    ...{ repo: usageRepo, book: usageBook, living: sampler.living, clock },
    own: {
      project: projects.own,
      vm: vms.get,
      vmPool: pools.own,
      vmSet: sets.own,
    },
  })

  const storageReconcilers = () => [diskReconciler, vmSnapshotReconciler, diskSnapshotReconciler]
  const reconcilers = [vmReconciler, groupReconciler, ...storageReconcilers()]

  const authenticate: Authenticate = (request) => accounts.authenticate(sessionToken(request))
  const route = makeRoute(app, authenticate)
  const socketRoute = await installSockets(app, authenticate, sessionLines)
  const consoles = makeConsoleService({
    ...{ engine, ownVm: vms.get, clock },
    onOpened: (user, { id, name, project_id }, what) =>
      activity.access(
        user.id,
        { type: 'vm', id, name, projectId: project_id },
        { action: `vm.${what}`, message: `Opened the ${what} of VM ${name}` },
      ),
  })
  const host: Host = {
    product_name: config.productName,
    engine: engine.kind,
    accelerator: engine.capabilities.accelerator,
    accelerator_reason: engine.capabilities.acceleratorReason,
    network: engine.capabilities.network,
    ssh_gateway: gateway && {
      ...{ host: gateway.host, port: gateway.port, local_only: gateway.localOnly },
      fingerprint: gateway.fingerprint,
    },
    contacts: config.contacts,
  }
  hostRoutes(route, {
    host,
    ping: async () => {
      await sql`select 1`.execute(db)
    },
  })
  accountRoutes(route, accounts, config.publicUrl?.protocol === 'https:')
  projectRoutes(route, projects)
  sshKeyRoutes(route, keys)
  templateRoutes(route, templates)
  diskRoutes(route, disks)
  vmRoutes(route, vms)
  consoleRoutes(route, socketRoute, consoles)
  usageRoutes(route, usage)
  vmPoolRoutes(route, pools)
  vmSetRoutes(route, sets)
  vmSnapshotRoutes(route, vmSnapshots)
  diskSnapshotRoutes(route, diskSnapshots)
  operationRoutes(route, operations)
  activityRoutes(route, activity)
  searchRoutes(route, makeSearchService(makeSearchRepo(db)))
  const vitals = makeVitals(config.dataDir)
  const health = makeHealthService({
    admins: config.admins,
    reconcilers: () => reconcilers.map((reconciler) => reconciler.stats()),
    measuring: sampler.stats,
    vitals: vitals.read,
    uncaughtErrors,
    engine: {
      kind: engine.kind,
      accelerator: engine.capabilities.accelerator,
      answer: () => engine.freeMemoryMb(),
    },
    clock,
  })
  healthRoutes(route, health)
  const metrics = makeMetricsService({
    repo: makeMetricsRepo(db),
    readings: sampler.readings,
    viewers: consoles.viewers,
    health: health.read,
    engine: engine.kind,
  })
  installTiming(app, metrics.observe)
  metricsRoutes(route, metrics, options.metricsToken)
  eventRoutes(route, streams, projects, authenticate)
  await installStatic(app, options.webRoot, host)

  let cancelSweep: (() => void) | null = null
  function sweep(): void {
    const due = clockGuard.isTrusted() ? { accounts, activity } : {}
    for (const [what, one] of Object.entries(due))
      inBackground(log, `forgetting what is old of ${what}`, one.sweep())
    cancelSweep = clock.after(sweepEveryMs, sweep)
  }

  return {
    app,
    /** For tests: settles when nothing needs a look right now. */
    async idle() {
      await accounts.idle()
      await scaling.idle()
      await sampler.idle()
      for (const reconciler of reconcilers) await reconciler.idle()
    },
    /** What the event stream of a project carries. */
    subscribe: bus.subscribe,
    async start() {
      await clockGuard.start()
      await templates.install()
      for (const reconciler of reconcilers) await reconciler.start()
      scaling.wake()
      sampler.start()
      sweep()
      if (visits) gateway?.serve(visits.desk)
    },
    async close() {
      cancelSweep?.()
      clockGuard.close()
      vitals.stop()
      visits?.close()
      stopListening()
      streams.close()
      await consoles.close()
      await closeServer(app)
      // Jobs end without an outcome, so no look takes one for a failure.
      await Promise.all([jobs.close(), ...[scaling, sampler, ...reconcilers].map((one) => one.stop())])
    },
  }
}
