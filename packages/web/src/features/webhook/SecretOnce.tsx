import { type WebhookWithSecret, webhookTitle } from '@slipway/contract'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { verifyExample } from './verify-example.ts'

/** The secret of a webhook, which is shown this once, and how a receiver uses it. */
export function SecretOnce({
  webhook,
  title,
  onClose,
}: {
  webhook: WebhookWithSecret
  title: string
  onClose: () => void
}) {
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        <Banner tone="warn">Copy the secret now and give it to the receiver. It is not shown again.</Banner>
        <div>
          <p className="mb-1.5 text-dense font-medium wrap-anywhere">
            <bdi>{webhookTitle(webhook)}</bdi>
          </p>
          <CodeLine
            code={webhook.secret}
            copyLabel="Copy secret"
            success="Secret copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </div>
        <div>
          <p className="mb-1.5 text-dense font-medium">Check signatures, here in Node</p>
          <CodeLine
            code={verifyExample}
            copyLabel="Copy example"
            success="Copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
          <p className="mt-1.5 text-hint text-ink-3">
            Requests follow Standard Webhooks, for which there are libraries in many languages.
          </p>
        </div>
      </div>
    </Dialog>
  )
}
