import ssh2 from 'ssh2'
import { type Leg, openLeg } from './leg.ts'

/** How long a guest may take to let us in; one without KVM works hard for a key exchange. */
const patienceMs = 20_000

export type GuestFailure = 'no-answer' | 'key-refused' | 'other'

export interface GuestEvents {
  /** Signed in. What has to be there before its first message must be done at once. */
  onReady(leg: Leg): void
  onFailure(failure: GuestFailure, message: string): void
  /** It was in and is gone. */
  onClose(): void
}

/** Signs in to a guest as root. Returns the way to end it. */
export function enterGuest(
  { ip, port, privateKey }: { ip: string; port: number; privateKey: string },
  events: GuestEvents,
): () => void {
  const client = new ssh2.Client()
  let state: 'coming' | 'in' | 'over' = 'coming'
  const fail = (failure: GuestFailure, message: string) => {
    if (state !== 'coming') return
    state = 'over'
    events.onFailure(failure, message)
    client.destroy()
  }
  client.on('error', (error) => {
    const level = 'level' in error ? error.level : null
    const failure =
      level === 'client-authentication'
        ? 'key-refused'
        : level === 'client-socket' || level === 'client-timeout'
          ? 'no-answer'
          : 'other'
    fail(failure, error.message)
  })
  client.on('close', () => {
    fail('no-answer', 'The connection was closed.')
    if (state === 'in') events.onClose()
    state = 'over'
  })
  client.connect({
    host: ip,
    port,
    username: 'root',
    privateKey,
    // Asking without a key first would be one more way there and back.
    authHandler: ['publickey'],
    readyTimeout: patienceMs,
    ident: 'Slipway',
    // The host key is not checked: the address is on this machine's loopback network, where our own engine gave it to
    // this guest; nobody is in between, and a guest that is made anew at an address has another key.
    algorithms: { cipher: [...guestCiphers], compress: ['none'] },
  })
  const leg = openLeg(client)
  leg.socket.setNoDelay(true).setKeepAlive(true, 30_000)
  client.on('ready', () => {
    if (state !== 'coming') return
    state = 'in'
    events.onReady(leg)
  })
  return () => {
    if (state === 'coming') state = 'over'
    client.end()
    const timer = setTimeout(() => client.destroy(), 2000)
    client.once('close', () => clearTimeout(timer))
  }
}

const guestCiphers = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
] as const
