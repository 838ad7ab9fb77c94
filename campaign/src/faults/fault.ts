/** What a fault of a campaign is, and what several of them do. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Random } from '@slipway/e2e/random'
import type { Client } from '../client.ts'
import type { Host, OneServer } from '../host.ts'
import type { Reachable } from '../hostile-guest.ts'
import type { EngineName } from '../script.ts'

export const run = promisify(execFile)

/** A fault of hosts of some kind. */
export interface Fault<H extends Host> {
  name: string
  weight: number
  engines: readonly EngineName[]
  /** Why it cannot be dealt here; null when it can. */
  missing?: (host: H) => string | null
  /** Whether it may make objects fail, with a reason. */
  harsh: boolean
  /** Whether servers log errors because of it though nothing fails. */
  logged?: true
  /** Injects it, lets it last, and heals it. The users go on meanwhile. */
  deal: (host: H, random: Random, field: Field) => Promise<void>
}

/** An account that a tenant may misuse, with a project of its own. */
export interface Hostile {
  client: Client
  projectId: string
  /** Says that it floods the server from now on; returns its end. */
  floods: () => () => void
}

/** What is around the server. */
export interface Field {
  accounts: readonly Hostile[]
  /** The guests that can be reached now. */
  guests: () => Promise<Reachable[]>
  /** Breaks the connections of those who listen to events. */
  cutStreams: () => void
}

/** Those with a host of their own. */
export const both = ['simulated', 'qemu'] as const
export const everywhere = [...both, 'kubevirt'] as const

/** A start that may be refused, as long as it is with a sentence. */
export async function mayStart(host: OneServer): Promise<void> {
  await host.start().catch(() => {})
}

/** Ends in a way that leaves a server that is up, whether it lived through it or not. */
export async function startIfEnded(host: OneServer): Promise<void> {
  if (host.hasEnded) await host.kill()
  await host.start()
}

/** Processes that the server has started and that are named so. */
export async function childrenOf(pid: number, name: RegExp): Promise<number[]> {
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    const [, program = '', parent] = /^\d+ \((.*)\) \S (\d+)/.exec(text) ?? []
    if (Number(parent) === pid && name.test(program)) found.push(Number(entry))
  }
  return found
}

/** Sends a signal to a process that may have ended by itself. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (!pid) return
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
