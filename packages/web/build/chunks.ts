import type { Rolldown } from 'vite'

/** What of a chunk matters here. */
export type Chunk = Pick<
  Rolldown.OutputChunk,
  'fileName' | 'facadeModuleId' | 'imports' | 'dynamicImports' | 'moduleIds' | 'isDynamicEntry' | 'code'
>

/** What one more request costs, in bytes before compression: below that, sending an unused file is cheaper. */
const requestBytes = 4_000
/** How much dialogs and the like count beside pages: they open when most of what they need is there already. */
const laterWeight = 0.3
/** How much a page counts that people see first, against all others together: on those most of what they need has been loaded. */
const firstWeight = 320

/** What the bundler cannot know. */
export interface Routes {
  /** The module with which every page begins. */
  entry: string
  /** The modules that are loaded together with a page, such as the frame around it. */
  framesOf?: (page: string) => readonly string[]
  /** The modules of the pages that people see first, with an empty cache. */
  firstPages?: readonly string[]
}

/** The pages and dialogs that need something, by name with their weight. */
type Users = ReadonlyMap<string, number>

/** Files of the source that are always needed together, and the pages and dialogs that need them. */
interface Group {
  modules: string[]
  bytes: number
  users: Users
  /** Groups it imports from; merged ones included. */
  needs: Set<Group>
}

/**
 * Decides which source files share a chunk, from what the bundler found out when it split as finely as it can: files
 * with the same users are one group to begin with, then groups are merged for as long as a saved request is worth the
 * bytes that some users then load in vain. Nothing depends on how a file is called or where it lies.
 *
 * @param fine the chunks of the finest split
 * @returns the name of the chunk for each module that has one
 */
export function chunksOf(fine: readonly Chunk[], routes: Routes): Map<string, string> {
  const groups = mergeGroups(groupsOf(fine, routes))
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

function groupsOf(fine: readonly Chunk[], { entry, framesOf, firstPages = [] }: Routes): Set<Group> {
  const chunks = new Map(fine.map((chunk) => [chunk.fileName, chunk]))
  const first = fine.find(({ moduleIds }) => moduleIds.includes(entry))
  if (!first) throw new Error(`No chunk contains ${entry}`)
  const initial = closureOf(chunks, first.fileName)
  const pages = new Set([...initial].flatMap((file) => chunks.get(file)?.dynamicImports ?? []))
  const users = new Map<string, Map<string, number>>()
  const fileOf = (module: string) => {
    const found = fine.find(({ facadeModuleId }) => facadeModuleId === module)
    if (!found) throw new Error(`There is no page or frame ${module}`)
    return found.fileName
  }
  const firstFiles = new Set(firstPages.map(fileOf))
  const weightOf = (file: string) => (firstFiles.has(file) ? firstWeight : pages.has(file) ? 1 : laterWeight)
  for (const { fileName, facadeModuleId } of fine.filter(({ isDynamicEntry }) => isDynamicEntry)) {
    const frames = pages.has(fileName) && facadeModuleId ? (framesOf?.(facadeModuleId) ?? []) : []
    const begun = [fileName, ...frames.map(fileOf)]
    for (const file of new Set(begun.flatMap((one) => [...closureOf(chunks, one)]))) {
      const all = users.get(file) ?? new Map()
      users.set(file, all.set(fileName, weightOf(fileName)))
    }
  }
  const groups = new Map<string, Group>()
  for (const { fileName, moduleIds, code } of fine) {
    const own = users.get(fileName)
    if (initial.has(fileName) || moduleIds.length === 0 || !own || own.size < 2) continue
    groups.set(fileName, { modules: moduleIds, bytes: code.length, users: own, needs: new Set() })
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
      users: new Map([...a.users, ...b.users]),
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
      const { both, onlyA, onlyB } = compare(a.users, b.users)
      const cost = onlyA * b.bytes + onlyB * a.bytes - both * requestBytes
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

/** The weights of the users that two groups share, and of those that need one of them only. */
function compare(a: Users, b: Users): { both: number; onlyA: number; onlyB: number } {
  const weights = { both: 0, onlyA: 0, onlyB: 0 }
  for (const [user, weight] of a) {
    if (b.has(user)) weights.both += weight
    else weights.onlyA += weight
  }
  for (const [user, weight] of b) if (!a.has(user)) weights.onlyB += weight
  return weights
}
