import type { Socket } from 'node:net'
import ssh2 from 'ssh2'
import { ident, type Leg, openLeg } from './leg.ts'
import { makeTurns } from './turns.ts'

/** How long a guest may take to let us in; one without KVM works hard for a key exchange. */
const patienceMs = 20_000

/** Guests hang up on those who sign in beside too many others (Dropbear: five), and all of ours come from one address. */
const takeTurn = makeTurns(4)

export type GuestFailure = 'no-answer' | 'key-refused' | 'other'

export interface GuestEvents {
  /** Signed in. What has to be there before its first message must be done at once. */
  onReady(leg: Leg): void
  onFailure(failure: GuestFailure, message: string): void
  /** It was in and is gone. */
  onClose(): void
}

/** Signs in to a guest as root, over a connection that is made when it is its turn. Returns the way to end it. */
export function enterGuest(
  { vmId, connect, privateKey }: { vmId: string; connect: () => Promise<Socket>; privateKey: string },
  events: GuestEvents,
): () => void {
  const client = new ssh2.Client()
  let state: 'coming' | 'in' | 'over' = 'coming'
  const endTurn = takeTurn(vmId, () => {
    connect().then(start, (error: unknown) => {
      endTurn()
      fail('no-answer', `${error instanceof Error ? error.message : error}.`)
    })
  })

  function fail(failure: GuestFailure, message: string): void {
    if (state !== 'coming') return
    state = 'over'
    events.onFailure(failure, message)
    client.destroy()
  }

  function start(sock: Socket): void {
    if (state !== 'coming') return void sock.destroy()
    client.on('error', (error) => fail(failureOf('level' in error ? error.level : null), error.message))
    client.on('close', () => {
      endTurn()
      fail('no-answer', 'The connection was closed.')
      if (state === 'in') events.onClose()
      state = 'over'
    })
    client.connect({
      sock,
      username: 'root',
      privateKey,
      // Asking without a key first would be one more way there and back.
      authHandler: ['publickey'],
      readyTimeout: patienceMs,
      ident,
      // The host key is not checked: the engine made this connection to this very guest; nobody is in between, and a
      // guest that is made anew has another key.
      algorithms: { cipher: [...guestCiphers], compress: ['none'] },
    })
    const leg = openLeg(client)
    client.on('ready', () => {
      endTurn()
      if (state !== 'coming') return
      state = 'in'
      events.onReady(leg)
    })
  }

  return () => {
    if (state === 'coming') state = 'over'
    endTurn()
    client.end()
    const timer = setTimeout(() => client.destroy(), 2000)
    client.once('close', () => clearTimeout(timer))
  }
}

function failureOf(level: unknown): GuestFailure {
  if (level === 'client-authentication') return 'key-refused'
  return level === 'client-socket' || level === 'client-timeout' ? 'no-answer' : 'other'
}

const guestCiphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com',
  'aes128-ctr',
  'aes256-ctr',
] as const
