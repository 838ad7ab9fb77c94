import { isFoundIn, type NetworkMember } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { memo, useMemo } from 'react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useLimits } from '../../api/host.ts'
import { useNetwork } from '../../api/networks.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { NoMatch, SearchBar } from '../../shell/SearchBar.tsx'
import { useListSearch } from '../../shell/use-list-search.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Ledger } from '../../ui/Ledger.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { GroupNames } from './GroupNames.tsx'
import { MemberRow, memberColumns } from './MemberRow.tsx'
import { NetworkFacts } from './NetworkFacts.tsx'

export function Component() {
  const { projectId = '' } = useParams()
  const { network, loading, error, refetch } = useNetwork(projectId)
  const { networks: limit } = useLimits()
  return (
    <>
      <PageHeader
        title="Network"
        description="VMs of this project find each other by name and share nothing with other projects."
      />
      {loading && <LoadingState text="Loading network..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Network"
          message={errorText(error, 'Failed to load the network')}
          onRetry={() => void refetch()}
        />
      )}
      {network && (
        <>
          <NetworkFacts network={network} limit={limit} />
          {limit !== null ? (
            <Banner tone="warn">{limit}</Banner>
          ) : (
            <>
              {network.groups.length > 0 && <GroupNames projectId={projectId} groups={network.groups} />}
              <Members projectId={projectId} members={network.members} />
            </>
          )}
        </>
      )}
    </>
  )
}

const matchesMember = ({ vm_name, address, names }: NetworkMember, search: string) =>
  isFoundIn(search, vm_name, address ?? '', ...names)

function Members({ projectId, members }: { projectId: string; members: readonly NetworkMember[] }) {
  const may = useMay()
  const search = useListSearch(members, matchesMember)
  if (members.length === 0) {
    return (
      <EmptyState
        title="No VMs yet"
        action={
          <Button
            variant="primary"
            icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={reasonOf(may('vm.create'))}
            render={<Link to={paths.vmCreate(projectId)} />}
          >
            Create VM
          </Button>
        }
      >
        Each VM of this project has an address and a name here.
      </EmptyState>
    )
  }
  return (
    <section aria-labelledby="members">
      <h2 id="members" className="mb-3 text-section">
        Members
      </h2>
      <SearchBar search={search} plural="members" by="name or address" />
      {search.found.length > 0 ? (
        <MemberLedger projectId={projectId} members={search.found} />
      ) : (
        <NoMatch search={search} noun="member" />
      )}
    </section>
  )
}

interface MemberLedgerProps {
  projectId: string
  members: readonly NetworkMember[]
}

const MemberLedger = memo(function MemberLedger({ projectId, members }: MemberLedgerProps) {
  const { vms } = useVms(projectId)
  const statuses = useMemo(() => new Map(vms.map(({ id, status }) => [id, status])), [vms])
  const items = useMemo(() => members.map((member) => ({ id: member.vm_id, member })), [members])
  return (
    <Ledger
      label="Members"
      columns={memberColumns}
      items={items}
      nameOf={({ member }) => member.vm_name}
      row={({ member }) => (
        <MemberRow projectId={projectId} member={member} status={statuses.get(member.vm_id)} />
      )}
    />
  )
})
