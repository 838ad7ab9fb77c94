import { type ReactNode, useMemo } from 'react'
import { useParams } from 'react-router'
import { ListPage, type ListPageProps } from '../../shell/ListPage.tsx'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useListSearch } from '../../shell/use-list-search.ts'
import { CardGrid } from '../../ui/CardGrid.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { Selecting } from '../batch/Selecting.tsx'
import { GroupCardOutline } from './GroupCard.tsx'
import { GroupDialogs } from './GroupDialogs.tsx'
import type { Group, GroupKind } from './group-kind.ts'
import { matchesGroup } from './group-search.ts'

interface GroupListProps<G extends Group> {
  kind: GroupKind<G>
  title: string
  description: string
  texts: ListPageProps['texts']
  create: Omit<Parameters<typeof ListPage>[0]['create'], 'to'>
  /** These stay the same functions, so that only what changed is drawn again. */
  stats: (groups: readonly G[]) => Parameters<typeof StatRow>[0]['stats']
  card: (group: G) => ReactNode
  likelyCardHeight: () => number
}

/** The page that lists the pools or sets of a project: totals, search and cards. */
export function GroupList<G extends Group>({
  kind,
  title,
  description,
  texts,
  create,
  stats,
  card,
  likelyCardHeight,
}: GroupListProps<G>) {
  const { projectId = '' } = useParams()
  const { groups, ...list } = kind.useAll(projectId)
  useAnnouncedChanges(groups, kind)
  const search = useListSearch(groups, matchesGroup)
  const totals = useMemo(
    () => <StatRow label={`${kind.plural} in numbers`} stats={stats(groups)} />,
    [kind, stats, groups],
  )
  const items = useMemo(
    () => (
      <CardGrid
        label={kind.plural}
        items={search.found}
        likelyHeight={likelyCardHeight}
        card={card}
        outline={(group, height) => <GroupCardOutline group={group} height={height} />}
      />
    ),
    [kind, search.found, card, likelyCardHeight],
  )
  return (
    <>
      <ListPage
        title={title}
        description={description}
        texts={texts}
        list={{ ...list, total: groups.length, shown: search.found.length }}
        create={{ ...create, to: kind.paths.create(projectId) }}
        outline="cards"
        head={
          <>
            {totals}
            <SearchBar search={search} plural={kind.plural} by="name, template, SSH key or status" />
          </>
        }
        items={
          <Selecting kind={kind.objectKind} all={groups} shown={search.found}>
            {items}
          </Selecting>
        }
        noMatch={<NoMatch search={search} noun={kind.noun} />}
      />
      <GroupDialogs kind={kind} groups={groups} loading={list.loading || list.error !== null} />
    </>
  )
}
