import type { Share } from '@slipway/contract'
import { useDeleteShare } from '../../api/shares.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

/** Before a port is not shared any more. */
export function StopSharingDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const { mutateAsync } = useDeleteShare()
  const confirmed = useConfirmedAct({
    call: 'share.delete',
    act: () => mutateAsync(share),
    done: `Port ${share.port} is no longer shared`,
    failed: 'Failed to stop sharing. Please try again.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Stop sharing"
      confirmLabel="Stop Sharing"
      busyLabel="Stopping..."
      {...confirmed}
    >
      Stop sharing port {share.port} of VM "<b>{share.vm_name}</b>"? Its address ends at once, with everything
      that is open through it. If you share the port again, it may get another address.
    </ConfirmDialog>
  )
}
