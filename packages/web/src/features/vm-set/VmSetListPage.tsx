import { isSetUnderWay, type VmSet } from '@slipway/contract'
import { memo } from 'react'
import { useParams } from 'react-router'
import { useVmSets } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { CardGrid } from '../../ui/CardGrid.tsx'
import { StatRow } from '../../ui/StatRow.tsx'
import { GroupCardOutline } from '../vm-group/GroupCard.tsx'
import { SetDialogs } from './SetDialogs.tsx'
import { VmSetCard } from './VmSetCard.tsx'

const setKind = { plural: 'VM sets', isUnderWay: isSetUnderWay }

export function Component() {
  const { projectId = '' } = useParams()
  const { sets, ...list } = useVmSets(projectId)
  useAnnouncedChanges(sets, setKind)
  return (
    <>
      <ListPage
        title="VM Sets"
        description="A VM set is a fixed number of equal VMs, kept at that number."
        texts={{
          loading: 'Loading VM Sets...',
          failed: 'Failed to load VM Sets. Please try again.',
          none: 'No VM Sets Yet',
          first:
            'Create one from a template. It holds as many VMs as you say, and replaces those that break.',
        }}
        list={{ ...list, total: sets.length, shown: sets.length }}
        create={{ label: 'Create Set', firstLabel: 'Create VM Set', to: paths.vmSetCreate(projectId) }}
        outline="cards"
        head={<Totals sets={sets} />}
        items={<Grid sets={sets} />}
      />
      <SetDialogs sets={sets} loading={list.loading || list.error !== null} />
    </>
  )
}

const Totals = memo(function Totals({ sets }: { sets: readonly VmSet[] }) {
  const having = (word: string) => sets.filter(({ status }) => status.toLowerCase() === word).length
  return (
    <StatRow
      label="VM sets in numbers"
      stats={[
        { label: 'Total Sets', value: sets.length },
        { label: 'Active Sets', value: having('active'), tone: 'active' },
        { label: 'Total VMs', value: sets.reduce((total, { vm_stats }) => total + vm_stats.total_vms, 0) },
        having('creating') > 0 && { label: 'Creating', value: having('creating'), tone: 'creating' },
      ]}
    />
  )
})

const likelyCardHeight = () => 330

const Grid = memo(function Grid({ sets }: { sets: readonly VmSet[] }) {
  return (
    <CardGrid
      label="VM sets"
      items={sets}
      likelyHeight={likelyCardHeight}
      card={(set) => <VmSetCard set={set} />}
      outline={(set, height) => <GroupCardOutline group={set} height={height} />}
    />
  )
})
