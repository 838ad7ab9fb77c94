/** What counts as use of a VM, and for how long one was not used. Pure. */

/** What a VM did lately; null: nobody could tell. */
export interface Load {
  /** Percent of its processors. */
  cpu: number | null
  /** Bytes in a second, in both directions. */
  network: number | null
  disk: number | null
}

/** A guest at rest stays far below these: a percent or two in software, a few hundred bytes of address requests. */
const busy = { cpu: 5, network: 2_000, disk: 100_000 }

/** Whether a guest works. One that nobody could measure is not taken for one at rest. */
export const isBusy = (load: Load | null): boolean =>
  load === null ||
  load.cpu === null ||
  load.cpu >= busy.cpu ||
  (load.network ?? 0) >= busy.network ||
  (load.disk ?? 0) >= busy.disk

/** How long a VM has to be unused before that is shown: short pauses are none. */
export const calmMs = 60_000

/** What was seen of one VM: by the clock that is never set, and what was stored of it. */
export interface Watched {
  /** Since when it was not used. */
  since: number
  /** What was stored as that, milliseconds since the epoch; null until it has been unused for `calmMs`. */
  stored: number | null
}

/** What a look at a VM comes to: what is kept of it, and what is to be stored where that differs from what is. */
export function looked(
  before: Watched | undefined,
  vm: { idleSince: number | null },
  isUsed: boolean,
  { monotonic, now }: { monotonic: number; now: number },
): { watched: Watched | undefined; idleSince: number | null } {
  if (isUsed) return { watched: undefined, idleSince: null }
  // Somebody kept it awake, or it did not run in between: what was stored is not there any more.
  const isAnother = before !== undefined && before.stored !== null && before.stored !== vm.idleSince
  const since = before === undefined || isAnother ? monotonic : before.since
  const unusedMs = monotonic - since
  if (unusedMs < calmMs) return { watched: { since, stored: null }, idleSince: null }
  const stored = (!isAnother && before?.stored) || now - unusedMs
  return { watched: { since, stored }, idleSince: stored }
}
