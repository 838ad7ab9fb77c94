import { type Me, type Notice, type NoticeSet, noticeTexts } from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { NoticeRepo } from './notice.repo.ts'

export type NoticeService = ReturnType<typeof makeNoticeService>

export interface NoticeServiceOptions {
  repo: NoticeRepo
  /** Tells all servers that it changed. */
  tell: () => void
  clock: Clock
  log: Pick<Log, 'error'>
}

/** What the operator tells everybody. Each page has it, also of who is not signed in: it is kept in memory, as stored last. */
export function makeNoticeService({ repo, tell, clock, log }: NoticeServiceOptions) {
  let latest: Notice | null = null
  /** One reading after the other: two at once could end with the older one. */
  let reading = Promise.resolve(false)

  /** Reads what is stored; whether it is another one. What cannot be read now stays as it was, until the next time. */
  function reload(): Promise<boolean> {
    reading = reading
      .then(async () => {
        const before = latest
        latest = await repo.find()
        return latest?.set_at !== before?.set_at
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'The notice could not be read')
        return false
      })
    return reading
  }

  const told = ({ id, name }: Me, what: ReturnType<typeof wish>) =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  function requireAdmin({ is_admin }: Me): void {
    if (!is_admin) throw new Problem(403, noticeTexts.refused)
  }

  async function changed(): Promise<void> {
    // The next answer of this server has it.
    await reload()
    tell()
  }

  return {
    latest: (): Notice | null => latest,

    reload,

    async set(admin: Me, { tone, text }: NoticeSet): Promise<Notice> {
      requireAdmin(admin)
      const notice = { tone, text, set_at: isoTime(clock.now()) }
      await repo.set(notice, told(admin, wish(admin.id, 'notice.set', 'Set the notice for everybody', text)))
      await changed()
      return notice
    },

    /** Throws 404 when there is none. */
    async remove(admin: Me): Promise<void> {
      requireAdmin(admin)
      const removed = wish(admin.id, 'notice.remove', 'Removed the notice for everybody')
      if (!(await repo.remove(told(admin, removed)))) throw new Problem(404, noticeTexts.none)
      await changed()
    },
  }
}
