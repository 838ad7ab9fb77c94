import { adminMailTexts } from '@slipway/contract'
import { makeReconciler } from '../lib/reconciler.ts'
import { failureOf, type Mail, type SendMail } from '../mail/mail.ts'
import { type MailQueue, makeMailSeal } from '../mail/sealed-mail.ts'
import { lanes, makeMailReconcile } from '../mail-delivery/mail-delivery.reconcile.ts'
import { makeMailDeliveryRepo } from '../mail-delivery/mail-delivery.repo.ts'
import { makeMailDeliveryService } from '../mail-delivery/mail-delivery.service.ts'
import { type Base, rhythm } from './base.ts'

/** Mails that wait in the database until the mail server takes them. */
export function makeMails(
  base: Pick<Base, 'db' | 'clock' | 'clockGuard' | 'log' | 'calls' | 'underLease'>,
  { sendMail, secretKey }: { sendMail: SendMail; secretKey: string },
) {
  const { db, clock, clockGuard, log, calls, underLease } = base
  const repo = makeMailDeliveryRepo(db)
  const { seal, open } = makeMailSeal(secretKey, clock)
  const { look, scan, kickFree, tryAgain, leave, tally } = makeMailReconcile({
    repo,
    async send(mail) {
      let opened: Mail
      try {
        opened = open(mail)
      } catch {
        return { message: adminMailTexts.unreadable, about: 'mail' }
      }
      try {
        await sendMail(opened, mail.id)
        return 'sent'
      } catch (error) {
        return failureOf(error)
      }
    },
    kick: (lane) => mailReconciler.kick(lane),
    clock,
    clockGuard,
    log,
  })
  const mailReconciler = makeReconciler({
    name: 'mail',
    look,
    scan,
    within: underLease,
    ...rhythm,
    parallel: lanes.length,
    clock,
    log,
  })
  const mailDelivery = makeMailDeliveryService({ repo, tryAgain: () => calls.kickMails('again'), clock })
  calls.connect({
    kickMails: (what) => (what === 'again' ? tryAgain() : kickFree()),
  })
  const mailQueue: MailQueue = { seal, kick: () => calls.kickMails('new') }
  const mailFigures = async () => {
    const { waiting, failed, oldestAt, lastFailure } = await mailDelivery.figures()
    const oldestMs = oldestAt === null ? 0 : Math.max(clock.now() - Date.parse(oldestAt), 0)
    return { tries: tally(), waiting, failed, oldestAt, oldestMs, lastFailure }
  }
  return { mailQueue, mailDelivery, mailReconciler, mailFigures, leaveMails: leave }
}
