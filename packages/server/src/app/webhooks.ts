import { inBackground } from '../lib/in-background.ts'
import { makeHostPolicy } from '../lib/public-hosts.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { makeResolve } from '../lib/resolve-host.ts'
import { makeDeliveryRepo } from '../webhook/delivery.repo.ts'
import { makePost } from '../webhook/webhook.post.ts'
import { makeWebhookReconcile } from '../webhook/webhook.reconcile.ts'
import { makeWebhookRepo } from '../webhook/webhook.repo.ts'
import { makeWebhookSecrets } from '../webhook/webhook.secrets.ts'
import { makeWebhookService } from '../webhook/webhook.service.ts'
import { type Base, rhythm } from './base.ts'

/** An entry is stored in many places, none of which tells of it: it is looked for soon after any change of an object. */
const soonMs = 200
/** Requests to receivers under way at once, each of another webhook. */
const parallel = 64

/** Entries of projects' logs that are sent to other systems. */
export function makeWebhooks(
  base: Base,
  { privateWebhooks, secretKey }: { privateWebhooks: readonly string[]; secretKey: string },
) {
  const { db, clock, log, bus, calls, drives, underLease } = base
  const deliveries = makeDeliveryRepo(db)
  const policy = makeHostPolicy(privateWebhooks)
  const secrets = makeWebhookSecrets(secretKey)
  const webhooks = makeWebhookService({
    repo: makeWebhookRepo(db),
    deliveries,
    secrets,
    policy,
    kick: calls.kickWebhook,
    clock,
  })
  const { look, scan, isUsed, tally } = makeWebhookReconcile({
    repo: deliveries,
    post: makePost(policy, makeResolve(), clock),
    secrets,
    onEntries: () => lookSoon(),
    clock,
  })
  const webhookReconciler = makeReconciler({
    name: 'webhook',
    look,
    scan,
    within: underLease,
    ...rhythm,
    parallel,
    clock,
    log,
  })
  let isSoon = false
  function lookSoon(): void {
    if (isSoon || !isUsed() || !drives()) return
    isSoon = true
    clock.after(soonMs, () => {
      isSoon = false
      if (drives()) inBackground(log, 'looking for deliveries of webhooks', underLease(kickDue))
    })
  }
  async function kickDue(): Promise<void> {
    // A scan would leave those alone that wait for something else.
    for (const id of await scan()) webhookReconciler.kick(id)
  }
  bus.onAnyChange(lookSoon)
  calls.connect({
    kickWebhook(id) {
      webhookReconciler.kick(id)
      // Others may take the entry that tells of it.
      lookSoon()
    },
  })
  const webhookFigures = async () => {
    const { active, paused, oldestAt } = await deliveries.allWaiting()
    const oldestMs = oldestAt === null ? 0 : Math.max(clock.now() - Date.parse(oldestAt), 0)
    return { ...tally(), waiting: { active, paused }, oldestMs }
  }
  return { webhooks, webhookReconciler, webhookFigures }
}
