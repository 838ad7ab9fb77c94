import type { ApiToken, ApiTokenAccess } from '@slipway/contract'
import { formatAgoOrDate, formatDateTime } from '../../time.ts'

export const accessWords: Record<ApiTokenAccess, string> = { read: 'Read', write: 'Read and write' }

/** Names of more projects would hide the rest of the row. */
const namesShown = 3

/** Where a token can be used: `All projects`, or the names of some. */
export function coverageText(
  { project_ids }: Pick<ApiToken, 'project_ids'>,
  projects: readonly { id: string; name: string }[],
): string {
  if (project_ids === null) return 'All projects'
  const names = projects.filter(({ id }) => project_ids.includes(id)).map(({ name }) => name)
  if (names.length === 0) return 'None of your projects'
  const more = names.length - namesShown
  return [...names.slice(0, namesShown), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

export const isExpired = ({ expires_at }: Pick<ApiToken, 'expires_at'>, nowMs: number): boolean =>
  Date.parse(expires_at) <= nowMs

export const expiryText = (token: Pick<ApiToken, 'expires_at'>, nowMs: number): string =>
  `${isExpired(token, nowMs) ? 'Expired' : 'Expires'} ${formatDateTime(token.expires_at)}`

export function lastUseText({ last_used_at }: Pick<ApiToken, 'last_used_at'>, nowMs: number): string {
  if (last_used_at === null) return 'Never used'
  return `Last used ${formatAgoOrDate(last_used_at, nowMs)}`
}
