import { deletionDays } from '@slipway/contract'
import { requestDeletion, useAccountDeletion } from '../../api/account-deletion.ts'
import { errorText } from '../../api/errors.ts'
import { recheckSession } from '../../api/session.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { goesAlongText, namesText } from './deletion-words.ts'

const dialogName = 'delete-account'

/** The way out: the account with all that it has, after some days in which it can be kept. */
export function DeleteAccountSection() {
  const openDialog = useOpenDialog()
  const asking = useDialog(dialogName)
  return (
    <Sheet aria-label="Delete account" title="Delete account">
      <div className="grid gap-3 px-4 py-4">
        <p className="max-w-prose text-ink-2">
          Your account and your projects are deleted after {deletionDays} days. Until then everything is
          stopped, and you can sign in to keep the account.
        </p>
        <div>
          <Button variant="danger" aria-haspopup="dialog" onClick={() => openDialog(dialogName)}>
            Delete Account
          </Button>
        </div>
      </div>
      {asking.open && <DeleteAccountDialog onClose={() => asking.close()} />}
    </Sheet>
  )
}

function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const { data: deletion, isPending, error, refetch } = useAccountDeletion()
  const { submit, dialog } = useDialogForm({
    dirty: false,
    send: requestDeletion,
    done: () => 'The account is being deleted',
    failed: 'Failed to delete the account.',
    onClose: () => {
      onClose()
      void recheckSession()
    },
  })
  return (
    <FormDialog
      {...dialog}
      onOpenChange={onClose}
      title="Delete Account"
      submit={{ label: 'Delete Account', busyText: 'Deleting...', tone: 'danger' }}
      onSubmit={() => submit(undefined)}
      note={deletion ? undefined : 'What goes along is not known yet'}
    >
      {isPending && <LoadingState text="Counting what goes along..." />}
      {error && (
        <ErrorState
          title="Error Loading What Goes Along"
          message={errorText(error, 'Failed to count what is deleted with the account.')}
          onRetry={() => void refetch()}
        />
      )}
      {deletion && (
        <>
          <p>
            You are signed out everywhere, and your VMs are stopped now. After {deletionDays} days all of this
            is deleted: <b>{goesAlongText(deletion.goes_along) || 'your account'}</b>. API tokens are revoked
            now and do not come back.
          </p>
          {deletion.shared_projects.length > 0 && (
            <Banner tone="warn">
              Others are members of <bdi>{namesText(deletion.shared_projects.map(({ name }) => name))}</bdi>.
              Hand such projects over first to keep them.
            </Banner>
          )}
        </>
      )}
    </FormDialog>
  )
}
