/** How many guests are kept ready, and of which kinds: pure. */

/** A kind of guest: a version of a template's image with processors and memory. */
export interface Kind {
  key: string
  memoryMb: number
  /** When a VM of it was started for the first time last, in milliseconds. */
  usedAt: number
}

/** What nobody started for so long is nothing that people really use. */
const USED_WITHIN_MS = 7 * 24 * 3_600_000
const LEAST_FREE_MB = 2048

/** What is left of a host's memory beside the reserve: a quarter of all, and 2 GiB at least. */
export const leftBeside = (totalMb: number): number => Math.max(LEAST_FREE_MB, totalMb / 4)

/**
 * The kinds that a guest each is to be kept ready of, the most important first; a kind may be there more than once. Kinds that were
 * used last come first and in turns, until there are `most` or the memory that is free would be too little.
 *
 * @param host.freeMb memory that is free now, with what the reserve has
 * @param host.leaveMb what is to be left beside it
 * @param host.overheadMb what a guest takes beside its memory
 */
export function wantedReserve(
  kinds: readonly Kind[],
  host: { most: number; freeMb: number; leaveMb: number; overheadMb: number; nowMs: number },
): string[] {
  const used = kinds
    .filter(({ usedAt }) => host.nowMs - usedAt < USED_WITHIN_MS)
    .sort((one, other) => other.usedAt - one.usedAt)
  let leftMb = host.freeMb - host.leaveMb
  const wanted: string[] = []
  for (let index = 0; used.length > 0 && wanted.length < host.most; index += 1) {
    const kind = used[index % used.length]
    leftMb -= (kind?.memoryMb ?? 0) + host.overheadMb
    if (!kind || leftMb < 0) break
    wanted.push(kind.key)
  }
  return wanted
}
