import type { Connection, Session } from 'ssh2'
import type { Leg } from './leg.ts'
import { refusal, tunnelRequest } from './packets.ts'

/** Long enough to ask for something; after it there is nothing to stay for. */
const stayMs = 10_000

interface Word {
  text: string
  /** Exit status: 255 is what ssh ends with when a connection cannot be had. */
  status: number
}

/** Answers whatever is asked for with a text and an exit status. */
export function explain(connection: Connection, leg: Leg, word: Word, sessions: number): void {
  leg.take((payload) => {
    const tunnel = tunnelRequest(payload)
    if (tunnel) leg.send(refusal(tunnel.sender, word.text))
    return tunnel !== null
  })
  answerSessions(connection, word, sessions)
  const timer = setTimeout(() => connection.end(), stayMs)
  leg.socket.once('close', () => clearTimeout(timer))
}

/** Answers the sessions of a connection so, at most so many at once; more are refused, as by OpenSSH. */
export function answerSessions(connection: Connection, word: Word, most: number): void {
  let count = 0
  connection.on('session', (accept, reject) => {
    if (count >= most) return reject()
    count += 1
    const session = accept()
    session.once('close', () => {
      count -= 1
    })
    answerSession(session, word)
  })
}

function answerSession(session: Session, { text, status }: Word): void {
  let lineEnd = '\n'
  session.on('pty', (accept) => {
    // A terminal in raw mode does not go back to the start of a line by itself.
    lineEnd = '\r\n'
    accept?.()
  })
  session.on('env', (accept) => accept?.())
  for (const kind of ['shell', 'exec', 'subsystem'] as const) {
    // One of the three is asked for, once; the types list them one by one.
    session.on(kind as 'shell', (accept) => {
      const channel = accept()
      channel.stderr.write(`${text}\n`.replaceAll('\n', lineEnd))
      channel.exit(status)
      channel.end()
    })
  }
}
