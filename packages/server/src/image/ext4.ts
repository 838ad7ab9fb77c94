import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandOptions, run } from '../lib/command.ts'
import { inOrder, type Tree } from './tree.ts'

/** 1 January 2024, in seconds: the newest any time in an image is, so that a build can be repeated. */
export const FIXED_TIME = 1_704_067_200

const env = { E2FSPROGS_FAKE_TIME: String(FIXED_TIME), MKE2FS_CONFIG: '/dev/null' }

/** Makes an empty ext4 file system of a size in a new raw file, the same bytes on every host. */
export async function makeExt4(path: string, sizeMb: number, { signal }: CommandOptions = {}): Promise<void> {
  const uuid = '5ea1ab1e-0000-4000-8000-000000000001'
  await writeFile(path, '')
  await truncate(path, sizeMb * 1024 * 1024)
  const features = [
    'extent',
    'metadata_csum',
    '64bit',
    'dir_index',
    'ext_attr',
    'has_journal',
    'large_file',
    'filetype',
  ]
  await run(
    'mke2fs',
    [
      ...['-q', '-F', '-t', 'ext4', '-b', '4096', '-I', '256', '-i', '32768', '-m', '0', '-L', 'root'],
      ...[
        '-O',
        [...features, 'flex_bg', 'sparse_super', 'huge_file', 'extra_isize', 'resize_inode'].join(','),
      ],
      ...['-U', uuid, '-J', 'size=16'],
      ...['-E', `hash_seed=${uuid},root_owner=0:0,lazy_itable_init=1,lazy_journal_init=1,nodiscard`],
      path,
    ],
    { env, ...(signal ? { signal } : {}) },
  )
}

/**
 * Changes the file system in a raw file by commands of debugfs, without mount or privilege; names of host files in
 * them count from `contents`. Throws when a command failed or the file system is not clean afterwards.
 */
export async function changeExt4(
  path: string,
  commands: readonly string[],
  contents: string,
  { signal }: CommandOptions = {},
): Promise<void> {
  const script = `${contents}.debugfs`
  await writeFile(script, `${commands.join('\n')}\n`)
  const common = { env, ...(signal ? { signal } : {}) }
  const complaints: string[] = []
  // debugfs goes on after an error and still succeeds: what it says is what tells.
  const attend = (child: ChildProcessWithoutNullStreams) => {
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
    child.stdin.end()
  }
  await run('debugfs', ['-w', '-f', script, path], { ...common, cwd: contents, attend })
  const complaint = complaints
    .join('')
    .split('\n')
    .find((line) => line.trim() && !/^debugfs \d/.test(line))
  if (complaint) throw new Error(`The file system of the image could not be written: ${complaint}`)
  await run('e2fsck', ['-f', '-n', path], common)
}

/** A text as one word of a debugfs command. */
export function quoted(text: string): string {
  if (/[\n\0]/.test(text)) throw new Error('A name in the image has a line break')
  return `"${text.replaceAll('"', '""')}"`
}

/**
 * Writes a tree as an ext4 file system into a new raw file. All files belong to root. The same tree gives the same
 * bytes.
 */
export async function writeExt4(path: string, tree: Tree, sizeMb: number, workDir: string): Promise<void> {
  await makeExt4(path, sizeMb)
  const contents = join(workDir, 'contents')
  await mkdir(contents)
  const commands: string[] = []
  let fileCount = 0
  for (const [target, entry] of inOrder(tree)) {
    if (entry.kind === 'directory') {
      commands.push(
        `mkdir ${quoted(target)}`,
        `sif ${quoted(target)} mode 0${(0o040000 | entry.mode).toString(8)}`,
      )
    } else if (entry.kind === 'link') {
      commands.push(`symlink ${quoted(target)} ${quoted(entry.target)}`)
    } else {
      const source = `${fileCount}`
      fileCount += 1
      await writeFile(join(contents, source), entry.content)
      commands.push(
        `write ${source} ${quoted(target)}`,
        `sif ${quoted(target)} mode 0${(0o100000 | entry.mode).toString(8)}`,
      )
    }
  }
  await changeExt4(path, commands, contents)
}
