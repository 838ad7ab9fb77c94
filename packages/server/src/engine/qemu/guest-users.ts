import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { run } from '../../lib/command.ts'

/** The user ids that guests of a server that is root run with, one after the other. */
export interface GuestUsers {
  first: number
  count: number
}

/**
 * Ids that neither people nor services nor containers of a host get. Source: systemd, "Users, Groups, UIDs and GIDs on
 * systemd systems", where this range is the unused one below 2^31.
 */
const ALONE: GuestUsers = { first: 0x7000_0000, count: 0x0fff_ffff }

/** The one user of all guests, of earlier versions and where the host has too few ids. */
const SHARED = 'slipway-guest'

/**
 * Who guests run as: each is a user of its own, so that whoever breaks out of QEMU reaches no process of another guest.
 * In a container that was given too few ids, all of them share one.
 */
export async function chooseGuestUsers(): Promise<GuestUsers> {
  if (covers(await readFile('/proc/self/uid_map', 'utf8'), ALONE)) return ALONE
  return { first: (await sharedUser()) ?? (await makeSharedUser()), count: 1 }
}

/** Whether all of some ids are there by a map of ids, see user_namespaces(7): lines of first id, first outside, count. */
export function covers(idMap: string, { first, count }: GuestUsers): boolean {
  const lines = idMap.trim().split('\n')
  return lines.some((line) => {
    const [from = 0, , length = 0] = line.trim().split(/\s+/).map(Number)
    return from <= first && first + count <= from + length
  })
}

/** The user of one guest, always the same. Two of 268 million ids are the same by chance as good as never. */
export function userOf({ first, count }: GuestUsers, machineId: string): number {
  return first + (createHash('sha256').update(machineId).digest().readUInt32BE() % count)
}

/** The id of the user that guests of earlier versions run as; null where there is none. */
export async function sharedUser(): Promise<number | null> {
  const passwd = await readFile('/etc/passwd', 'utf8')
  const id = new RegExp(`^${SHARED}:[^:]*:(\\d+):`, 'm').exec(passwd)?.[1]
  return id === undefined ? null : Number(id)
}

async function makeSharedUser(): Promise<number> {
  const nowhere = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin']
  await run('useradd', ['--system', ...nowhere, SHARED])
  const made = await sharedUser()
  if (made === null) throw new Error('The user for guests is not there after it was made')
  return made
}
