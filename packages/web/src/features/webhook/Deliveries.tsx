import { type Webhook, type WebhookDelivery, webhookKept, webhookPage } from '@slipway/contract'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useWebhookActs, useWebhookDeliveries } from '../../api/webhooks.ts'
import { formatDateTime } from '../../time.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { cx } from '../../ui/cx.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Segments } from '../../ui/Segments.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { toast } from '../../ui/toast.tsx'
import { answerText, deliveryWord } from './webhook-words.ts'

const states = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'failed', label: 'Failed' },
] as const

/** What was sent to a webhook and what waits, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [state, setState] = useState<(typeof states)[number]['value']>('all')
  const [limit, setLimit] = useState<number>(webhookPage.default)
  const { data, error, refetch } = useWebhookDeliveries(webhook, state === 'all' ? undefined : state, limit)
  return (
    <Sheet
      title="Deliveries"
      aria-label="Deliveries"
      actions={<Segments label="Deliveries" value={state} onValueChange={setState} options={states} />}
    >
      {!data && !error && (
        <div className="px-4 py-3">
          <LoadingState text="Loading deliveries..." />
        </div>
      )}
      {!data && error && (
        <div className="p-4">
          <ErrorState
            title="Error Loading Deliveries"
            message={errorText(error, 'Failed to load the deliveries.')}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {data?.deliveries.length === 0 && (
        <p className="px-4 py-3 text-ink-3">
          {state === 'all'
            ? 'Nothing was sent yet. Send a test to see whether the receiver takes it.'
            : `No delivery is ${state}.`}
        </p>
      )}
      {data && data.deliveries.length > 0 && (
        <ul className="divide-y divide-line">
          {data.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </ul>
      )}
      {data?.next && (
        <p className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3 text-hint text-ink-3">
          {limit < webhookPage.max ? (
            <Button size="sm" className="phone:h-10" onClick={() => setLimit(webhookPage.max)}>
              Show more
            </Button>
          ) : (
            'Older deliveries can be read by the API.'
          )}
        </p>
      )}
      <p className="border-t border-line px-4 py-3 text-hint text-ink-3">
        Deliveries are kept for {webhookKept.days} days.
      </p>
    </Sheet>
  )
}

const glyphs = { delivered: 'ready', failed: 'failed', waiting: 'waiting' } as const

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { id, state, created_at, next_try_at, failure, body } = delivery
  const answer = answerText(delivery)
  return (
    <li className="px-4 py-2.5 text-dense">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <div className="min-w-0 flex-[1_1_18rem]">
          <p className="wrap-anywhere">{body.data.message}</p>
          <p className="flex flex-wrap gap-x-3 text-hint text-ink-3">
            <span className="mono">{body.type}</span>
            <time dateTime={created_at}>{formatDateTime(created_at)}</time>
          </p>
        </div>
        <div className="min-w-0 flex-[1_1_14rem]">
          <p className={cx('flex items-center gap-[7px] font-medium', state === 'failed' && 'text-bad')}>
            <StatusGlyph word={glyphs[state]} />
            {deliveryWord(delivery)}
          </p>
          {failure && <p className="text-hint wrap-anywhere text-ink-2">{failure}</p>}
          <p className="text-hint text-ink-3">
            {answer}
            {answer && next_try_at && '. '}
            {next_try_at && !webhook.paused && `Next try ${formatDateTime(next_try_at)}`}
          </p>
        </div>
        <SendAgain webhook={webhook} delivery={delivery} />
      </div>
      <details className="mt-1">
        <summary className="w-fit cursor-pointer text-hint text-accent phone:py-2">
          Request<span className="sr-only"> of {body.type}</span>
        </summary>
        <div className="mt-1.5 flex items-start gap-2 rounded-control border border-line bg-sunken py-[5px] pr-1.5 pl-2.5">
          <pre className="min-w-0 flex-1 text-hint/5 whitespace-pre-wrap wrap-anywhere">
            {`webhook-id: ${id}\n\n${JSON.stringify(body, null, 2)}`}
          </pre>
          <CopyButton
            text={JSON.stringify(body, null, 2)}
            label={`Copy body of ${body.type}`}
            success="Copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </div>
      </details>
    </li>
  )
}

function SendAgain({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const may = useMay()
  const { retry } = useWebhookActs(webhook.project_id)
  return (
    <Button
      size="sm"
      className="phone:h-10"
      icon={<RotateCw size={14} strokeWidth={1.6} aria-hidden />}
      aria-label={`Send Again: ${delivery.body.type}`}
      busy={retry.isPending}
      busyText="Sending..."
      disabledReason={reasonOf(may('webhook.retry'))}
      onClick={() =>
        retry.mutate(
          { id: webhook.id, deliveryId: delivery.id },
          { onError: (error) => toast.error(errorText(error, 'Failed to send the delivery again.')) },
        )
      }
    >
      Send Again
    </Button>
  )
}
