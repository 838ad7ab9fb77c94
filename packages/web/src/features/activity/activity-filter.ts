import { type ActivityKind, type ActivityObject, activityKinds, activityObjects } from '@slipway/contract'
import type { ActivityFilter } from '../../api/activity.ts'
import type { ListState } from '../../shell/list-state.ts'

/** What the page of a log can be narrowed down by, as it stands in its URL. */
export const activitySpec = {
  kind: ['all', ...activityKinds],
  type: ['all', ...activityObjects],
  by: ['all', 'user', 'system'],
  object: '',
} as const

const wanted = <Word extends string>(word: Word): Exclude<Word, 'all' | ''> | undefined =>
  word === 'all' || word === '' ? undefined : (word as Exclude<Word, 'all' | ''>)

/** The same as the server wants to hear it. */
export function filterOf({ kind, type, by, object }: ListState<typeof activitySpec>): ActivityFilter {
  return {
    kind: wanted<ActivityKind | 'all'>(kind),
    object_type: wanted<ActivityObject | 'all'>(type),
    actor: wanted(by),
    object_id: wanted(object),
  }
}

export const isFiltered = (filter: ActivityFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)
