import { type Webhook, webhookLimit, webhookTexts, webhookTitle } from '@slipway/contract'
import { Plus } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useWebhooks } from '../../api/webhooks.ts'
import { paths } from '../../paths.ts'
import { useDialog, useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { later } from '../../ui/later.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { WebhookCondition } from './WebhookCondition.tsx'
import { webhookDialogs } from './webhook-dialogs.ts'
import { entriesText } from './webhook-words.ts'

const CreateDialog = later(async () => (await import('./WebhookForms.tsx')).CreateWebhookDialog, {
  close: ({ onClose }: { onClose: () => void }) => onClose(),
})

export function Component() {
  const { projectId = '' } = useParams()
  const may = useMay()
  const refusal = reasonOf(may('webhook.list'))
  const { webhooks, loading, error, refetch } = useWebhooks(projectId, refusal === undefined)
  const openDialog = useOpenDialog()
  const creating = useDialog(webhookDialogs.create)
  const isEmpty = webhooks.length === 0 && !loading && !error && refusal === undefined
  const create = (isPrimary: boolean) => (
    <Button
      variant={isPrimary ? 'primary' : 'secondary'}
      icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
      disabledReason={
        reasonOf(may('webhook.create')) ??
        (webhooks.length >= webhookLimit ? webhookTexts.tooMany : undefined)
      }
      onClick={() => openDialog(webhookDialogs.create)}
    >
      Create Webhook
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Send the activity of this project to other systems as it happens."
        actions={create(!isEmpty)}
      />
      {refusal && <Banner tone="info">{refusal}</Banner>}
      {loading && <LoadingState text="Loading webhooks..." outline="rows" />}
      {error && !loading && (
        <ErrorState
          title="Error Loading Webhooks"
          message={errorText(error, 'Failed to load the webhooks.')}
          onRetry={() => void refetch()}
        />
      )}
      {isEmpty && (
        <EmptyState title="No webhooks yet" action={create(true)}>
          Entries of the activity log are sent to a URL as signed requests, and sent again until they arrive.
        </EmptyState>
      )}
      {webhooks.length > 0 && (
        <ul className="sheet divide-y divide-line" aria-label="Webhooks">
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {creating.open && <CreateDialog projectId={projectId} onClose={() => creating.close()} />}
    </>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, project_id, url, paused_reason, last_failure, last_delivered_at, waiting } = webhook
  const why = paused_reason ?? last_failure
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3 text-dense">
      <div className="min-w-0 flex-[1_1_18rem]">
        <h2 className="font-[550] wrap-anywhere">
          <Link to={paths.webhook(project_id, id)} className="link phone:inline-block phone:py-1.5">
            <bdi>{webhookTitle(webhook)}</bdi>
          </Link>
        </h2>
        <p className="mono text-hint wrap-anywhere text-ink-3">{url}</p>
        <p className="text-hint wrap-anywhere text-ink-2">{entriesText(webhook)}</p>
      </div>
      <div className="min-w-0 flex-[1_1_14rem]">
        <WebhookCondition webhook={webhook} />
        {why && <p className="text-hint wrap-anywhere text-ink-2">{why}</p>}
        <p className="text-hint text-ink-3">
          {last_delivered_at ? `Last delivery ${formatDateTime(last_delivered_at)}` : 'Nothing delivered yet'}
          {waiting > 0 && `, ${waiting} waiting`}
        </p>
      </div>
    </li>
  )
}
