import { mkdir, open, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { forTerminal } from '../lib/terminal-text.ts'

const require = createRequire(import.meta.url)
/**
 * Loaded with the first mail, which may never come: it takes 6 MB. As CommonJS: its ES module imports `node:http`,
 * whose namespace takes in Node's whole client of fetch, 13 MB that nothing here uses.
 */
const nodemailer = (): typeof import('nodemailer') => require('nodemailer')

export interface Mail {
  /** Exactly one address. */
  to: string
  subject: string
  text: string
  /** The link of ours that the mail is about: what else stands in the text may be somebody else's. */
  link: string
}

/** Sends a mail; `id` is the same in each try, so that mail programs show one of two. */
export type SendMail = (mail: Mail, id: string) => Promise<void>

const makeComposer = () =>
  nodemailer().createTransport({ streamTransport: true, buffer: true, newline: 'unix' })

/** For nodemailer, which reads a bare text as a list of addresses: one with a comma would go to two people. */
const messageOf = (from: string, { to, subject, text }: Mail, id: string) => ({
  from,
  messageId: `<${id}@${/@([\w.-]+)>?$/.exec(from)?.[1] ?? 'slipway'}>`,
  to: { name: '', address: to },
  subject,
  text,
})

/** Sends by SMTP; `url` as nodemailer takes it, `smtps://user:password@host:465` for one. */
export function smtpMailer(url: string, from: string): SendMail {
  const makeTransport = () =>
    nodemailer().createTransport({
      url,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
    })
  let transport: ReturnType<typeof makeTransport> | undefined
  return async (mail, id) => {
    transport ??= makeTransport()
    await transport.sendMail(messageOf(from, mail, id))
  }
}

/** Writes each mail as a complete `.eml` file into a folder only the operator can read. */
export function outboxMailer(dir: string, from: string): SendMail {
  let composer: ReturnType<typeof makeComposer> | undefined
  return async (mail, id) => {
    composer ??= makeComposer()
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { message } = await composer.sendMail(messageOf(from, mail, id))
    const stamp = new Date().toISOString().replace(/[:.]/g, '-')
    const file = path.join(dir, `${stamp}-${mail.to.replace(/[^a-z0-9@.+_-]/gi, '_')}.eml`)
    const handle = await open(`${file}.part`, 'w', 0o600)
    try {
      await handle.writeFile(message as Buffer)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${file}.part`, file)
  }
}

/** Tells the operator at the terminal of each mail that was sent: to whom, what about, and our link in it. */
export function toldMailer(send: SendMail, tell: (line: string) => void): SendMail {
  return async (mail, id) => {
    await send(mail, id)
    tell(`Mail to ${forTerminal(mail.to)}: ${forTerminal(mail.subject)}\n  ${forTerminal(mail.link)}`)
  }
}

/** Why a mail was not sent, as far as it says what to do next. */
export interface MailFailure {
  /** A sentence for operators. */
  message: string
  /** `mail`: this one is refused for good. `later`: this one, now. `server`: none can be sent. */
  about: 'mail' | 'later' | 'server'
}

/** What the error of a mail server, or of the outbox, means. */
export function failureOf(error: unknown): MailFailure {
  // Errors of nodemailer carry what the server answered.
  const { code, responseCode, command } = (error ?? {}) as Record<
    'code' | 'responseCode' | 'command',
    unknown
  >
  const message = error instanceof Error ? error.message : String(error)
  const answer = typeof responseCode === 'number' ? responseCode : null
  // Of the recipient or of the content; everything before them, our own address too, is about the server.
  const isAboutMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
  if (!isAboutMail) return { message, about: 'server' }
  return { message, about: answer !== null && answer < 500 ? 'later' : 'mail' }
}
