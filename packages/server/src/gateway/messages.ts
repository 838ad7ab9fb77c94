/** What the two threads of the gateway say to each other. */

/** Who comes in, as far as it is known. */
export interface Caller {
  /** Of the key, as `ssh-keygen -lf` prints it. */
  fingerprint: string
  /** What stands before the `@`. */
  name: string
  /** The address of ours that was called. */
  at: string
}

/** Where a caller may go. */
export type Way =
  /** Nowhere; it is not said why. */
  | { to: 'nobody' }
  | { to: 'vm'; accountId: string; vmId: string; called: string }
  /** In, to be told why it goes no further. */
  | { to: 'word'; accountIds: string[]; text: string }
  /** Nowhere: the key was proven, which was all that was wanted. */
  | { to: 'proof'; accountIds: string[]; text: string }
  /** On to VMs by tunnels, each of which is asked for. */
  | { to: 'jump'; accountIds: string[]; text: string }

/** Where to connect for the SSH server of a VM: an address, or a door that opens once. */
export type Line = { at: { ip: string; port: number } } | { door: string } | { refused: string }

export type Question =
  | { ask: 'known'; fingerprint: string }
  | ({ ask: 'way' } & Caller)
  | { ask: 'line'; vmId: string }

/** Of the kind that the question is about; null when it could not be answered. */
export type Answer = boolean | Way | Line | null

/** A connection into a VM. */
export interface Visit {
  id: number
  fingerprint: string
  accountId: string
  vmId: string
}

/** From the thread of the gateway to the server. */
export type ToServer =
  | { say: 'ready'; port: number; hostFingerprint: string; publicKey: string }
  | { say: 'failed'; code: string | null; message: string }
  | { say: 'question'; id: number; question: Question }
  | { say: 'came'; visit: Visit }
  | { say: 'went'; id: number }
  | { say: 'log'; level: 'info' | 'warn'; message: string; about: Record<string, string> }

/** From the server to the thread of the gateway. */
export type ToGateway =
  | { say: 'answer'; id: number; answer: Answer }
  | { say: 'cut'; cut: Cut }
  | { say: 'close' }

/** Ends what came in by a key of an account, or by any of them; of that, what went into these VMs, or all. */
export interface Cut {
  accountId: string
  fingerprint: string | null
  vmIds: readonly string[] | null
  why: string
}

/** What the thread is started with. */
export interface GatewaySettings {
  dataDir: string
  listen: string
  localOnly: boolean
  /** 0: any free one. */
  port: number
  /** The name people call it by; null: that of the console. */
  host: string | null
}
