import {
  type AdminMail,
  type AdminMailPage,
  type adminMailApi,
  adminMailTexts,
  type Me,
  type Parsed,
} from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { MailDeliveryRepo } from './mail-delivery.repo.ts'

const dayMs = 24 * 60 * 60_000
/** How long mails are listed that were sent, and that were not. */
const sentDays = 7
const failedDays = 30
/** Of each kind at most so many. */
const newestKept = 10_000

export type MailDeliveryService = ReturnType<typeof makeMailDeliveryService>

/** What administrators see of mails. */
export function makeMailDeliveryService(options: {
  repo: Pick<MailDeliveryRepo, 'page' | 'find' | 'figures' | 'sendAgain' | 'deleteOld'>
  /** The mail server is tried at once. */
  tryAgain: () => void
  clock: Clock
}) {
  const { repo, clock } = options
  const now = () => isoTime(clock.now())
  const daysAgo = (days: number) => isoTime(clock.now() - days * dayMs)

  function requireAdmin({ is_admin }: Me): void {
    if (!is_admin) throw new Problem(403, adminMailTexts.refused)
  }

  async function own(id: string): Promise<AdminMail> {
    const mail = await repo.find(id, now())
    if (!mail) throw new Problem(404, adminMailTexts.notFound)
    return mail
  }

  function whyNot({ state, is_being_sent, can_be_sent }: AdminMail): string {
    if (state === 'sent') return adminMailTexts.sent
    // It can be by now: the try that was in the way has failed meanwhile.
    return is_being_sent || can_be_sent ? adminMailTexts.beingSent : adminMailTexts.over
  }

  return {
    /** For health and metrics: what failed counts for a day. */
    figures: () => repo.figures(daysAgo(1)),

    async list(
      user: Me,
      { limit, ...filter }: Parsed<(typeof adminMailApi)['list']>['query'],
    ): Promise<AdminMailPage> {
      requireAdmin(user)
      const [found, { waiting, failed, oldestAt }] = await Promise.all([
        repo.page(filter, limit + 1, now()),
        repo.figures(daysAgo(failedDays)),
      ])
      const mails = found.slice(0, limit)
      const next = found.length > limit ? (mails.at(-1)?.id ?? null) : null
      return { mails, next, waiting, failed, oldest_waiting_at: oldestAt }
    },

    /** Throws 404, and 409 for one that was sent, is being sent or has a secret that is of no use any more. */
    async retry(user: Me, id: string): Promise<AdminMail> {
      requireAdmin(user)
      const mail = await own(id)
      const asked = wish(
        user.id,
        'adminMail.retry',
        `Had the mail ${mail.purpose} to ${mail.recipient} sent again`,
      )
      const subject = { type: 'account', id: user.id, name: user.name, accountId: user.id } as const
      if (!(await repo.sendAgain(id, now(), entry(clock.now(), subject, asked))))
        throw new Problem(409, whyNot(await own(id)))
      options.tryAgain()
      return own(id)
    },

    sweep: (): Promise<void> =>
      repo.deleteOld({ sent: daysAgo(sentDays), failed: daysAgo(failedDays) }, newestKept),
  }
}
