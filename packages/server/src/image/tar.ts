import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** What a tar archive says of one path; everything a file system keeps, except the content itself. */
export interface TarEntry {
  /** Absolute, such as `/usr/bin/env`; `/` for the root directory. */
  path: string
  kind: 'file' | 'directory' | 'symbolic link' | 'hard link' | 'other'
  mode: number
  uid: number
  gid: number
  /** Seconds since 1970. */
  mtime: number
  size: number
  /** Where the content stands in the archive. */
  offset: number
  /** What a link leads to; of a hard link an absolute path. */
  target: string
  /** Extended attributes, such as `security.capability`. */
  attributes: ReadonlyMap<string, Buffer>
}

/**
 * Reads what an archive holds, its last word for each path. Understands the formats of GNU tar and POSIX (pax).
 * Formats: GNU tar manual, "Tar Internals"; POSIX, "pax Interchange Format".
 */
export async function readTar(archive: FileHandle): Promise<Map<string, TarEntry>> {
  const entries = new Map<string, TarEntry>()
  let extended = new Map<string, Buffer>()
  for (let at = 0; ; ) {
    const header = await bytesAt(archive, at, BLOCK)
    if (header.length < BLOCK || header[0] === 0) return entries
    const type = String.fromCharCode(header[156] ?? 0)
    const size = extended.has('size') ? Number(textOf(extended, 'size')) : numberIn(header, 124, 12)
    const offset = at + BLOCK
    at = offset + Math.ceil(size / BLOCK) * BLOCK

    if (type === 'x') {
      for (const [key, value] of paxRecords(await bytesAt(archive, offset, size))) extended.set(key, value)
    } else if (type === 'L' || type === 'K') {
      const text = await bytesAt(archive, offset, size)
      extended.set(type === 'L' ? 'path' : 'linkpath', text.subarray(0, text.indexOf(0)))
    } else if (type !== 'g') {
      const path = absolute(textOf(extended, 'path') ?? nameIn(header))
      const target = textOf(extended, 'linkpath') ?? textIn(header, 157, 100)
      entries.set(path, {
        path,
        kind: kindOf(type),
        mode: numberIn(header, 100, 8) & 0o7777,
        uid: Number(textOf(extended, 'uid') ?? numberIn(header, 108, 8)),
        gid: Number(textOf(extended, 'gid') ?? numberIn(header, 116, 8)),
        mtime: Math.floor(Number(textOf(extended, 'mtime') ?? numberIn(header, 136, 12))),
        size,
        offset,
        target: type === '1' ? absolute(target) : target,
        attributes: attributesIn(extended),
      })
      extended = new Map()
    }
  }
}

/** The content of a file in an archive. */
export const contentIn = (archive: FileHandle, { offset, size }: TarEntry): Promise<Buffer> =>
  bytesAt(archive, offset, size)

/** The SHA-256 of a file in an archive, read in pieces however large it is. */
export async function digestIn(archive: FileHandle, { offset, size }: TarEntry): Promise<string> {
  const hash = createHash('sha256')
  for (let done = 0; done < size; done += PIECE) {
    hash.update(await bytesAt(archive, offset + done, Math.min(PIECE, size - done)))
  }
  return hash.digest('hex')
}

/** Copies the content of a file in an archive to a new file. */
export async function extractFrom(archive: FileHandle, entry: TarEntry, path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let done = 0; done < entry.size; done += PIECE) {
      await file.write(await bytesAt(archive, entry.offset + done, Math.min(PIECE, entry.size - done)))
    }
  } finally {
    await file.close()
  }
}

/** Opens an archive for as long as `read` takes. */
export async function withTar<Result>(
  path: string,
  read: (archive: FileHandle) => Promise<Result>,
): Promise<Result> {
  const archive = await open(path)
  try {
    return await read(archive)
  } finally {
    await archive.close()
  }
}

const BLOCK = 512
const PIECE = 4 << 20

async function bytesAt(archive: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await archive.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

/** Lines of `<length of the line> <key>=<value>\n`; values may hold any byte. */
function* paxRecords(bytes: Buffer): Generator<[string, Buffer]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(bytes.toString('latin1', at, space))
    if (space < 0 || !(length > 0)) throw new Error('An archive has a header that cannot be read')
    const equals = bytes.indexOf(0x3d, space)
    yield [bytes.toString('utf8', space + 1, equals), bytes.subarray(equals + 1, at + length - 1)]
    at += length
  }
}

const ATTRIBUTE = 'SCHILY.xattr.'

function attributesIn(extended: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const attributes = new Map<string, Buffer>()
  for (const [key, value] of extended) {
    if (key.startsWith(ATTRIBUTE)) attributes.set(key.slice(ATTRIBUTE.length), Buffer.from(value))
  }
  return attributes
}

function kindOf(type: string): TarEntry['kind'] {
  if (type === '0' || type === '\0' || type === '7') return 'file'
  if (type === '5') return 'directory'
  if (type === '2') return 'symbolic link'
  return type === '1' ? 'hard link' : 'other'
}

function nameIn(header: Buffer): string {
  const name = textIn(header, 0, 100)
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isPosix ? textIn(header, 345, 155) : ''
  return prefix ? `${prefix}/${name}` : name
}

const absolute = (name: string): string => `/${name.replace(/^(\.?\/)+|^\.$/, '').replace(/\/+$/, '')}`

const textOf = (extended: ReadonlyMap<string, Buffer>, key: string): string | undefined =>
  extended.get(key)?.toString('utf8')

function textIn(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end < 0 ? length : end)
}

/** Octal digits or, when the first bit is set, a binary number of the remaining bytes. */
function numberIn(header: Buffer, start: number, length: number): number {
  const first = header[start] ?? 0
  if (first & 0x80) return header.readUIntBE(start + length - 6, 6)
  return Number.parseInt(textIn(header, start, length).trim() || '0', 8)
}
