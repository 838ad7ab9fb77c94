import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import nodemailer from 'nodemailer'

export interface Mail {
  to: string
  subject: string
  text: string
}

export type SendMail = (mail: Mail) => Promise<void>

const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' })

/** Sends by SMTP; `url` as nodemailer takes it, `smtps://user:password@host:465` for one. */
export function smtpMailer(url: string, from: string): SendMail {
  const transport = nodemailer.createTransport({ url, connectionTimeout: 10_000, socketTimeout: 20_000 })
  return async (mail) => {
    await transport.sendMail({ from, ...mail })
  }
}

/** Writes each mail as a complete `.eml` file into a folder only the operator can read. */
export function outboxMailer(dir: string, from: string): SendMail {
  return async (mail) => {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const { message } = await composer.sendMail({ from, ...mail })
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
