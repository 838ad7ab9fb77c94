import { useState } from 'react'
import { useDisks } from '../../api/disks.ts'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'
import { countsText } from '../batch/goes-with-groups.ts'
import { BinChoice } from '../bin/BinChoice.tsx'
import { tellDeleted } from '../bin/tell-deleted.ts'
import type { Group, GroupKind } from './group-kind.ts'

interface GroupDialogsProps<G extends Group> {
  kind: GroupKind<G>
  groups: readonly G[]
  loading?: boolean
  /** Where to go when the group of the page was deleted; a list stays where it is. */
  afterDelete?: string
}

/** What the actions of pools or sets ask, once on each page that has them. */
export function GroupDialogs<G extends Group>({
  kind,
  groups,
  loading = false,
  afterDelete,
}: GroupDialogsProps<G>) {
  return (
    <ObjectDialogs
      objects={groups}
      loading={loading}
      gone={kind.texts.gone}
      dialogs={{
        [kind.deleteDialog]: (group, close) => (
          <DeleteGroupDialog kind={kind} group={group} onClose={close} afterDelete={afterDelete} />
        ),
      }}
    />
  )
}

interface DeleteGroupDialogProps<G extends Group> {
  kind: GroupKind<G>
  group: G
  onClose: CloseDialog
  afterDelete: string | undefined
}

/** Asks before a pool or set is deleted with its VMs. */
function DeleteGroupDialog<G extends Group>({
  kind: { calls, texts, useRemoval, useOne, objectKind },
  group,
  onClose,
  afterDelete,
}: DeleteGroupDialogProps<G>) {
  const { mutateAsync } = useRemoval()
  const [forGood, setForGood] = useState(false)
  const one = useOne(group.project_id, group.id)
  const { disks, loading, error } = useDisks(group.project_id)
  const counts =
    one.isError || error
      ? 'Its VMs and disks could not be counted.'
      : one.data && !loading
        ? countsText(1, one.data.vms, disks)
        : 'Counting its VMs and disks...'
  const confirm = useConfirmedAct({
    call: calls.delete,
    act: () => mutateAsync({ group, forGood }),
    failed: texts.notDeleted,
    onDone() {
      onClose(afterDelete === undefined ? {} : { to: afterDelete })
      void tellDeleted({ ...group, kind: objectKind }, texts.deleted, forGood)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={texts.delete}
      confirmLabel={texts.delete}
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      choice={
        <BinChoice
          kind={objectKind}
          of={{ projectId: group.project_id, ids: [group.id] }}
          goesToBin
          forGood={forGood}
          onChange={setForGood}
        />
      }
      {...confirm}
    >
      <p>
        {texts.sureToDelete} "<b>{group.name}</b>"? All its VMs will be deleted. This action cannot be undone.
      </p>
      <p className="mt-2">
        Disks that were created for its VMs are deleted with them. Other disks on them, and all snapshots, are
        kept.
      </p>
      <p className="mt-2" role="status">
        {counts}
      </p>
    </ConfirmDialog>
  )
}
