import type { Webhook } from '@slipway/contract'
import { ObjectDialogs } from '../../shell/ObjectDialogs.tsx'
import { later } from '../../ui/later.tsx'
import { webhookDialogs } from './webhook-dialogs.ts'

const ways = { close: ({ onClose }: { onClose: () => void }) => onClose() }
// The forms come when they are first opened.
const EditDialog = later(async () => (await import('./WebhookForms.tsx')).EditWebhookDialog, ways)
const RenewDialog = later(async () => (await import('./WebhookQuestions.tsx')).RenewSecretDialog, ways)
const DeleteDialog = later(async () => (await import('./WebhookQuestions.tsx')).DeleteWebhookDialog, ways)

interface WebhookDialogsProps {
  webhooks: readonly Webhook[]
  loading: boolean
  /** The page to show after a deletion. */
  afterDelete: string
}

/** The dialogs about webhooks, of the page of one. */
export function WebhookDialogs({ webhooks, loading, afterDelete }: WebhookDialogsProps) {
  return (
    <ObjectDialogs
      objects={webhooks}
      loading={loading}
      gone="The webhook no longer exists."
      dialogs={{
        [webhookDialogs.edit]: (webhook, done) => <EditDialog webhook={webhook} onClose={() => done()} />,
        [webhookDialogs.renewSecret]: (webhook, done) => (
          <RenewDialog webhook={webhook} onClose={() => done()} />
        ),
        [webhookDialogs.delete]: (webhook, done) => (
          <DeleteDialog webhook={webhook} onClose={() => done()} onDone={() => done({ to: afterDelete })} />
        ),
      }}
    />
  )
}
