import { type FileHandle, mkdir, rm, writeFile } from 'node:fs/promises'
import type { CommandOptions } from '../lib/command.ts'
import { changeExt4, quoted } from './ext4.ts'
import { digestIn, extractFrom, readTar, type TarEntry } from './tar.ts'

/** A path of an image: what the archive says of it, and what of its content two images can be compared by. */
export interface Item extends TarEntry {
  /** SHA-256 of a file's content. */
  digest: string | null
}

/** Absolute path to what stands there. */
export type Listing = ReadonlyMap<string, Item>

/** Everything in an archive that belongs in an image; devices do not, as the kernel makes them. */
export async function listingOf(archive: FileHandle): Promise<Listing> {
  const listing = new Map<string, Item>()
  for (const [path, entry] of await readTar(archive)) {
    if (entry.kind === 'other' || path.startsWith('/dev/')) continue
    const digest = entry.kind === 'file' ? await digestIn(archive, entry) : null
    listing.set(path, { ...entry, digest })
  }
  return listing
}

/**
 * Makes the ext4 file system in a raw file, which holds `before`, hold `after`, whose contents stand in `archive`.
 * `workDir` needs room for the contents that are new; what is put there is removed again.
 */
export async function applyChanges(
  raw: string,
  before: Listing,
  after: Listing,
  archive: FileHandle,
  workDir: string,
  options: CommandOptions = {},
): Promise<void> {
  const contents = `${workDir}/contents`
  await mkdir(contents)
  const { commands, files, attributes } = changeCommands(before, after)
  for (const [name, item] of files) {
    options.signal?.throwIfAborted()
    await extractFrom(archive, item, `${contents}/${name}`)
  }
  for (const [name, value] of attributes) await writeFile(`${contents}/${name}`, value)
  await changeExt4(raw, commands, contents, options)
  await rm(contents, { recursive: true })
}

interface ChangeCommands {
  commands: string[]
  /** Names of host files that the commands read, and whose content they have. */
  files: Map<string, Item>
  /** The same for values of extended attributes. */
  attributes: Map<string, Buffer>
}

/** The debugfs commands that turn one content of a file system into another. */
export function changeCommands(before: Listing, after: Listing): ChangeCommands {
  const commands: string[] = []
  const files = new Map<string, Item>()
  const attributes = new Map<string, Buffer>()
  const linksBefore = linksTo(before)
  const linksAfter = linksTo(after)

  /** What must be equal for the inode of a path to stay: all but what `sif` can set. */
  const substance = (listing: Listing, links: Map<string, string[]>, path: string): string => {
    const item = listing.get(path)
    if (!item) return ''
    const first = item.kind === 'hard link' ? listing.get(item.target) : item
    const names = first ? (links.get(first.path) ?? []) : []
    const values = first ? [...first.attributes].map(([name, value]) => [name, value.toString('hex')]) : []
    return JSON.stringify([item.kind, item.target, first?.digest, names, values.sort()])
  }
  const isKept = (path: string) => {
    const [old, now] = [before.get(path), after.get(path)]
    if (old?.kind === 'directory' && now?.kind === 'directory') return true
    return substance(before, linksBefore, path) === substance(after, linksAfter, path)
  }

  for (const path of [...before.keys()].sort().reverse()) {
    if (isKept(path)) continue
    commands.push(`${before.get(path)?.kind === 'directory' ? 'rmdir' : 'rm'} ${quoted(path)}`)
  }

  const set = (path: string, field: string, value: string | number) =>
    commands.push(`sif ${quoted(path)} ${field} ${value}`)
  /** Sets what is not as it is already. */
  const describe = (item: Item, now: { mode: number; uid: number; gid: number; mtime: number } | null) => {
    if (item.mode !== now?.mode) set(item.path, 'mode', `0${(TYPE[item.kind] | item.mode).toString(8)}`)
    if (item.uid !== (now?.uid ?? 0)) set(item.path, 'uid', item.uid)
    if (item.gid !== (now?.gid ?? 0)) set(item.path, 'gid', item.gid)
    if (item.mtime !== now?.mtime) set(item.path, 'mtime', `@${item.mtime}`)
  }
  const give = (item: Item) => {
    for (const [name, value] of item.attributes) {
      const source = `a${attributes.size}`
      attributes.set(source, value)
      commands.push(`ea_set -f ${source} ${quoted(item.path)} ${name}`)
    }
  }

  const hardLinks: Item[] = []
  for (const path of [...after.keys()].sort()) {
    const item = after.get(path)
    if (!item) continue
    const old = before.get(path) ?? null
    if (path === '/') describe(item, old)
    else if (old && isKept(path)) {
      if (item.kind !== 'hard link') describe(item, old)
    } else if (item.kind === 'hard link') hardLinks.push(item)
    else {
      if (item.kind === 'directory') commands.push(`mkdir ${quoted(path)}`)
      else if (item.kind === 'symbolic link') commands.push(`symlink ${quoted(path)} ${quoted(item.target)}`)
      else {
        const source = `${files.size}`
        files.set(source, item)
        commands.push(`write ${source} ${quoted(path)}`)
      }
      describe(item, null)
      give(item)
    }
  }
  for (const { path, target } of hardLinks) commands.push(`ln ${quoted(target)} ${quoted(path)}`)
  // debugfs makes the name and leaves the count to us.
  for (const target of new Set(hardLinks.map((link) => link.target))) {
    set(target, 'links_count', 1 + (linksAfter.get(target)?.length ?? 0))
  }
  return { commands, files, attributes }
}

/** The file types of an inode's mode. Source: inode(7). */
const TYPE = {
  file: 0o100000,
  directory: 0o040000,
  'symbolic link': 0o120000,
  'hard link': 0,
  other: 0,
}

/** The further names of each file that has some. */
function linksTo(listing: Listing): Map<string, string[]> {
  const links = new Map<string, string[]>()
  for (const { kind, path, target } of listing.values()) {
    if (kind === 'hard link') links.set(target, [...(links.get(target) ?? []), path].sort())
  }
  return links
}
