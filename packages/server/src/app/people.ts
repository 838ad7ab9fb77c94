import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { makeAccountLimits } from '../account/account.limits.ts'
import { makeAccountRepo } from '../account/account.repo.ts'
import { makeAccountService } from '../account/account.service.ts'
import { factorMail } from '../account/factor-mail.ts'
import { makePasswords, type PasswordCost } from '../account/password.ts'
import { makeSettingsRepo } from '../account/settings.repo.ts'
import { makeSettingsService } from '../account/settings.service.ts'
import { makeRequireWayIn } from '../account/sign-in-ways.service.ts'
import { makeActivityRepo } from '../activity/activity.repo.ts'
import { makeActivityService } from '../activity/activity.service.ts'
import { makeAdminAccountRepo } from '../admin-account/admin-account.repo.ts'
import { makeAdminAccountService } from '../admin-account/admin-account.service.ts'
import { makeApiTokenRepo } from '../api-token/api-token.repo.ts'
import { makeApiTokenService } from '../api-token/api-token.service.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import type { EventBus } from '../event/event.bus.ts'
import { type Dial, makeDoors } from '../gateway/doors.ts'
import { makeGatewayRepo } from '../gateway/gateway.repo.ts'
import { makeGatewayService } from '../gateway/gateway.service.ts'
import type { Gateway } from '../gateway/gateway.thread.ts'
import { makeHandOverRepo } from '../hand-over/hand-over.repo.ts'
import { makeHandOverService } from '../hand-over/hand-over.service.ts'
import type { SessionLines } from '../http/sessions.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Peers } from '../lib/peers.ts'
import type { Uses } from '../lib/uses.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import { makeIdentityRepo } from '../oidc/identity.repo.ts'
import { makeIdentityService } from '../oidc/identity.service.ts'
import { makeOidcProvider } from '../oidc/oidc.provider.ts'
import { makeOidcRepo } from '../oidc/oidc.repo.ts'
import { callbackOf } from '../oidc/oidc.routes.ts'
import { makeOidcService } from '../oidc/oidc.service.ts'
import { makePasskeyRepo } from '../passkey/passkey.repo.ts'
import { makePasskeyService } from '../passkey/passkey.service.ts'
import type { ProjectService } from '../project/project.service.ts'
import { makeProjectMemberRepo } from '../project-member/project-member.repo.ts'
import { makeProjectMemberService } from '../project-member/project-member.service.ts'
import { makeProofRepo } from '../proof/proof.repo.ts'
import { makeProofService } from '../proof/proof.service.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makePendingSignInRepo } from '../sign-in/pending-sign-in.repo.ts'
import { makeSecondStepService } from '../sign-in/second-step.service.ts'
import { makeSshKeyRepo } from '../ssh-key/ssh-key.repo.ts'
import { makeSshKeyService } from '../ssh-key/ssh-key.service.ts'
import { makeTotpRepo } from '../totp/totp.repo.ts'
import { makeTotpService } from '../totp/totp.service.ts'

const keyDeleted = {
  name: 'keyDeleted',
  body: z.object({ accountId: z.string(), fingerprint: z.string() }),
}
const accountDisabled = { name: 'accountDisabled', body: z.string() }
const sessionsEnded = {
  name: 'sessionsEnded',
  body: z.union([z.object({ sessionId: z.string() }), z.object({ accountId: z.string() })]),
}

/** Accounts with the ways to sign in to them, their SSH keys and API tokens, the members of projects, the log of what people did, and their visits by SSH. */
export function makePeople(options: {
  config: Pick<Config, 'dataDir' | 'productName' | 'admins' | 'signUp' | 'oidc' | 'activityDays'>
  db: Db
  clock: Clock
  log: FastifyBaseLogger
  projects: ProjectService
  mails: MailQueue
  /** Encrypts the secrets of authenticator apps. */
  factorKey: string
  passwordCost: PasswordCost
  /** Where passkeys work; null where no browser lets this server use them. */
  passkeyOrigin: () => string | null
  /** Where people reach the server, without a slash at the end. */
  publicUrl: () => string
  sessionLines: SessionLines
  peers: Peers
  gateway: Gateway | null
  dial: Dial
  isWaking: (vmId: string) => boolean
  uses: Uses
  bus: EventBus
}) {
  const { config, db, clock, log, sessionLines, peers, gateway, mails } = options
  const activity = makeActivityService({
    repo: makeActivityRepo(db),
    days: config.activityDays,
    clock,
  })
  const visits = gateway
    ? makeGatewayService({
        repo: makeGatewayRepo(db),
        cut: gateway.cut,
        prove: (fingerprint, code) => keys.prove(fingerprint, code),
        called: gateway,
        dial: options.dial,
        isWaking: options.isWaking,
        uses: options.uses,
        doors: makeDoors(join(options.config.dataDir, 'doors'), log),
        activity,
        clock,
        log,
      })
    : null
  const keys = makeSshKeyService({
    repo: makeSshKeyRepo(db),
    clock,
    hasGateway: gateway !== null,
    onDeleted(accountId, fingerprint) {
      visits?.keyDeleted(accountId, fingerprint)
      peers.tellOthers(keyDeleted, { accountId, fingerprint })
    },
  })
  peers.hear(keyDeleted, ({ accountId, fingerprint }) => visits?.keyDeleted(accountId, fingerprint))
  const accountRepo = makeAccountRepo(db)
  const limits = makeAccountLimits(
    peers,
    (whose) => accountRepo.sessionAddresses(whose, isoTime(clock.now())),
    log,
  )
  const keptOf = async (accountId: string) => ({
    keys: await keys.list(accountId),
    tokens: await apiTokens.list(accountId),
    passkeys: await passkeyRepo.list(accountId),
  })
  const passkeyRepo = makePasskeyRepo(db)
  const memberRepo = makeProjectMemberRepo(db)
  const installation = () => ({ productName: config.productName, url: options.publicUrl() })
  const mailTo: Parameters<typeof makeTotpService>[0]['mailTo'] = (owner, news, ip) =>
    mails.seal(factorMail(owner, installation(), news, ip), { purpose: 'factor', accountId: owner.id })
  const beginCode = (accountId: string, ip: string) => limits.beginCode(accountId, clientNetworkOf(ip))
  const totp = makeTotpService({
    repo: makeTotpRepo(db),
    key: options.factorKey,
    productName: config.productName,
    beginCode,
    mailTo,
    kickMails: mails.kick,
    clock,
    log,
  })
  const secondStep = makeSecondStepService({
    repo: makePendingSignInRepo(db),
    accountById: accountRepo.byId,
    record: accountRepo.recordOnly,
    totp,
    beginCode: limits.beginCode,
    takeStep: limits.takeStep,
    openSession: () => accounts.openSession,
    clock,
    log,
  })
  const passwords = makePasswords(options.passwordCost)
  const accounts = makeAccountService({
    repo: accountRepo,
    mails,
    publicUrl: options.publicUrl,
    productName: config.productName,
    admins: config.admins,
    isAdminGroup: (group) => oidc.isAdminGroup(group),
    beginSecondStep: (account, remember) => secondStep.begin(account, remember),
    keptOf,
    signUpRule: config.signUp,
    isInvited: memberRepo.isInvited,
    onSessionsEnded: endEverywhere,
    limits,
    passwords,
    clock,
    log,
  })
  function endEverywhere(ended: z.infer<typeof sessionsEnded.body>): void {
    endLines(ended)
    peers.tellOthers(sessionsEnded, ended)
  }
  function endLines(ended: z.infer<typeof sessionsEnded.body>): void {
    if ('sessionId' in ended) sessionLines.endSession(ended.sessionId)
    else sessionLines.endAccount(ended.accountId)
  }
  peers.hear(sessionsEnded, endLines)
  const apiTokens = makeApiTokenService({
    repo: makeApiTokenRepo(db),
    activeUser: accounts.active,
    projectsOf: options.projects.list,
    onRevoked: (sessionId) => endEverywhere({ sessionId }),
    clock,
    log,
  })
  function cutVisits(accountId: string): void {
    visits?.accountDisabled(accountId)
  }
  peers.hear(accountDisabled, cutVisits)
  /** Ends all that stands on an account, on every server. */
  function cutOff(accountId: string): void {
    endEverywhere({ accountId })
    cutVisits(accountId)
    peers.tellOthers(accountDisabled, accountId)
  }
  const makeAdminAccounts = (quotas: QuotaService) =>
    makeAdminAccountService({
      repo: makeAdminAccountRepo(db),
      quotas,
      totp,
      admins: config.admins,
      onDisabled: cutOff,
      onSessionsEnded: (accountId) => endEverywhere({ accountId }),
      clock,
    })
  const makeHandOvers = (quotas: QuotaService) =>
    makeHandOverService({
      repo: makeHandOverRepo(db),
      projects: options.projects,
      quotas,
      askForMail: limits.askForMail,
      mails,
      productName: config.productName,
      publicUrl: options.publicUrl,
      changed: options.bus.changed,
      clock,
    })
  const members = makeProjectMemberService({
    repo: memberRepo,
    projects: options.projects,
    canSignUp: config.signUp.policy !== 'closed' && config.signUp.policy !== 'oidc',
    askForMail: limits.askForMail,
    mails,
    productName: config.productName,
    publicUrl: options.publicUrl,
    changed: options.bus.changed,
    clock,
  })
  options.bus.onMoved((accountIds, projectId) => {
    for (const accountId of accountIds) {
      sessionLines.recheck(accountId)
      const ended = visits?.moved(accountId, projectId)
      if (ended !== undefined) inBackground(log, 'ending visits of a member by SSH', ended)
    }
  })
  const settings = makeSettingsService({
    repo: makeSettingsRepo(db),
    limits,
    passwords,
    mails,
    installation,
    keptOf,
    onSessionEnded: (sessionId) => endEverywhere({ sessionId }),
    changed: options.bus.changed,
    clock,
    log,
  })
  /** What the deletion of accounts needs of them. */
  const leaving = {
    admins: config.admins,
    mails,
    installation,
    apiTokenIds: async (accountId: string) => (await apiTokens.list(accountId)).map(({ id }) => id),
    onEnded(accountId: string, apiTokenIds: readonly string[]): void {
      cutOff(accountId)
      for (const sessionId of apiTokenIds) endEverywhere({ sessionId })
    },
  }
  const providers = config.oidc.map((one) =>
    makeOidcProvider(one, callbackOf(options.publicUrl(), one.name), clock),
  )
  const requireWayIn = makeRequireWayIn(
    providers.map(({ issuer }) => issuer),
    () => options.passkeyOrigin() !== null,
  )
  const identities = makeIdentityService({
    repo: makeIdentityRepo(db),
    providers,
    newSession: accounts.newSession,
    signUpRule: config.signUp,
    isInvited: memberRepo.isInvited,
    requireWayIn,
    mails,
    installation,
    clock,
    log,
  })
  const oidc = makeOidcService({
    repo: makeOidcRepo(db),
    identities,
    providers,
    limits,
    onSessionEnded: (sessionId) => endEverywhere({ sessionId }),
    clock,
    log,
  })
  const passkeys = makePasskeyService({
    repo: passkeyRepo,
    accountById: accountRepo.byId,
    openSession: accounts.openSession,
    origin: options.passkeyOrigin,
    productName: config.productName,
    countRequest: (ip) => limits.takeStep(clientNetworkOf(ip)),
    requireWayIn,
    mailTo,
    kickMails: mails.kick,
    clock,
    log,
  })
  const proofs = makeProofService({
    repo: makeProofRepo(db),
    requirePassword: settings.requirePassword,
    hasPassword: identities.hasPassword,
    totp,
    passkeys,
    beginCode,
    clock,
  })
  return {
    accounts,
    secondStep,
    totp,
    passkeys,
    proofs,
    settings,
    oidc,
    identities,
    apiTokens,
    activity,
    keys,
    visits,
    members,
    makeAdminAccounts,
    makeHandOvers,
    leaving,
  }
}
