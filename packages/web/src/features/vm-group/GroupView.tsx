import type { GroupHistory, Vm } from '@slipway/contract'
import { type ReactNode, useMemo } from 'react'
import { useParams } from 'react-router'
import { useMeanCpuNow } from '../../api/usage-now.ts'
import type { GroupParts as GroupPage } from '../../api/vm-groups.ts'
import { useAnnouncedChanges } from '../../shell/use-announced-changes.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { cx } from '../../ui/cx.ts'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Cells, Sheet, StatStrip } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { GroupUsage } from '../usage/GroupUsage.tsx'
import { GroupDialogs } from './GroupDialogs.tsx'
import { GroupEvents } from './GroupEvents.tsx'
import { GroupHeader } from './GroupHeader.tsx'
import { GroupNote } from './GroupNote.tsx'
import { GroupScope } from './GroupScope.tsx'
import { factsOf } from './group-facts.tsx'
import type { Group, GroupKind } from './group-kind.ts'
import { loadText } from './group-samples.ts'
import { Members } from './Members.tsx'
import { RollOutPanel } from './RollOutPanel.tsx'
import { useInlineEdit } from './use-inline-edit.ts'

type Stats = Parameters<typeof StatStrip>[0]['items']

/** What the page of a pool has of its own, and that of a set. */
export interface GroupParts<G extends Group, H extends GroupHistory> {
  /** How many VMs there shall be. */
  wantedOf: (group: G) => number
  /** What is under way, in a sentence, where the server does not say. */
  underWayText: (group: G) => string
  /** What stands large over its drawing, with the word behind it: `33.3%` and `utilization`. */
  headline: (group: G) => { value: ReactNode; noun: string }
  /** Of what there is and shall be. */
  drawing: (group: G) => ReactNode
  /** A narrow block of facts leaves more room to the drawing. */
  factColumns: 2 | 3
  /** Before its load. */
  stats: (group: G & { vms: Vm[] }) => Stats
  charts: (group: G, history: H | undefined) => ReactNode
  /** Beside the events. */
  beside?: (group: G, history: H | undefined) => ReactNode
}

interface GroupViewProps<G extends Group, H extends GroupHistory> {
  kind: GroupKind<G, H>
  groupId: string
  parts: GroupParts<G, H>
}

/** The page of a pool or set from its URL on. */
export function GroupView<G extends Group, H extends GroupHistory>({
  kind,
  groupId,
  parts,
}: GroupViewProps<G, H>) {
  const { projectId = '' } = useParams()
  const query = kind.useOne(projectId, groupId)
  return (
    <GroupScope
      key={groupId}
      query={query}
      list={{ path: kind.paths.list(projectId), back: kind.texts.back, view: kind.texts.view }}
      texts={kind.texts}
    >
      {(group) => (
        <Loaded
          kind={kind}
          group={group}
          parts={parts}
          refetch={async () => !(await query.refetch()).isError}
        />
      )}
    </GroupScope>
  )
}

interface LoadedProps<G extends Group, H extends GroupHistory> {
  kind: GroupKind<G, H>
  group: G & GroupPage
  parts: GroupParts<G, H>
  refetch: () => Promise<boolean>
}

function Loaded<G extends Group, H extends GroupHistory>({ kind, group, parts, refetch }: LoadedProps<G, H>) {
  const { texts } = kind
  const list = { path: kind.paths.list(group.project_id), back: texts.back }
  const history = kind.useHistory(group.project_id, group.id)
  const cpuNow = useMeanCpuNow(group.project_id, group.vms)
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  useAnnouncedChanges(
    useMemo(() => [group], [group]),
    kind,
  )
  const underWay = kind.isUnderWay(group)
  const { value, noun } = parts.headline(group)
  const events = <GroupEvents events={history.data?.events} failed={history.isError} />
  return (
    <>
      <GroupHeader
        calls={kind.calls}
        group={group}
        list={list}
        refresh={async () => (await Promise.all([refetch(), history.refetch()]))[0]}
        failed={texts.failed}
        editing={editing}
        onEdit={open}
        editRef={trigger}
        onDelete={() => openDialog(kind.deleteDialog, group.id)}
      />
      <GroupNote
        group={group}
        underWay={underWay}
        underWayWord={texts.underWay}
        underWayText={parts.underWayText(group)}
        subject={texts.subject}
        rollOut={group.roll_out.state}
      />
      <div className={cx('mb-4 grid grid-cols-[minmax(0,1fr)] gap-4', besideFacts[parts.factColumns])}>
        <Sheet aria-label="Size" className="flex flex-col">
          {underWay && <WorkTrack label={`${group.name}: ${group.status}`} />}
          <div className="flex items-center justify-between gap-3 px-4 pt-3 pb-2.5">
            <Status word={group.status} since={underWay ? group.status_since : undefined} />
            <p className="text-hint text-ink-2">
              <b className="text-[1.25rem]/6 font-medium tracking-[-.015em] text-ink">{value}</b> {noun}
            </p>
          </div>
          {editing ? <kind.EditForm group={group} onClose={close} /> : parts.drawing(group)}
        </Sheet>
        <Sheet aria-label="Information">
          <Cells columns={parts.factColumns} items={factsOf(group)} />
        </Sheet>
      </div>
      <StatStrip
        label={texts.numbers}
        className="mb-4"
        items={[...parts.stats(group), { label: 'CPU Load', value: loadText(history.data?.samples, cpuNow) }]}
      />
      <Members
        vms={group.vms}
        wanted={parts.wantedOf(group)}
        none={`${texts.subject} has no VMs yet. Each one is listed here as soon as it is created.`}
      />
      <RollOutPanel api={kind.api} gone={texts.gone} group={group} />
      {parts.charts(group, history.data)}
      <GroupUsage of={kind.usageOf(group)} vms={group.vms} className="mb-4" />
      {parts.beside ? (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_336px]">
          {parts.beside(group, history.data)}
          {events}
        </div>
      ) : (
        events
      )}
      <GroupDialogs kind={kind} groups={[group]} afterDelete={list.path} />
    </>
  )
}

const besideFacts = {
  2: 'lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]',
  3: 'lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]',
}
