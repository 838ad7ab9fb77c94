import { openSecret, sealingKey, sealSecret } from '../lib/sealed-secret.ts'
import { newSecret, secretText } from './webhook.signature.ts'
import { isAhead, type WebhookRecord } from './webhook.state.ts'

export type WebhookSecrets = ReturnType<typeof makeWebhookSecrets>

/** Makes the secrets of webhooks, and opens them for signatures. `key`: the text that secrets are encrypted with. */
export function makeWebhookSecrets(key: string) {
  const sealing = sealingKey(key, 'slipway webhook secret v1')
  return {
    /** A new secret as its owner gets it, and as it is stored. */
    create(webhookId: string): { text: string; sealed: string } {
      const secret = newSecret()
      return { text: secretText(secret), sealed: sealSecret(secret, sealing, webhookId) }
    },

    /** What a request is signed with at a time, the newest first. Throws when a secret cannot be opened. */
    of({ id, secret, oldSecret, oldSecretUntil }: WebhookRecord, nowMs: number): Buffer[] {
      const both = oldSecret !== null && isAhead(oldSecretUntil, nowMs) ? [secret, oldSecret] : [secret]
      return both.map((one) => openSecret(one, sealing, id))
    },
  }
}
