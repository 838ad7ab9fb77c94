import { Counter, Gauge, type Registry } from 'prom-client'

/** What was sent to webhooks by this server since it started, and what waits at all. */
export interface WebhookFigures {
  tries: { succeeded: number; failed: number }
  ended: { delivered: number; given_up: number }
  /** `paused`: nothing is sent to these webhooks, as they or their projects rest. */
  waiting: { active: number; paused: number }
  /** How long the oldest delivery has waited of those that are sent; 0 for none. */
  oldestMs: number
}

/**
 * Writes down how webhooks are. Returns what takes over the figures of a moment. No label names a webhook: there may be
 * thousands, and their URLs are secret.
 */
export function makeWebhookFigures(register: Registry): (figures: WebhookFigures) => void {
  const registers = [register]
  const tries = new Counter({
    name: 'slipway_webhook_tries_total',
    help: 'Requests to the receivers of webhooks by how they ended.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const deliveries = new Counter({
    name: 'slipway_webhook_deliveries_total',
    help: 'Deliveries of webhooks that ended: delivered, or given up after the last try.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const waiting = new Gauge({
    name: 'slipway_webhook_deliveries_waiting',
    help: 'Deliveries that wait; paused are those of webhooks to which nothing is sent now.',
    labelNames: ['webhooks'] as const,
    registers,
  })
  const oldest = new Gauge({
    name: 'slipway_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest delivery that waits for an active webhook; 0 for none.',
    registers,
  })

  return (figures) => {
    tries.reset()
    tries.inc({ outcome: 'succeeded' }, figures.tries.succeeded)
    tries.inc({ outcome: 'failed' }, figures.tries.failed)
    deliveries.reset()
    deliveries.inc({ outcome: 'delivered' }, figures.ended.delivered)
    deliveries.inc({ outcome: 'given_up' }, figures.ended.given_up)
    waiting.set({ webhooks: 'active' }, figures.waiting.active)
    waiting.set({ webhooks: 'paused' }, figures.waiting.paused)
    oldest.set(figures.oldestMs / 1000)
  }
}
