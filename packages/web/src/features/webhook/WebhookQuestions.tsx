import { oldSecretHours, type Webhook, type WebhookWithSecret, webhookTitle } from '@slipway/contract'
import { useState } from 'react'
import { useWebhookActs } from '../../api/webhooks.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { SecretOnce } from './SecretOnce.tsx'

interface QuestionProps {
  webhook: Webhook
  onClose: () => void
}

/** Before a webhook is deleted. */
export function DeleteWebhookDialog({ webhook, onClose, onDone }: QuestionProps & { onDone: () => void }) {
  const { remove } = useWebhookActs(webhook.project_id)
  const confirmed = useConfirmedAct({
    call: 'webhook.delete',
    act: () => remove.mutateAsync(webhook.id),
    done: `Webhook ${webhookTitle(webhook)} was deleted`,
    failed: 'Failed to delete the webhook. Please try again.',
    onDone,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete webhook"
      confirmLabel="Delete Webhook"
      busyLabel="Deleting..."
      {...confirmed}
    >
      Delete webhook{' '}
      <b>
        <bdi>{webhookTitle(webhook)}</bdi>
      </b>{' '}
      with its secret and its list of deliveries? {waitingText(webhook)}
    </ConfirmDialog>
  )
}

function waitingText({ waiting }: Webhook): string {
  if (waiting === 0) return 'This cannot be undone.'
  const what = waiting === 1 ? 'One delivery that waits is' : `${waiting} deliveries that wait are`
  return `${what} not sent. This cannot be undone.`
}

/** Before a webhook gets a new secret; then shows it, which is the only time. */
export function RenewSecretDialog({ webhook, onClose }: QuestionProps) {
  const { renewSecret } = useWebhookActs(webhook.project_id)
  const [renewed, setRenewed] = useState<WebhookWithSecret>()
  const confirmed = useConfirmedAct({
    call: 'webhook.renewSecret',
    act: async () => setRenewed(await renewSecret.mutateAsync(webhook.id)),
    failed: 'Failed to create a new secret. Please try again.',
    // The dialog goes on with the secret.
    onDone: () => {},
  })
  if (renewed) return <SecretOnce webhook={renewed} title="New secret" onClose={onClose} />
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="New secret"
      confirmLabel="Create New Secret"
      busyLabel="Creating..."
      tone="normal"
      {...confirmed}
    >
      Create a new secret for webhook{' '}
      <b>
        <bdi>{webhookTitle(webhook)}</bdi>
      </b>
      ? Requests are signed with both secrets for {oldSecretHours} hours, so that the receiver can change to
      the new one without missing any.
    </ConfirmDialog>
  )
}
