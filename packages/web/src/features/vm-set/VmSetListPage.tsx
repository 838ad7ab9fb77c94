import type { VmSet } from '@slipway/contract'
import { GroupList } from '../vm-group/GroupList.tsx'
import { setKind } from './set-kind.ts'
import { VmSetCard } from './VmSetCard.tsx'

export function Component() {
  return (
    <GroupList
      kind={setKind}
      title="VM Sets"
      description="A VM set is a fixed number of equal VMs, kept at that number."
      texts={{
        loading: 'Loading VM Sets...',
        failed: 'Failed to load VM Sets. Please try again.',
        none: 'No VM Sets Yet',
        first: 'Create one from a template. It holds as many VMs as you say, and replaces those that break.',
      }}
      create={{ call: 'vmSet.create', label: 'Create Set', firstLabel: 'Create VM Set' }}
      stats={statsOf}
      card={cardOf}
      likelyCardHeight={likelyCardHeight}
    />
  )
}

const cardOf = (set: VmSet) => <VmSetCard set={set} />

const likelyCardHeight = () => 330

function statsOf(sets: readonly VmSet[]) {
  const having = (word: string) => sets.filter(({ status }) => status.toLowerCase() === word).length
  return [
    { label: 'Total Sets', value: sets.length },
    { label: 'Active Sets', value: having('active'), tone: 'active' },
    { label: 'Total VMs', value: sets.reduce((total, { vm_stats }) => total + vm_stats.total_vms, 0) },
    having('creating') > 0 && { label: 'Creating', value: having('creating'), tone: 'creating' },
  ]
}
