import { z } from 'zod'
import type { EventBus } from '../event/event.bus.ts'
import type { Peers } from '../lib/peers.ts'
import { makeNoticeRepo } from '../notice/notice.repo.ts'
import { makeNoticeService } from '../notice/notice.service.ts'
import type { Base } from './base.ts'

const noticeChanged = { name: 'noticeChanged', body: z.object({}) }

/** The notice of the operator, the same at all servers. */
export function makeNotices(
  { db, clock, log }: Pick<Base, 'db' | 'clock' | 'log'>,
  peers: Peers,
  bus: EventBus,
) {
  const notices = makeNoticeService({
    repo: makeNoticeRepo(db),
    tell: () => peers.tell(noticeChanged, {}),
    clock,
    log,
  })
  peers.hear(noticeChanged, () => void notices.reload().then(bus.haveAllRead))
  /** Another server may have changed it unheard. */
  async function catchUp(): Promise<void> {
    if (await notices.reload()) bus.haveAllRead()
  }
  peers.onGap(() => void catchUp())
  peers.onBack(() => void catchUp())
  return notices
}
