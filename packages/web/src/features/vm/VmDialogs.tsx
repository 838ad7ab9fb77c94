import type { Vm } from '@slipway/contract'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { later } from '../../ui/later.tsx'
import type { Discarding } from './VmQuestions.tsx'
import { vmDialogs } from './vm-dialogs.ts'

const ways = { close: ({ onClose }: { onClose: () => unknown }) => onClose() }
const SshDialog = later(async () => (await import('./SshDialog.tsx')).SshDialog, ways)
const DiscardDialog = later(async () => (await import('./VmQuestions.tsx')).DiscardDialog, ways)
const EditVmDialog = later(async () => (await import('./EditVmDialog.tsx')).EditVmDialog, ways)
const ForkDialog = later(async () => (await import('./ForkDialog.tsx')).ForkDialog, ways)
const DeleteDialog = later(async () => (await import('./VmQuestions.tsx')).DeleteDialog, ways)

interface VmDialogsProps {
  vms: readonly Vm[]
  loading?: boolean
  /** Where to go when the VM of the page was deleted; a list stays where it is. */
  afterDelete?: string
}

/** What the actions of VMs ask and show, once on each page that has such actions. */
export function VmDialogs({ vms, loading = false, afterDelete }: VmDialogsProps) {
  const discards = (action: Discarding) => (vm: Vm, close: CloseDialog) => (
    <DiscardDialog vm={vm} action={action} onClose={close} />
  )
  return (
    <ObjectDialogs
      objects={vms}
      loading={loading}
      gone="The VM no longer exists."
      dialogs={{
        [vmDialogs.ssh]: (vm, close) => <SshDialog vm={vm} onClose={() => close()} />,
        [vmDialogs.stop]: discards('stop'),
        [vmDialogs.forceStop]: discards('forceStop'),
        [vmDialogs.restart]: discards('restart'),
        [vmDialogs.edit]: (vm, close) => <EditVmDialog vm={vm} onClose={() => close()} />,
        [vmDialogs.fork]: (vm, close) => <ForkDialog vm={vm} onClose={() => close()} />,
        [vmDialogs.delete]: (vm, close) => <DeleteDialog vm={vm} onClose={close} afterDelete={afterDelete} />,
      }}
    />
  )
}
