import cookie from '@fastify/cookie'
import type { Host } from '@slipway/contract'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { sql } from 'kysely'
import { accountRoutes, settingsRoutes } from '../account/account.routes.ts'
import type { AccountService } from '../account/account.service.ts'
import type { SettingsService } from '../account/settings.service.ts'
import { accountDeletionRoutes } from '../account-deletion/account-deletion.routes.ts'
import type { AccountDeletionService } from '../account-deletion/account-deletion.service.ts'
import { accountExportRoutes } from '../account-export/account-export.routes.ts'
import type { AccountExportService } from '../account-export/account-export.service.ts'
import { activityRoutes } from '../activity/activity.routes.ts'
import type { ActivityService } from '../activity/activity.service.ts'
import { adminAccountRoutes } from '../admin-account/admin-account.routes.ts'
import type { AdminAccountService } from '../admin-account/admin-account.service.ts'
import { apiTokenRoutes } from '../api-token/api-token.routes.ts'
import type { ApiTokenService } from '../api-token/api-token.service.ts'
import { batchRoutes } from '../batch/batch.routes.ts'
import type { BatchService } from '../batch/batch.service.ts'
import { binRoutes } from '../bin/bin.routes.ts'
import type { BinService } from '../bin/bin.service.ts'
import type { Config } from '../config.ts'
import { consoleRoutes } from '../console/console.routes.ts'
import type { ConsoleService } from '../console/console.service.ts'
import type { Db } from '../db/open.ts'
import { diskRoutes } from '../disk/disk.routes.ts'
import type { DiskService } from '../disk/disk.service.ts'
import { diskFileRoutes } from '../disk-file/disk-file.routes.ts'
import type { DiskFileService } from '../disk-file/disk-file.service.ts'
import { diskSnapshotRoutes } from '../disk-snapshot/disk-snapshot.routes.ts'
import type { DiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import type { Topic } from '../event/event.bus.ts'
import { eventRoutes } from '../event/event.routes.ts'
import type { Gateway } from '../gateway/gateway.thread.ts'
import { handOverRoutes } from '../hand-over/hand-over.routes.ts'
import type { HandOverService } from '../hand-over/hand-over.service.ts'
import { healthRoutes } from '../health/health.routes.ts'
import type { HealthService } from '../health/health.service.ts'
import { hostRoutes } from '../host/host.routes.ts'
import { makeAdmission } from '../http/admission.ts'
import { connectionLimits, connectionOptions, limitConnections } from '../http/connections.ts'
import { frameworkErrors, installErrorHandler } from '../http/errors.ts'
import type { EventStreams } from '../http/events.ts'
import { installGuard } from '../http/guard.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { type Authenticate, acceptFiles, acceptForms, type Gate, makeRoute } from '../http/route.ts'
import { makeSessionCookie } from '../http/session-cookie.ts'
import type { SessionLines } from '../http/sessions.ts'
import { installSockets } from '../http/sockets.ts'
import { installStatic } from '../http/static.ts'
import { installTiming } from '../http/timing.ts'
import { apiTokenOf } from '../lib/bearer.ts'
import { makeAddressList } from '../lib/client-address.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { mailDeliveryRoutes } from '../mail-delivery/mail-delivery.routes.ts'
import type { MailDeliveryService } from '../mail-delivery/mail-delivery.service.ts'
import { metricsRoutes } from '../metrics/metrics.routes.ts'
import type { MetricsService } from '../metrics/metrics.service.ts'
import { networkRoutes } from '../network/network.routes.ts'
import type { NetworkService } from '../network/network.service.ts'
import { noticeRoutes } from '../notice/notice.routes.ts'
import type { NoticeService } from '../notice/notice.service.ts'
import type { IdentityService } from '../oidc/identity.service.ts'
import { oidcCallbackRoute, oidcRoutes } from '../oidc/oidc.routes.ts'
import type { OidcService } from '../oidc/oidc.service.ts'
import { operationRoutes } from '../operation/operation.routes.ts'
import type { OperationService } from '../operation/operation.service.ts'
import { passkeyRoutes } from '../passkey/passkey.routes.ts'
import type { PasskeyService } from '../passkey/passkey.service.ts'
import { projectRoutes } from '../project/project.routes.ts'
import type { ProjectService } from '../project/project.service.ts'
import { projectBinRoutes } from '../project-bin/project-bin.routes.ts'
import type { ProjectBinService } from '../project-bin/project-bin.service.ts'
import { projectMemberRoutes } from '../project-member/project-member.routes.ts'
import type { ProjectMemberService } from '../project-member/project-member.service.ts'
import { proofRoutes } from '../proof/proof.routes.ts'
import type { ProofService } from '../proof/proof.service.ts'
import { quotaRoutes } from '../quota/quota.routes.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makeSearchRepo } from '../search/search.repo.ts'
import { searchRoutes } from '../search/search.routes.ts'
import { makeSearchService } from '../search/search.service.ts'
import { shareOpenRoute, shareRoutes } from '../share/share.routes.ts'
import type { ShareService } from '../share/share.service.ts'
import { limitsOf } from '../share/share.state.ts'
import type { SecondStepService } from '../sign-in/second-step.service.ts'
import { signInRoutes } from '../sign-in/sign-in.routes.ts'
import { snapshotScheduleRoutes } from '../snapshot-schedule/snapshot-schedule.routes.ts'
import type { SnapshotScheduleService } from '../snapshot-schedule/snapshot-schedule.service.ts'
import { sshKeyRoutes } from '../ssh-key/ssh-key.routes.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import { startScriptRoutes } from '../start-script/start-script.routes.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import { templateRoutes } from '../template/template.routes.ts'
import type { BuiltInTemplate, TemplateService } from '../template/template.service.ts'
import { templateBinRoutes } from '../template/template-bin.routes.ts'
import type { TemplateBinService } from '../template/template-bin.service.ts'
import { totpRoutes } from '../totp/totp.routes.ts'
import type { TotpService } from '../totp/totp.service.ts'
import { uploadRoutes } from '../upload/upload.routes.ts'
import type { UploadService } from '../upload/upload.service.ts'
import { usageRoutes } from '../usage/usage.routes.ts'
import type { UsageService } from '../usage/usage.service.ts'
import { vmRoutes } from '../vm/vm.routes.ts'
import type { VmService } from '../vm/vm.service.ts'
import { vmPoolRoutes } from '../vm-pool/vm-pool.routes.ts'
import type { VmPoolService } from '../vm-pool/vm-pool.service.ts'
import { vmSetRoutes } from '../vm-set/vm-set.routes.ts'
import type { VmSetService } from '../vm-set/vm-set.service.ts'
import { vmSnapshotRoutes } from '../vm-snapshot/vm-snapshot.routes.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import { webhookRoutes } from '../webhook/webhook.routes.ts'
import type { WebhookService } from '../webhook/webhook.service.ts'
import type { Queues } from './queues.ts'

/** The HTTP server with everything that is checked before a request reaches a route. It has no routes yet. */
export async function openWeb(
  config: Pick<Config, 'publicUrl' | 'allowedHosts' | 'trustedProxies'>,
  log: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 64 * 1024,
    // Nobody else may say which address a request comes from: rate limits count by it.
    trustProxy: makeAddressList(config.trustedProxies),
    ...connectionOptions(connectionLimits),
    frameworkErrors,
    // Requests in flight may end; event streams are ended by us.
    forceCloseConnections: 'idle',
  })
  installErrorHandler(app, problemOfEngine)
  await app.register(cookie)
  // A proxy on this machine may well be in use without being named.
  limitConnections(app, connectionLimits, makeAddressList(['loopback', ...config.trustedProxies]), log)
  await installGuard(app, config.publicUrl, config.allowedHosts)
  return app
}

/** An engine that cannot do now what it could do later, as one that is away: its sentence is for people. */
const problemOfEngine = (error: unknown): Problem | null =>
  error instanceof EngineError && error.retryable ? new Problem(503, error.message) : null

/** What people read about the host they are on. An engine may find out more about it later: it is asked each time. */
export function hostOf(
  config: Pick<Config, 'productName' | 'contacts' | 'share' | 'signUp' | 'oidc' | 'binDays'>,
  engine: Pick<Engine, 'kind' | 'capabilities'>,
  gateway: Gateway | null,
  templates: readonly BuiltInTemplate[],
  startTime: () => Host['start_time'],
  notice: () => Host['notice'],
  passkeyOrigin: () => string | null,
): Host {
  const { accelerator, acceleratorReason, cannot, addresses } = engine.capabilities
  const sharing = () => limitsOf(engine.capabilities.cannot.ports, config.share)
  return {
    product_name: config.productName,
    engine: engine.kind,
    accelerator,
    accelerator_reason: acceleratorReason,
    get network() {
      return engine.capabilities.network
    },
    cannot: {
      memory_snapshots: cannot.memorySnapshots,
      suspend: cannot.suspend,
      copies: cannot.copies,
      hot_plug: cannot.hotPlug,
      incremental_snapshots: cannot.incrementalSnapshots,
      screens: cannot.screens,
      backups: cannot.backups,
      disk_files: cannot.diskFiles,
      get grow_disks() {
        return engine.capabilities.cannot.growDisks
      },
      get grow_root_disks() {
        return engine.capabilities.cannot.growRootDisks
      },
      change_keys: cannot.changeKeys,
      get networks() {
        return engine.capabilities.cannot.networks
      },
      /** Where no kind is left. */
      get ports() {
        const { tcp, http } = sharing()
        return tcp && http
      },
    },
    get sharing() {
      return sharing()
    },
    addresses,
    ssh_gateway: gateway && {
      host: gateway.host,
      port: gateway.port,
      local_only: gateway.localOnly,
      fingerprint: gateway.fingerprint,
    },
    sign_up: { ...config.signUp, domains: [...config.signUp.domains] },
    oidc_providers: config.oidc.map(({ name, label }) => ({ name, label })),
    get passkey_origin() {
      return passkeyOrigin()
    },
    built_in_templates: templates.map(({ name, cpu, memoryMb }) => ({ name, cpu, memory_mb: memoryMb })),
    get start_time() {
      return startTime()
    },
    bin_days: config.binDays,
    get notice() {
      return notice()
    },
    contacts: config.contacts,
  }
}

/** Mounts every call of the contract on its service, and the console's files beside them. */
export async function installRoutes(
  app: FastifyInstance,
  options: {
    db: Db
    host: Host
    /** Whether people come by https only. */
    isSecure: boolean
    clock: Pick<Clock, 'now' | 'monotonic'>
    /** Folder of the built front end; null serves the API only. */
    webRoot: string | null
    metricsToken: string
    sessionLines: SessionLines
    streams: EventStreams<Topic>
    /** What an answer that is begun now includes at least. */
    revision: () => string
    /** Changes when an account comes into a project, leaves it or becomes something else there. */
    moveOf: (accountId: string) => number
    idempotency: Idempotency
    isShortOfRoom: () => boolean
    queues: Queues
    accounts: AccountService
    settings: SettingsService
    oidc: OidcService
    identities: IdentityService
    secondStep: SecondStepService
    totp: TotpService
    passkeys: PasskeyService
    proofs: ProofService
    apiTokens: ApiTokenService
    adminAccounts: AdminAccountService
    mailDelivery: MailDeliveryService
    activity: ActivityService
    keys: SshKeyService
    projects: ProjectService
    members: ProjectMemberService
    handOvers: HandOverService
    templates: TemplateService
    disks: DiskService
    diskSnapshots: DiskSnapshotService
    diskFiles: DiskFileService
    uploads: UploadService
    vms: VmService
    vmSnapshots: VmSnapshotService
    consoles: ConsoleService
    snapshotSchedules: SnapshotScheduleService
    startScripts: StartScriptService
    pools: VmPoolService
    sets: VmSetService
    operations: OperationService
    batches: BatchService
    webhooks: WebhookService
    bin: BinService
    projectBin: ProjectBinService
    templateBin: TemplateBinService
    networks: NetworkService
    quotas: QuotaService
    deletions: AccountDeletionService
    exports: AccountExportService
    shares: ShareService
    originOf: Parameters<typeof shareOpenRoute>[1]['originOf']
    usage: UsageService
    health: HealthService
    notices: NoticeService
    metrics: MetricsService
  },
): Promise<void> {
  const { db, host, accounts, apiTokens, projects, metrics } = options
  const { clock } = options
  const cookie = makeSessionCookie(options.isSecure)
  app.addHook('onSend', async (request, reply) => cookie.renew(request, reply, clock.now()))
  const bySession: Authenticate = async (request) => {
    const session = await accounts.authenticate(cookie.token(request))
    return session && cookie.holds(request, session, clock.now()) ? session : null
  }
  /** Whoever sends an API token means it: no session stands in for one that does not work. */
  const authenticate: Authenticate = (request) => {
    const token = apiTokenOf(request)
    return token === null ? bySession(request) : apiTokens.authenticate(token)
  }
  const gate: Gate = { authenticate, admit: makeAdmission(projects.standingOf) }
  const { revision, idempotency, isShortOfRoom } = options
  const { calls, exports: inExports } = options.queues
  const base = { ...gate, revision, idempotency, isShortOfRoom, calls }
  const route = makeRoute(app, base)
  const socketRoute = await installSockets(app, gate, options.sessionLines, clock)
  hostRoutes(route, {
    host,
    ping: async () => {
      await sql`select 1`.execute(db)
    },
  })
  signInRoutes(route, options, cookie, options.revision)
  accountRoutes(route, accounts, cookie)
  adminAccountRoutes(route, options.adminAccounts)
  mailDeliveryRoutes(route, options.mailDelivery)
  settingsRoutes(route, options.settings)
  accountDeletionRoutes(route, options.deletions, cookie.clear)
  await app.register((forms, _, done) => {
    acceptForms(forms)
    oidcRoutes({ route, formRoute: makeRoute(forms, base) }, options, options.isSecure)
    done()
  })
  await app.register((files, _, done) => {
    acceptFiles(files)
    uploadRoutes({ route, fileRoute: makeRoute(files, base) }, options.uploads)
    done()
  })
  oidcCallbackRoute(app, { ...options, authenticate: bySession, setSession: cookie.set })
  totpRoutes(route, options.totp)
  passkeyRoutes(route, options.passkeys)
  proofRoutes(route, options.proofs)
  accountExportRoutes(route, options.exports, inExports)
  projectRoutes(route, projects)
  projectMemberRoutes(route, options.members)
  handOverRoutes(route, options.handOvers)
  sshKeyRoutes(route, options.keys)
  apiTokenRoutes(route, apiTokens)
  templateRoutes(route, options.templates)
  diskRoutes(route, options.disks)
  diskFileRoutes(route, options.diskFiles)
  vmRoutes(route, options.vms)
  consoleRoutes(route, socketRoute, options.consoles)
  startScriptRoutes(route, options.startScripts)
  usageRoutes(route, options.usage)
  vmPoolRoutes(route, options.pools)
  vmSetRoutes(route, options.sets)
  vmSnapshotRoutes(route, options.vmSnapshots)
  diskSnapshotRoutes(route, options.diskSnapshots, options.disks)
  snapshotScheduleRoutes(route, options.snapshotSchedules)
  shareRoutes(route, options.shares)
  shareOpenRoute(app, {
    ...options,
    async authenticate(request) {
      const session = await bySession(request)
      return session?.isLeaving ? null : session
    },
  })
  operationRoutes(route, options.operations)
  batchRoutes(route, options.batches)
  webhookRoutes(route, options.webhooks)
  binRoutes(route, options.bin)
  projectBinRoutes(route, options.projectBin)
  templateBinRoutes(route, options.templateBin)
  networkRoutes(route, options.networks)
  quotaRoutes(route, options.quotas)
  activityRoutes(route, options.activity, inExports)
  searchRoutes(route, makeSearchService(makeSearchRepo(db)))
  healthRoutes(route, options.health)
  noticeRoutes(route, options.notices)
  installTiming(app, metrics.observe)
  metricsRoutes(route, metrics, options.metricsToken)
  eventRoutes(route, options.streams, { list: projects.list, moveOf: options.moveOf }, gate)
  await installStatic(app, options.webRoot, host)
}
