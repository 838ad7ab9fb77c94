import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { resetMail, verificationMail } from '../account/account.mails.ts'
import { outboxMailer, smtpMailer, toldMailer } from './mail.ts'

const dir = await mkdtemp(path.join(tmpdir(), 'slipway-mail-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

const link = 'https://console.slipway.test/verify-email?token=abc'
const installation = { productName: 'Slipway', url: 'https://console.slipway.test' }
const verify = (name: string, email = 'ada@slipway.test') =>
  verificationMail({ name, email }, installation, 'abc', '192.0.2.1')
const linksIn = (text: string) => text.match(/\S+:\/\/\S+|www\.\S+/g)

describe('a mail to somebody whose address anybody may have given', () => {
  it('quotes the name as what it is, the words of whoever signed up', () => {
    expect(verify('Ada Lovelace').text).toContain('Someone with the name “Ada Lovelace” created an account')
    expect(verify('J. R. R. مشروع 🚀').text).toContain('“J. R. R. مشروع 🚀”')
  })

  it.each([
    'Win at https://evil.example/x',
    'visit www.evil.example',
    'visit WWW evil',
    'evil.example now',
    'mail me@evil.example',
    'a\r\n\r\nhttps://evil.example',
    'a\u202eelpmaxe',
    'HTTPS:\\\\evil',
  ])('leaves out the name %j, which could lead away', (name) => {
    const { text } = verify(name)
    expect(text).toContain('Hello,\n\nSomeone created an account at Slipway')
    expect(text).not.toContain('evil')
    expect(linksIn(text)).toEqual([link])
  })

  it('never has the name when it is about a password', () => {
    const account = { name: 'Call +1 555 now', email: 'ada@slipway.test' }
    const { text } = resetMail(account, installation, 'abc', '192.0.2.1')
    expect(text).not.toContain('555')
    expect(linksIn(text)).toEqual(['https://console.slipway.test/reset-password?token=abc'])
  })
})

describe('the line that the terminal is told', () => {
  const told = async (mail: Parameters<ReturnType<typeof toldMailer>>[0]) => {
    const lines: string[] = []
    await toldMailer(
      async () => {},
      (line) => lines.push(line),
    )(mail, 'id')
    return lines.join('\n')
  }

  it('has our link, whatever else stands in the mail before it', async () => {
    const mail = { ...verify('Ada'), text: 'Hello https://evil.example/ …' }
    expect(await told(mail)).toBe(`Mail to ada@slipway.test: Verify your Slipway email address\n  ${link}`)
  })

  it('shows what would do something at the terminal instead of doing it', async () => {
    const line = await told(verify('Ada', 'a\u001b[2J\u202e\u009b\r\n@slipway.test'))
    expect(line).toContain('Mail to a\\u{1b}[2J\\u{202e}\\u{9b}\\u{d}\\u{a}@slipway.test:')
  })
})

/** The recipients that a mail server is told of when a mail is sent to an address. */
async function recipientsOf(to: string): Promise<string[]> {
  const recipients: string[] = []
  const server = createServer((socket) => {
    socket.write('220 test\r\n')
    let isData = false
    socket.on('data', (chunk) => {
      for (const line of `${chunk}`.split('\r\n').filter(Boolean)) {
        if (isData) {
          if (line === '.') socket.write('250 taken\r\n')
          isData &&= line !== '.'
          continue
        }
        if (/^RCPT TO:/i.test(line)) recipients.push(line.replace(/^RCPT TO:/i, '').trim())
        isData = /^DATA/i.test(line)
        socket.write(isData ? '354 go on\r\n' : '250 good\r\n')
      }
    })
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const send = smtpMailer(
    `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    'Slipway <no-reply@slipway.test>',
  )
  try {
    await send({ ...verify('Ada'), to }, 'id').catch(() => {})
  } finally {
    server.close()
  }
  return recipients
}

describe('an address', () => {
  it.each(['a,b@slipway.test', 'ada@slipway.test, bob@evil.example', 'a@b.test;c@evil.example'])(
    '%j of an old account is one address, or none',
    async (to) => {
      const recipients = await recipientsOf(to)
      expect(recipients.length).toBeLessThanOrEqual(1)
      expect(recipients.filter((one) => /^<?(b|bob|c)@/.test(one))).toEqual([])
    },
  )

  it('that is plain is the recipient', async () => {
    expect(await recipientsOf('ada@slipway.test')).toEqual(['<ada@slipway.test>'])
  })

  it('stands in the outbox as the one it is', async () => {
    await outboxMailer(dir, 'Slipway <no-reply@slipway.test>')(verify('Ada', 'a,b@slipway.test'), 'id')
    const [file = ''] = await readdir(dir)
    const to = /^To: .*$/m.exec(await readFile(path.join(dir, file), 'utf8'))?.[0]
    expect(to).not.toMatch(/^To: a, /)
  })
})
