import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file system in the making: what a guest shall find, with modes, independent of who owns files on the host. */
export type Entry =
  | { kind: 'directory'; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'file'; mode: number; content: Buffer }

/** Absolute path to entry. Everything belongs to root. */
export type Tree = Map<string, Entry>

/** Adds an entry and the directories above it. */
export function plant(tree: Tree, path: string, entry: Entry): void {
  const parent = path.slice(0, path.lastIndexOf('/'))
  if (parent && !tree.has(parent)) plant(tree, parent, { kind: 'directory', mode: 0o755 })
  tree.set(path, entry)
}

/** Entries in an order that puts every directory before what it holds, the same on every host. */
export const inOrder = (tree: Tree): [string, Entry][] =>
  [...tree].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))

/** Adds every file below a directory of the host, at the same place in the guest; only the executable bit is kept. */
export async function plantFiles(tree: Tree, from: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const mode = (await stat(path)).mode & 0o100 ? 0o755 : 0o644
    plant(tree, path.slice(from.length), { kind: 'file', mode, content: await readFile(path) })
  }
}
