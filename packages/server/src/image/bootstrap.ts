import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandError, outsideEnvironment, run } from '../lib/command.ts'
import { FIXED_TIME } from './ext4.ts'

/** How the root file system of a Debian is put together. */
export interface Bootstrap {
  suite: string
  /** Base address of the Debian archive. */
  mirror: string
  /** Packages beyond those that no Debian is without. */
  packages: readonly string[]
  /** An archive in the work directory to build upon, by its name; null to start with nothing. */
  upon: string | null
  /** A program of the host to run in the middle, with the directory of the tree, and its environment. */
  extra?: { program: string; env: Record<string, string> }
  /** Files from the tree that shall stand in the work directory afterwards. */
  takeOut?: string
  /** The folder of the recipe, whose `root/` and `build.sh` are used. */
  recipeDir: string
  /** Folders of `root/` in which npm installs. */
  npm: readonly string[]
  workDir: string
  signal: AbortSignal
  onProgress: (fraction: number) => void
}

export const DEBIAN_MIRROR = 'http://deb.debian.org/debian'
const SECURITY_MIRROR = 'http://deb.debian.org/debian-security'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** The archive that {@link bootstrap} leaves in its work directory. */
export const TREE = 'tree.tar'

/**
 * Makes the root file system of a Debian as an archive, `tree.tar` in the work directory: the packages, then the
 * files of the recipe, then what its `build.sh` does. Runs mmdebstrap in namespaces of its own, so that nothing it
 * started or mounted outlives it. Throws a {@link CommandError} with the code `ENOENT` when it is not installed.
 */
export async function bootstrap(plan: Bootstrap): Promise<void> {
  const { suite, mirror, packages, upon, extra, takeOut, recipeDir, workDir, signal, onProgress } = plan
  await run('mmdebstrap', ['--version'], { signal })
  const files = await packFiles(plan)
  const apart = await namespaces(signal)
  const temporary = join(workDir, 'bootstrap')
  await mkdir(temporary)
  // The users inside pass through it, whatever this process keeps to itself.
  await chmod(temporary, 0o755)

  const sources = [`deb ${mirror} ${suite} main`, `deb ${mirror} ${suite}-updates main`]
  if (mirror === DEBIAN_MIRROR) sources.push(`deb ${SECURITY_MIRROR} ${suite}-security main`)
  const hook = (kind: string, command: string) => `--${kind}-hook=${command}`
  const args = [
    ...['--mode=root', `--variant=${upon ? 'custom' : 'minbase'}`, '--format=tar', `--keyring=${KEYRING}`],
    ...(packages.length > 0 ? [`--include=${packages.join(',')}`] : []),
    // An image that is not complete is thrown away: nothing needs to survive a power failure on the way.
    ...['--dpkgopt=force-unsafe-io', '--aptopt=APT::Install-Recommends "false"'],
    ...(upon ? [hook('setup', step('open'))] : []),
    ...(extra ? [hook('customize', extra.program)] : []),
    ...(takeOut ? [hook('customize', `copy-out ${takeOut} .`)] : []),
    hook('customize', step('build')),
    hook('customize', step('close')),
    ...[suite, TREE, ...sources],
  ]
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    TMPDIR: temporary,
    SOURCE_DATE_EPOCH: `${FIXED_TIME}`,
    SLIPWAY_RECIPE: recipeDir,
    ...(upon ? { SLIPWAY_LOWER: join(workDir, upon) } : {}),
    ...(files ? { SLIPWAY_FILES: join(workDir, files) } : {}),
    ...extra?.env,
    ...proxies(),
  }
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  try {
    await run(
      'unshare',
      [
        ...[...apart, '--', 'env', '-i', ...settings],
        ...['sh', '-c', 'umask 022; exec mmdebstrap "$@"', 'sh', ...args],
      ],
      // When it cannot write its archive, mmdebstrap sends SIGHUP to its whole group, which would be ours.
      { cwd: workDir, signal, timeoutMs: 3_600_000, attend: phases(onProgress), ownGroup: true },
    )
  } catch (error) {
    throw error instanceof CommandError ? telling(error) : error
  } finally {
    // Left behind when it was stopped; without root, its files belong to users of the namespace only.
    await run('unshare', [...apart, '--', 'rm', '-rf', temporary]).catch(() => {})
    await rm(temporary, { recursive: true, force: true })
  }
}

/** A script beside this file that mmdebstrap runs. */
const step = (name: string): string => fileURLToPath(new URL(`./bootstrap-${name}.sh`, import.meta.url))

/** How far mmdebstrap is when it says so. */
const PHASES: [RegExp, number][] = [
  [/running apt-get update/, 0.02],
  [/downloading packages/, 0.15],
  [/extracting archives/, 0.3],
  [/installing essential/, 0.35],
  [/installing remaining/, 0.45],
  [/bootstrap-build/, 0.75],
  [/bootstrap-close/, 0.9],
  [/creating tarball/, 0.92],
]

const phases = (onProgress: (fraction: number) => void) => (child: ChildProcessWithoutNullStreams) => {
  child.stdin.end()
  child.stderr.on('data', (chunk: Buffer) => {
    for (const [sign, fraction] of PHASES) if (sign.test(chunk.toString())) onProgress(fraction)
  })
}

/** What mmdebstrap says last is that it has cleaned up; what went wrong stands before. */
function telling(error: CommandError): CommandError {
  const lines = error.stderr.split('\n').filter((line) => /^(E|Err|dpkg: error|npm error)|error:/i.test(line))
  const said = lines.find((line) => !/^E: (setup|run|.*failed to run|hook)/.test(line)) ?? lines[0]
  const { code, status } = error
  return new CommandError(error.command, `${error.stderr}\n${said ?? ''}`, error.message, { code, status })
}

/** The options of `unshare` under which mmdebstrap has the rights it needs. */
async function namespaces(signal: AbortSignal): Promise<string[]> {
  const alone = ['--mount', '--pid', '--fork', '--kill-child']
  const tries = process.getuid?.() === 0 ? [alone] : [['--map-root-user', '--map-auto', ...alone]]
  for (const options of tries) {
    const works = await run('unshare', [...options, '--', 'true'], { signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof CommandError && error.code !== null) throw error
        return false
      },
    )
    if (works) return options
  }
  throw new Error(
    process.getuid?.() === 0
      ? 'This image can only be built where root can create namespaces, which this container does not allow.'
      : 'Without root, this image can only be built with user namespaces: install uidmap and give this user sub-ids.',
  )
}

/** A proxy that the administrator has set for programs is used. */
function proxies(): Record<string, string> {
  const names = ['http_proxy', 'https_proxy', 'no_proxy']
  const around = outsideEnvironment()
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = around[name] ?? around[name.toUpperCase()]
      return value ? [[name, value]] : []
    }),
  )
}

/** Packs the files of the recipe and what npm makes of them; the name of the archive, null when there are none. */
async function packFiles({ recipeDir, npm, workDir, signal }: Bootstrap): Promise<string | null> {
  const staged = join(workDir, 'files')
  await mkdir(staged)
  await cp(join(recipeDir, 'root'), staged, { recursive: true, verbatimSymlinks: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    },
  )
  for (const folder of npm) {
    const target = ['--os=linux', '--cpu=x64', '--libc=glibc']
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...target], {
      cwd: join(staged, folder),
      signal,
      timeoutMs: 900_000,
    })
  }
  // Directories are not listed: those the guest has already keep their modes.
  const names = (await readdir(staged, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(staged, join(entry.parentPath, entry.name)))
    .sort()
  if (names.length > 0) {
    await writeFile(join(workDir, 'files.list'), names.map((name) => `${name}\0`).join(''))
    await run(
      'tar',
      [
        ...['--create', '--file=files.tar', '--format=pax', '--owner=0', '--group=0', '--numeric-owner'],
        ...['--mode=u=rwX,go=rX', `--mtime=@${FIXED_TIME}`, '--pax-option=delete=atime,delete=ctime'],
        ...['--directory=files', '--null', '--verbatim-files-from', '--files-from=files.list'],
      ],
      { cwd: workDir, signal },
    )
  }
  await rm(staged, { recursive: true })
  return names.length > 0 ? 'files.tar' : null
}
