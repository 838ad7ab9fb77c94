import { isSetUnderWay, messages, type Vm, type VmSet } from '@slipway/contract'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { useMeanCpuNow } from '../../api/usage.ts'
import { useVmSet, useVmSetHistory } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Sheet, StatStrip } from '../../ui/Sheet.tsx'
import { Status, StatusGlyph } from '../../ui/Status.tsx'
import { GroupUsage } from '../usage/GroupUsage.tsx'
import { GroupCharts } from '../vm-group/GroupCharts.tsx'
import { GroupEvents } from '../vm-group/GroupEvents.tsx'
import { GroupHeader } from '../vm-group/GroupHeader.tsx'
import { GroupNote } from '../vm-group/GroupNote.tsx'
import { GroupScope } from '../vm-group/GroupScope.tsx'
import { factsOf } from '../vm-group/group-facts.tsx'
import { loadText } from '../vm-group/group-samples.ts'
import { Members } from '../vm-group/Members.tsx'
import { useInlineEdit } from '../vm-group/use-inline-edit.ts'
import { ReplicaMarks } from './ReplicaMarks.tsx'
import { ReplicasForm } from './ReplicasForm.tsx'
import { SetDialogs } from './SetDialogs.tsx'
import { deleteSetDialog } from './set-dialogs.ts'

const setKind = { plural: 'VM sets', isUnderWay: isSetUnderWay }

const texts = {
  title: 'VM Set',
  loading: 'Loading VM Set...',
  failed: 'Failed to load VM Set data. Please try again.',
  notLoaded: 'VM Set not loaded',
  notFound: messages.vmSetNotFound,
  none: 'There is no such VM set',
}

export function Component() {
  const { projectId = '', vmsetId = '' } = useParams()
  const query = useVmSet(projectId, vmsetId)
  const list = { path: paths.vmSets(projectId), back: 'Back to VM Sets', view: 'View VM Sets' }
  return (
    <GroupScope key={vmsetId} query={query} list={list} texts={texts}>
      {(set) => <SetView set={set} list={list} refetch={async () => !(await query.refetch()).isError} />}
    </GroupScope>
  )
}

interface SetViewProps {
  set: VmSet & { vms: Vm[] }
  list: { path: string; back: string }
  refetch: () => Promise<boolean>
}

function SetView({ set, list, refetch }: SetViewProps) {
  const history = useVmSetHistory(set.project_id, set.id)
  const cpuNow = useMeanCpuNow(set.project_id, set.vms)
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  useAnnouncedChanges(
    useMemo(() => [set], [set]),
    setKind,
  )
  const underWay = isSetUnderWay(set)
  const { total_vms, running_vms } = set.vm_stats
  return (
    <>
      <GroupHeader
        group={set}
        list={list}
        refresh={async () => (await Promise.all([refetch(), history.refetch()]))[0]}
        failed={texts.failed}
        editing={editing}
        onEdit={open}
        editRef={trigger}
        onDelete={() => openDialog(deleteSetDialog, set.id)}
      />
      <GroupNote
        group={set}
        underWay={underWay}
        underWayWord="Creating"
        underWayText={`${total_vms} of ${set.replicas} VMs exist, ${running_vms} run`}
        subject="The set"
      />
      <div className="mb-4 grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Sheet aria-label="Size" className="flex flex-col">
          {underWay && <WorkTrack label={`${set.name}: ${set.status}`} />}
          <div className="flex items-center justify-between gap-3 px-4 pt-3 pb-2.5">
            <Status word={set.status} since={underWay ? set.status_since : undefined} />
            <p className="text-hint text-ink-2">
              <b className="text-[1.25rem]/6 font-medium tracking-[-.015em] text-ink">{set.replicas}</b>{' '}
              {set.replicas === 1 ? 'replica' : 'replicas'}
            </p>
          </div>
          {editing ? (
            <ReplicasForm set={set} onClose={close} />
          ) : (
            <ReplicaMarks set={set} className="mx-4 my-auto mb-4" />
          )}
        </Sheet>
        <Sheet aria-label="Information">
          <Cells columns={3} items={factsOf(set)} />
        </Sheet>
      </div>
      <StatStrip
        label="VM set in numbers"
        className="mb-4"
        items={[
          { label: 'Total VMs', value: total_vms, note: `of ${set.replicas}` },
          { label: 'Running VMs', value: running_vms, glyph: <StatusGlyph word="running" /> },
          { label: 'CPU Load', value: loadText(history.data?.samples, cpuNow) },
        ]}
      />
      <Members
        vms={set.vms}
        wanted={set.replicas}
        none="The set has no VMs yet. Each one is listed here as soon as it is created."
      />
      <GroupCharts samples={history.data?.samples} className="mb-4" />
      <GroupUsage of={{ project: set.project_id, set: set.id }} vms={set.vms} className="mb-4" />
      <GroupEvents events={history.data?.events} failed={history.isError} />
      <SetDialogs sets={[set]} afterDelete={list.path} />
    </>
  )
}
