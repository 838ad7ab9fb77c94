import { type Entry, inOrder, type Tree } from './tree.ts'

/**
 * A tree as a cpio archive in the "new ASCII" format that Linux unpacks as its initial RAM disk.
 * Format: kernel documentation, "initramfs buffer format".
 */
export function cpioOf(tree: Tree): Buffer {
  const parts: Buffer[] = []
  inOrder(tree).forEach(([path, entry], index) => {
    parts.push(record(index + 1, path.slice(1), typeAndMode(entry), contentOf(entry)))
  })
  parts.push(record(0, 'TRAILER!!!', 0, Buffer.alloc(0)))
  return Buffer.concat(parts)
}

function record(inode: number, name: string, mode: number, content: Buffer): Buffer {
  const nameBytes = Buffer.from(`${name}\0`)
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, nameBytes.length, 0]
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`
  return padded(Buffer.concat([padded(Buffer.concat([Buffer.from(header), nameBytes])), content]))
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

function typeAndMode(entry: Entry): number {
  if (entry.kind === 'directory') return 0o040000 | entry.mode
  if (entry.kind === 'link') return 0o120777
  return 0o100000 | entry.mode
}

function contentOf(entry: Entry): Buffer {
  if (entry.kind === 'file') return entry.content
  return entry.kind === 'link' ? Buffer.from(entry.target) : Buffer.alloc(0)
}
