import type { Rolldown } from 'vite'

/** What of a chunk matters here. */
export type Chunk = Pick<
  Rolldown.OutputChunk,
  'fileName' | 'imports' | 'moduleIds' | 'isDynamicEntry' | 'code'
>

/** What one more request costs, in bytes before compression: below that, sending an unused file is cheaper. */
const requestBytes = 4_500

/** Files of the source that are always needed together, and the pages and dialogs that need them. */
interface Group {
  modules: string[]
  bytes: number
  /** A bit for each page or dialog. */
  users: bigint
  /** Groups it imports from; merged ones included. */
  needs: Set<Group>
}

/**
 * Decides which source files share a chunk, from what the bundler found out when it split as finely as it can: files
 * with the same users are one group to begin with, then groups are merged for as long as a saved request is worth the
 * bytes that some users then load in vain. Nothing depends on how a file is called or where it lies.
 *
 * @param fine the chunks of the finest split
 * @param entry the module with which every page begins; what it needs is there already
 * @returns the name of the chunk for each module that has one
 */
export function chunksOf(fine: readonly Chunk[], entry: string): Map<string, string> {
  const groups = mergeGroups(groupsOf(fine, entry))
  return new Map(groups.flatMap(({ modules }, i) => modules.map((module) => [module, `shared-${i}`])))
}

/** Every chunk that a chunk needs before it runs, itself included. */
export function closureOf(chunks: ReadonlyMap<string, Pick<Chunk, 'imports'>>, file: string): Set<string> {
  const found = new Set<string>()
  const visit = (next: string) => {
    if (found.has(next)) return
    found.add(next)
    for (const one of chunks.get(next)?.imports ?? []) visit(one)
  }
  visit(file)
  return found
}

function groupsOf(fine: readonly Chunk[], entry: string): Set<Group> {
  const chunks = new Map(fine.map((chunk) => [chunk.fileName, chunk]))
  const initial = closureOf(chunks, fine.find(({ moduleIds }) => moduleIds.includes(entry))?.fileName ?? '')
  const users = new Map<string, bigint>()
  for (const [i, { fileName }] of fine.filter(({ isDynamicEntry }) => isDynamicEntry).entries()) {
    for (const file of closureOf(chunks, fileName)) {
      users.set(file, (users.get(file) ?? 0n) | (1n << BigInt(i)))
    }
  }
  const groups = new Map<string, Group>()
  for (const { fileName, moduleIds, code } of fine) {
    const bits = users.get(fileName) ?? 0n
    if (initial.has(fileName) || moduleIds.length === 0 || countOf(bits) < 2) continue
    groups.set(fileName, { modules: moduleIds, bytes: code.length, users: bits, needs: new Set() })
  }
  for (const [file, group] of groups) {
    for (const next of chunks.get(file)?.imports ?? []) {
      const needed = groups.get(next)
      if (needed) group.needs.add(needed)
    }
  }
  return new Set(groups.values())
}

function mergeGroups(groups: Set<Group>): Group[] {
  const refused = new Map<Group, Set<Group>>()
  for (;;) {
    const best = cheapest([...groups], (a, b) => refused.get(a)?.has(b) ?? false)
    if (!best) return [...groups]
    const [a, b] = best
    if (isCircular(a, b)) {
      refused.set(a, (refused.get(a) ?? new Set()).add(b))
      continue
    }
    groups.delete(a)
    groups.delete(b)
    const merged = {
      modules: [...a.modules, ...b.modules],
      bytes: a.bytes + b.bytes,
      users: a.users | b.users,
      needs: new Set([...a.needs, ...b.needs].filter((one) => one !== a && one !== b)),
    }
    for (const { needs } of groups) {
      if (needs.delete(a) || needs.delete(b)) {
        needs.delete(b)
        needs.add(merged)
      }
    }
    groups.add(merged)
  }
}

/** The pair whose merging saves most; null when none saves anything. */
function cheapest(groups: Group[], isRefused: (a: Group, b: Group) => boolean): [Group, Group] | null {
  let best: [Group, Group] | null = null
  let bestCost = 0
  for (const [i, a] of groups.entries()) {
    for (const b of groups.slice(i + 1)) {
      const wasted = countOf(a.users & ~b.users) * b.bytes + countOf(b.users & ~a.users) * a.bytes
      const cost = wasted - countOf(a.users & b.users) * requestBytes
      if (cost < bestCost && !isRefused(a, b)) {
        best = [a, b]
        bestCost = cost
      }
    }
  }
  return best
}

/** Whether one needs the other by way of a third: merged, they would wait for one another. */
function isCircular(a: Group, b: Group): boolean {
  const seen = new Set<Group>()
  const leadsBack = (group: Group): boolean => {
    if (group === a || group === b) return true
    if (seen.has(group)) return false
    seen.add(group)
    return [...group.needs].some(leadsBack)
  }
  return [a, b].some(({ needs }) => [...needs].some((one) => one !== a && one !== b && leadsBack(one)))
}

function countOf(bits: bigint): number {
  let count = 0
  for (let rest = bits; rest > 0n; rest &= rest - 1n) count++
  return count
}
