import { activityKinds, activityObjects } from '@slipway/contract'
import type { ActivityFilter } from '../../api/activity.ts'

const oneOf = <Word extends string>(words: readonly Word[], text: string | null): Word | undefined =>
  words.find((word) => word === text)

/** What the query of the page's address asks for; what it does not know counts as nothing. */
export function readFilter(query: URLSearchParams): ActivityFilter {
  return {
    kind: oneOf(activityKinds, query.get('kind')),
    object_type: oneOf(activityObjects, query.get('type')),
    actor: oneOf(['user', 'system'] as const, query.get('by')),
    object_id: query.get('object') || undefined,
  }
}

/** The query that asks for a filter. */
export function writeFilter({ kind, object_type, actor, object_id }: ActivityFilter): Record<string, string> {
  const query = { kind, type: object_type, by: actor, object: object_id }
  return Object.fromEntries(
    Object.entries(query).filter((part): part is [string, string] => part[1] !== undefined),
  )
}

export const isFiltered = (filter: ActivityFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)
