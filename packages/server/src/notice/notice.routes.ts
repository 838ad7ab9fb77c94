import { noticeApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { NoticeService } from './notice.service.ts'

export function noticeRoutes(route: Route, notices: NoticeService): void {
  route(noticeApi.set, ({ user, body }) => notices.set(user, body))
  route(noticeApi.remove, ({ user }) => notices.remove(user))
}
