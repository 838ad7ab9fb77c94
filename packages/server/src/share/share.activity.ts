/** What the activity log says of shared ports. */
import type { shareAudiences } from '@slipway/contract'
import { change, type Entry, entry, type Subject, type Told, wish } from '../activity/entry.ts'
import type { ShareRecord } from './share.state.ts'

export type Named = Pick<ShareRecord, 'id' | 'port' | 'vmName' | 'projectId'>

const shareSubject = ({ id, port, vmName, projectId }: Named): Subject => ({
  type: 'share',
  id,
  name: `${vmName}:${port}`,
  projectId,
})

const titleOf = ({ port, vmName }: Named): string => `port ${port} of VM ${vmName}`

const audienceWords: Record<(typeof shareAudiences)[number], string> = {
  project: 'people of the project',
  link: 'everyone with the link',
  everybody: 'everyone',
}

const toldOf = (share: Named, told: Told, nowMs: number): Entry => entry(nowMs, shareSubject(share), told)

export const shared = (share: ShareRecord, userId: string, nowMs: number): Entry =>
  toldOf(
    share,
    wish(
      userId,
      'share.create',
      `Shared ${titleOf(share)}`,
      `For ${audienceWords[share.audience]}${untilOf(share)}.`,
    ),
    nowMs,
  )

export const reshared = (share: ShareRecord, userId: string, nowMs: number): Entry =>
  toldOf(
    share,
    wish(
      userId,
      'share.update',
      `Changed sharing of ${titleOf(share)}`,
      `For ${audienceWords[share.audience]}${untilOf(share)}.`,
    ),
    nowMs,
  )

export const unshared = (share: Named, userId: string, nowMs: number): Entry =>
  toldOf(share, wish(userId, 'share.delete', `Stopped sharing ${titleOf(share)}`), nowMs)

export const expired = (share: Named, nowMs: number): Entry =>
  toldOf(share, change('share.expired', `Stopped sharing ${titleOf(share)}`, 'Its end was reached.'), nowMs)

export const endedWithVm = (share: Named, nowMs: number): Entry =>
  toldOf(
    share,
    change('share.ended', `Stopped sharing ${titleOf(share)}`, `VM ${share.vmName} was deleted.`),
    nowMs,
  )

const untilOf = ({ expiresAt }: ShareRecord): string => (expiresAt === null ? '' : `, until ${expiresAt}`)
