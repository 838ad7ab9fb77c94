import { isSetUnderWay, type VmSet } from '@slipway/contract'
import { memo, useId } from 'react'
import { paths } from '../../paths.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { CardFacts } from '../../ui/Card.tsx'
import { Rows } from '../../ui/Sheet.tsx'
import { GroupCardFoot, GroupCardHead, whyRow } from '../vm-group/GroupCard.tsx'
import { useInlineEdit } from '../vm-group/use-inline-edit.ts'
import { ReplicaMarks } from './ReplicaMarks.tsx'
import { ReplicasForm } from './ReplicasForm.tsx'
import { deleteSetDialog } from './set-dialogs.ts'

/** Drawn again only when its own set changed. */
export const VmSetCard = memo(function VmSetCard({ set }: { set: VmSet }) {
  const titleId = useId()
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  const path = paths.vmSet(set.project_id, set.id)
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
      <GroupCardHead group={set} underWay={isSetUnderWay(set)} titleId={titleId} to={path} />
      {editing ? (
        <ReplicasForm set={set} onClose={close} />
      ) : (
        <>
          <div className="border-t border-line px-4 py-3">
            <ReplicaMarks set={set} className="block" />
          </div>
          <CardFacts
            items={[
              { label: 'Replicas', value: set.replicas },
              { label: 'VMs', value: set.vm_stats.total_vms },
              { label: 'Running', value: set.vm_stats.running_vms },
            ]}
          />
          <Rows
            className="flex-1"
            items={[
              ...whyRow(set),
              { label: 'Persistent', value: set.persistent ? 'Yes' : 'No' },
              { label: 'SSH Key', value: <span className="mono min-w-0">{set.ssh_key_name}</span> },
              { label: 'Created', value: formatDateTime(set.created_at) },
            ]}
          />
          <GroupCardFoot
            name={set.name}
            to={path}
            editRef={trigger}
            onEdit={open}
            onDelete={() => openDialog(deleteSetDialog, set.id)}
          />
        </>
      )}
    </article>
  )
})
