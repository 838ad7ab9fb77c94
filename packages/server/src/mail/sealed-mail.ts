/**
 * Mails as they wait in the database: encrypted, because links in them sign people in, reset passwords and let people into projects. Of
 * such a link the database has nothing but a hash otherwise.
 */
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { openSecret, sealingKey, sealSecret } from '../lib/sealed-secret.ts'
import type { Mail } from './mail.ts'

export interface MailAbout {
  /** What it is for, in a word for logs and operators. */
  purpose: string
  /** Whom it is about; null for somebody without an account. */
  accountId: string | null
  /** For how long a secret in it is of use, in milliseconds; absent: it has none. */
  secretLastsMs?: number
}

export interface SealedMail {
  id: string
  account_id: string | null
  purpose: string
  recipient: string
  content: string
  created_at: string
  expires_at: string | null
}

/** What services need to have mails sent. */
export interface MailQueue {
  /** A mail as it is queued with the entry of the activity log that it belongs to. */
  seal: (mail: Mail, about: MailAbout) => SealedMail
  /** Has what was queued sent soon; to be called once it is stored. */
  kick: () => void
}

/** Seals mails, and opens them to be sent. `key`: the text that secrets are encrypted with. */
export function makeMailSeal(key: string, clock: Clock) {
  const sealing = sealingKey(key, 'slipway mail v1')
  return {
    seal({ to, ...content }: Mail, { purpose, accountId, secretLastsMs }: MailAbout): SealedMail {
      const now = clock.now()
      const id = newId(now)
      return {
        id,
        account_id: accountId,
        purpose,
        recipient: to,
        content: sealSecret(Buffer.from(JSON.stringify(content)), sealing, id),
        created_at: isoTime(now),
        expires_at: secretLastsMs === undefined ? null : isoTime(now + secretLastsMs),
      }
    },

    /** Throws when it was sealed with another key. */
    open({ id, recipient, content }: { id: string; recipient: string; content: string }): Mail {
      // Sealed above, in this form.
      const { subject, text, link } = JSON.parse(openSecret(content, sealing, id).toString('utf8')) as Omit<
        Mail,
        'to'
      >
      return { to: recipient, subject, text, link }
    },
  }
}
