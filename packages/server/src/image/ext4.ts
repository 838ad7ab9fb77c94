import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../lib/command.ts'
import { inOrder, type Tree } from './tree.ts'

/**
 * Writes a tree as an ext4 file system into a new raw file. No mount and no privilege: debugfs puts the files in
 * and all belong to root. The same tree gives the same bytes.
 */
export async function writeExt4(path: string, tree: Tree, sizeMb: number, workDir: string): Promise<void> {
  const uuid = '5ea1ab1e-0000-4000-8000-000000000001'
  const env = { E2FSPROGS_FAKE_TIME: String(FIXED_TIME), MKE2FS_CONFIG: '/dev/null' }
  await writeFile(path, '')
  await truncate(path, sizeMb * 1024 * 1024)
  const features = ['extent', 'metadata_csum', '64bit', 'dir_index', 'has_journal', 'large_file', 'filetype']
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
    { env },
  )

  const contents = join(workDir, 'contents')
  await mkdir(contents)
  const script: string[] = []
  let fileCount = 0
  for (const [target, entry] of inOrder(tree)) {
    if (entry.kind === 'directory') {
      script.push(`mkdir "${target}"`, `sif "${target}" mode 0${(0o040000 | entry.mode).toString(8)}`)
    } else if (entry.kind === 'link') {
      script.push(`symlink "${target}" "${entry.target}"`)
    } else {
      const source = `${fileCount}`
      fileCount += 1
      await writeFile(join(contents, source), entry.content)
      script.push(
        `write ${source} "${target}"`,
        `sif "${target}" mode 0${(0o100000 | entry.mode).toString(8)}`,
      )
    }
  }
  await writeFile(join(workDir, 'script'), `${script.join('\n')}\n`)
  await run('debugfs', ['-w', '-f', '../script', path], { cwd: contents, env })
  // debugfs goes on after an error and still succeeds; the file system and its content are checked instead.
  await run('e2fsck', ['-f', '-n', path], { env })
  const listed = await run('debugfs', ['-R', `stat "${lastPath(tree)}"`, path], { env })
  if (!listed.includes('Inode:')) throw new Error('The file system of the image is incomplete')
}

/** 1 January 2024: file times and file system times, so that a build can be repeated. */
const FIXED_TIME = 1_704_067_200

const lastPath = (tree: Tree): string => inOrder(tree).at(-1)?.[0] ?? '/'
