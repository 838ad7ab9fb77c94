import {
  accessTexts,
  accountDeletionTexts,
  type HandOverOffer,
  handOverDays,
  messages,
  type Project,
  type ProjectHandOver,
  projectMemberTexts,
  handOverTexts as texts,
  type User,
} from '@slipway/contract'
import type { Tx } from '../db/open.ts'
import type { Changed } from '../event/event.bus.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { handOverMail } from './hand-over.mails.ts'
import type { HandOverRepo, Refusal } from './hand-over.repo.ts'

const dayMs = 24 * 60 * 60_000

const problems: Record<Refusal, () => Problem> = {
  'not-owner': () => new Problem(403, accessTexts.owner),
  'no-member': () => new Problem(404, projectMemberTexts.notFound),
  'is-owner': () => new Problem(409, texts.isOwner),
  none: () => new Problem(404, texts.notFound),
  'not-for-you': () => new Problem(403, texts.notForYou),
  leaves: () => new Problem(409, accountDeletionTexts.newOwnerLeaves),
}

export type HandOverService = ReturnType<typeof makeHandOverService>

export interface HandOverServiceOptions {
  repo: HandOverRepo
  projects: Pick<ProjectService, 'list'>
  quotas: Pick<QuotaService, 'requireForNewOwner'>
  /** Throws 429 when too many mails go to an address, or are asked for from a network. */
  askForMail: (email: string, network: string) => Promise<void>
  mails: MailQueue
  productName: string
  publicUrl: () => string
  changed: Changed
  clock: Clock
}

/** Projects get another owner when that one accepts; until then everything stays as it is. */
export function makeHandOverService(options: HandOverServiceOptions) {
  const { repo, projects, quotas, mails, changed, clock } = options
  const of = (user: { id: string }, projectId: string) => ({ actorId: user.id, projectId, at: clock.now() })

  /** Whoever looks at the members loads them anew. */
  const announce = (projectId: string) => changed('project', projectId, projectId)

  /** Why somebody could not take a project over now. */
  async function refusalOf(projectId: string, accountId: string): Promise<string | null> {
    try {
      await quotas.requireForNewOwner(projectId, accountId)
      return null
    } catch (error) {
      if (error instanceof Problem) return error.message
      throw error
    }
  }

  return {
    async ask(user: User, projectId: string, memberId: string, ip: string): Promise<ProjectHandOver> {
      const email = await repo.emailOf(projectId, memberId)
      if (email === null) throw problems['no-member']()
      await options.askForMail(email, clientNetworkOf(ip))
      const act = of(user, projectId)
      const { productName, publicUrl } = options
      const mail = handOverMail(email, user.email, projectId, { productName, url: publicUrl() })
      const expiresAt = isoTime(act.at + handOverDays * dayMs)
      const handOver = await repo.ask(
        { ...act, memberId, expiresAt },
        mails.seal(mail, { purpose: 'hand-over', accountId: memberId }),
      )
      if (typeof handOver === 'string') throw problems[handOver]()
      mails.kick()
      announce(projectId)
      return handOver
    },

    /** Members see that it waits; whether their account has room only the one who is asked. */
    async get(user: User, projectId: string): Promise<HandOverOffer> {
      const found = await repo.find(projectId, isoTime(clock.now()))
      if (!found) throw problems.none()
      return { ...found, refusal: found.to.id === user.id ? await refusalOf(projectId, user.id) : null }
    },

    async withdraw(user: User, projectId: string): Promise<void> {
      const outcome = await repo.withdraw(of(user, projectId))
      if (outcome !== 'withdrawn') throw problems[outcome]()
      announce(projectId)
    },

    async decline(user: User, projectId: string): Promise<void> {
      const outcome = await repo.decline(of(user, projectId))
      if (outcome !== 'declined') throw problems[outcome]()
      announce(projectId)
    },

    async accept(user: User, projectId: string): Promise<Project> {
      const outcome = await repo.accept(of(user, projectId), (tx: Tx) =>
        quotas.requireForNewOwner(projectId, user.id, tx),
      )
      if (typeof outcome === 'string' && outcome !== 'done') throw problems[outcome]()
      if (outcome !== 'done') {
        const { roles, moved } = outcome
        changed('project', projectId, projectId, { roles, moved })
      }
      const project = (await projects.list(user.id)).find(({ id }) => id === projectId)
      if (!project) throw new Problem(404, messages.projectNotFound)
      return project
    },
  }
}
