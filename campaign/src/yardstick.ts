/**
 * How much of the time of a call the host was to blame for: the part that a program had to wait which does next to
 * nothing (`control.ts`). Pure.
 */

/** What was measured from the end of one round of the control to the end of the next; milliseconds. */
export interface Round {
  from: number
  to: number
  /** How long the control took, from when it should have begun. */
  control: number
  /** The part of that which its write took. */
  disk: number
  /** How long the servers were ready to run while others had the processor. */
  waited: number
  /** Processor time that the servers used, and everybody else. */
  byServers: number
  byOthers: number
}

/** A control that takes no longer was on time. */
export const onTimeMs = 20

const late = (ms: number) => (ms > onTimeMs ? ms : 0)

/**
 * Milliseconds between two moments that calls may take longer. What the processors were lacking counts only as far as
 * the servers did not use them up themselves.
 */
export function excusedBetween(rounds: readonly Round[], from: number, to: number): number {
  let [processor, disk, byServers, byOthers] = [0, 0, 0, 0]
  for (const round of rounds) {
    const overlap = Math.min(to, round.to) - Math.max(from, round.from)
    if (overlap <= 0) continue
    const share = overlap / (round.to - round.from)
    const ofDisk = Math.min(overlap, late(round.disk))
    disk += ofDisk
    const ofProcessor = Math.max(late(round.control) - late(round.disk), round.waited * share)
    processor += Math.min(Math.max(0, ofProcessor), overlap - ofDisk)
    byServers += round.byServers * share
    byOthers += round.byOthers * share
  }
  const innocence = byServers > byOthers ? byOthers / byServers : 1
  return processor * innocence + disk
}

/** Whether a call took longer than it may, by more than the host is to blame for. */
export const isLate = (took: number, excused: number, limitMs: number): boolean => took - excused > limitMs
