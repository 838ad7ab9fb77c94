import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import { makeAccountLimits } from '../account/account.limits.ts'
import { makeAccountRepo } from '../account/account.repo.ts'
import { makeAccountService } from '../account/account.service.ts'
import { makeAccountDeskRepo } from '../account/account-desk.repo.ts'
import { makeAccountDeskService } from '../account/account-desk.service.ts'
import { makeSettingsRepo } from '../account/settings.repo.ts'
import { makeSettingsService } from '../account/settings.service.ts'
import { makeActivityRepo } from '../activity/activity.repo.ts'
import { makeActivityService } from '../activity/activity.service.ts'
import { makeApiTokenRepo } from '../api-token/api-token.repo.ts'
import { makeApiTokenService } from '../api-token/api-token.service.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import type { EventBus } from '../event/event.bus.ts'
import { type Dial, makeDoors } from '../gateway/doors.ts'
import { makeGatewayRepo } from '../gateway/gateway.repo.ts'
import { makeGatewayService } from '../gateway/gateway.service.ts'
import type { Gateway } from '../gateway/gateway.thread.ts'
import type { SessionLines } from '../http/sessions.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Peers } from '../lib/peers.ts'
import type { Uses } from '../lib/uses.ts'
import type { SendMail } from '../mail/mail.ts'
import type { ProjectService } from '../project/project.service.ts'
import { makeProjectMemberRepo } from '../project-member/project-member.repo.ts'
import { makeProjectMemberService } from '../project-member/project-member.service.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makeSshKeyRepo } from '../ssh-key/ssh-key.repo.ts'
import { makeSshKeyService } from '../ssh-key/ssh-key.service.ts'

const keyDeleted = {
  name: 'keyDeleted',
  body: z.object({ accountId: z.string(), fingerprint: z.string() }),
}
const accountDisabled = { name: 'accountDisabled', body: z.string() }
const sessionsEnded = {
  name: 'sessionsEnded',
  body: z.union([z.object({ sessionId: z.string() }), z.object({ accountId: z.string() })]),
}

/** Accounts with their SSH keys and API tokens, the members of projects, the log of what people did, and their visits by SSH. */
export function makePeople(options: {
  config: Pick<Config, 'dataDir' | 'productName' | 'admins' | 'signUp' | 'activityDays'>
  db: Db
  clock: Clock
  log: FastifyBaseLogger
  projects: ProjectService
  sendMail: SendMail
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
  const { config, db, clock, log, sessionLines, peers, gateway } = options
  const activity = makeActivityService({
    repo: makeActivityRepo(db),
    admins: config.admins,
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
  const limits = makeAccountLimits(peers, log)
  const keptOf = async (accountId: string) => ({
    keys: await keys.list(accountId),
    tokens: await apiTokens.list(accountId),
  })
  const memberRepo = makeProjectMemberRepo(db)
  const accounts = makeAccountService({
    repo: makeAccountRepo(db),
    sendMail: options.sendMail,
    publicUrl: options.publicUrl,
    productName: config.productName,
    admins: config.admins,
    keptOf,
    signUpRule: config.signUp,
    isInvited: memberRepo.isInvited,
    onSessionsEnded: endEverywhere,
    limits,
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
  const makeDesk = (quotas: QuotaService) =>
    makeAccountDeskService({
      repo: makeAccountDeskRepo(db),
      quotas,
      admins: config.admins,
      onSessionsEnded(accountId) {
        endEverywhere({ accountId })
        cutVisits(accountId)
        peers.tellOthers(accountDisabled, accountId)
      },
      clock,
    })
  const members = makeProjectMemberService({
    repo: memberRepo,
    projects: options.projects,
    canSignUp: config.signUp.policy !== 'closed',
    askForMail: limits.askForMail,
    sendMail: options.sendMail,
    productName: config.productName,
    publicUrl: options.publicUrl,
    changed: options.bus.changed,
    clock,
    log,
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
    sendMail: options.sendMail,
    installation: () => ({ productName: config.productName, url: options.publicUrl() }),
    keptOf,
    onSessionEnded: (sessionId) => endEverywhere({ sessionId }),
    clock,
    log,
  })
  return { accounts, settings, apiTokens, activity, keys, visits, members, makeDesk }
}
