import { type Webhook, webhookTexts, webhookTitle } from '@slipway/contract'
import { KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import { useParams } from 'react-router'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useWebhookActs, useWebhooks } from '../../api/webhooks.ts'
import { paths } from '../../paths.ts'
import { BackLink } from '../../shell/BackLink.tsx'
import { ObjectPage } from '../../shell/ObjectPage.tsx'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { formatDateTime } from '../../time.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Cells, Rows, Sheet } from '../../ui/Sheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { Deliveries } from './Deliveries.tsx'
import { WebhookCondition } from './WebhookCondition.tsx'
import { WebhookDialogs } from './WebhookDialogs.tsx'
import { webhookDialogs } from './webhook-dialogs.ts'
import { entriesText } from './webhook-words.ts'

const texts = {
  title: 'Webhook',
  loading: 'Loading webhook...',
  errorTitle: 'Error Loading Webhook',
  failed: 'Failed to load the webhook. Please try again.',
  gone: webhookTexts.notFound,
  goneTitle: 'This webhook does not exist',
}

export function Component() {
  const { projectId = '', webhookId } = useParams()
  const may = useMay()
  const refusal = reasonOf(may('webhook.list'))
  const { webhooks, ...list } = useWebhooks(projectId, refusal === undefined)
  const back = { to: paths.webhooks(projectId), label: 'Webhooks' }
  if (refusal !== undefined)
    return (
      <>
        <BackLink to={back.to}>Back to Webhooks</BackLink>
        <PageHeader title={texts.title} />
        <Banner tone="info">{refusal}</Banner>
      </>
    )
  return (
    <>
      <ObjectPage object={webhooks.find(({ id }) => id === webhookId)} list={list} back={back} texts={texts}>
        {(webhook) => <WebhookView key={webhook.id} webhook={webhook} />}
      </ObjectPage>
      <WebhookDialogs
        webhooks={webhooks}
        loading={list.loading || list.error !== null}
        afterDelete={back.to}
      />
    </>
  )
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { url, waiting, last_delivered_at, created_at, old_secret_until } = webhook
  return (
    <>
      <PageHeader title={webhookTitle(webhook)} actions={<Actions webhook={webhook} />} />
      <Trouble webhook={webhook} />
      <Sheet aria-label="Facts" className="mb-6">
        <Cells
          items={[
            { label: 'Status', value: <WebhookCondition webhook={webhook} /> },
            {
              label: 'Last delivery',
              value: last_delivered_at ? formatDateTime(last_delivered_at) : 'None yet',
            },
            { label: 'Waiting', value: waiting },
            { label: 'Created', value: formatDateTime(created_at) },
          ]}
        />
        <Rows
          className="border-t border-line"
          items={[
            { label: 'URL', value: <Url url={url} /> },
            { label: 'Entries', value: entriesText(webhook) },
            ...(old_secret_until
              ? [{ label: 'Old secret', value: `Signs as well until ${formatDateTime(old_secret_until)}` }]
              : []),
          ]}
        />
      </Sheet>
      <Deliveries webhook={webhook} />
    </>
  )
}

function Url({ url }: { url: string }) {
  return (
    <>
      <span className="mono min-w-0 wrap-anywhere">{url}</span>
      <CopyButton
        text={url}
        label="Copy URL"
        success="Copied to clipboard!"
        failure="Failed to copy to clipboard."
        className="-my-1"
      />
    </>
  )
}

/** Why it is paused or failing, and what happens next. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const { paused, paused_reason, failing_since, last_failure, next_try_at, waiting } = webhook
  if (paused)
    return (
      <Banner tone={paused_reason ? 'error' : 'info'} quiet title="Paused" className="mb-4">
        {paused_reason && `${paused_reason} `}
        What happens meanwhile is not sent, not even later.
        {waiting > 0 && ' What waits is sent when you resume it.'}
      </Banner>
    )
  if (failing_since === null) return null
  return (
    <Banner tone="warn" title={`Failing since ${formatDateTime(failing_since)}`} className="mb-4">
      {last_failure} {next_try_at && `It is tried again at ${formatDateTime(next_try_at)}.`}
    </Banner>
  )
}

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

function Actions({ webhook }: { webhook: Webhook }) {
  const { id, project_id, paused } = webhook
  const may = useMay()
  const openDialog = useOpenDialog()
  const { update, test } = useWebhookActs(project_id)
  const mayChange = reasonOf(may('webhook.update'))
  const title = webhookTitle(webhook)
  return (
    <>
      <IconButton
        label={`Delete ${title}`}
        icon={<Trash2 {...icon} />}
        disabledReason={reasonOf(may('webhook.delete'))}
        onClick={() => openDialog(webhookDialogs.delete, id)}
      />
      <Button
        icon={<KeyRound {...icon} />}
        disabledReason={reasonOf(may('webhook.renewSecret'))}
        onClick={() => openDialog(webhookDialogs.renewSecret, id)}
      >
        New Secret
      </Button>
      <Button
        icon={paused ? <Play {...icon} /> : <Pause {...icon} />}
        busy={update.isPending}
        busyText={paused ? 'Resuming...' : 'Pausing...'}
        disabledReason={mayChange}
        onClick={() =>
          update.mutate(
            { id, body: { paused: !paused } },
            { onError: (error) => toast.error(errorText(error, 'Failed to change the webhook.')) },
          )
        }
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        icon={<Pencil {...icon} />}
        disabledReason={mayChange}
        onClick={() => openDialog(webhookDialogs.edit, id)}
      >
        Edit
      </Button>
      <Button
        variant="primary"
        icon={<Send {...icon} />}
        busy={test.isPending}
        busyText="Sending..."
        disabledReason={reasonOf(may('webhook.test'))}
        onClick={() =>
          test.mutate(id, {
            onSuccess: () => toast.success('A test is being sent. Its result appears below.'),
            onError: (error) => toast.error(errorText(error, 'Failed to send a test.')),
          })
        }
      >
        Send a Test
      </Button>
    </>
  )
}
