import { Counter, Gauge, type Registry } from 'prom-client'

/** Tries of this server since it started, and how the mails of all servers are doing. */
export interface MailFigures {
  tries: { succeeded: number; failed: number }
  waiting: number
  /** Of the last day. */
  failed: number
  /** How long the oldest has waited that waits; 0 for none. */
  oldestMs: number
}

/** Writes down how mails are doing. Returns what takes over the figures of a moment. */
export function makeMailFigures(register: Registry): (figures: MailFigures) => void {
  const registers = [register]
  const tries = new Counter({
    name: 'slipway_mail_tries_total',
    help: 'Tries to send a mail by how they ended.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const waiting = new Gauge({
    name: 'slipway_mails_waiting',
    help: 'Mails that are not sent yet.',
    registers,
  })
  const failed = new Gauge({
    name: 'slipway_mails_failed',
    help: 'Mails of the last day that are not tried any more.',
    registers,
  })
  const oldest = new Gauge({
    name: 'slipway_mail_oldest_waiting_seconds',
    help: 'Age of the oldest mail that is not sent yet; 0 for none.',
    registers,
  })

  return (figures) => {
    tries.reset()
    tries.inc({ outcome: 'succeeded' }, figures.tries.succeeded)
    tries.inc({ outcome: 'failed' }, figures.tries.failed)
    waiting.set(figures.waiting)
    failed.set(figures.failed)
    oldest.set(figures.oldestMs / 1000)
  }
}
