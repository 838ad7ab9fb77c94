/** Signatures after Standard Webhooks 1.0.0: https://github.com/standard-webhooks/standard-webhooks */
import { createHmac, randomBytes } from 'node:crypto'

/** The specification wants 24 to 64. */
const secretBytes = 32

export const newSecret = (): Buffer => randomBytes(secretBytes)

/** A secret as receivers keep it. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`

/** The headers that say which message this is, when it is sent and that it comes from us; a signature for each secret. */
export function signedHeaders(
  id: string,
  nowMs: number,
  body: string,
  secrets: readonly Buffer[],
): Record<string, string> {
  const timestamp = `${Math.floor(nowMs / 1000)}`
  const sign = (secret: Buffer) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
