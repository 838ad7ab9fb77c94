/** restic, which keeps backups outside the host: run as a process of its own, bounded in time, with errors as sentences. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CommandError, run } from '../lib/command.ts'
import { lineSplitter } from '../lib/line-splitter.ts'

/** Where backups outside the host are kept, by the settings. */
export interface OutsidePlace {
  /** A directory, or `s3:https://HOST/BUCKET/FOLDER`. */
  repository: string
  passwordFile: string
  s3: { keyId: string; secret: string | null; secretFile: string | null; region: string | null } | null
}

/** Something that restic could not do, with a sentence that says why and what helps. */
export class ResticError extends Error {
  readonly is: ResticTrouble | null
  constructor(is: ResticTrouble | null, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ResticError'
    this.is = is
  }
}

const troubles = [
  'not-installed',
  'wrong-password',
  'no-repository',
  'bad-bucket',
  'refused',
  'locked',
  'full',
  'damaged',
  'unreachable',
  'too-slow',
] as const
type ResticTrouble = (typeof troubles)[number]

/** What restic 0.14 to 0.18 print, in the order in which it has to be looked for. */
const signs: readonly [RegExp, ResticTrouble][] = [
  [/wrong password or no key found/i, 'wrong-password'],
  // It asks after this whether there is a repository, too.
  [/bucket name (cannot|contains|not found)|specified bucket is not valid|invalidbucketname/i, 'bad-bucket'],
  [/already locked/i, 'locked'],
  [/no space left on device|disk quota exceeded|quota.*exceeded/i, 'full'],
  [
    /access denied|accessdenied|invalidaccesskeyid|signaturedoesnotmatch|signature we calculated|access key id|permission denied|403 forbidden/i,
    'refused',
  ],
  [
    /ciphertext verification failed|pack id does not match|repository contains errors|does not match id|invalid data returned|there were \d+ errors|unexpected EOF|blob .* not found|tree .* not found/i,
    'damaged',
  ],
  [
    /connection refused|connection reset|no such host|i\/o timeout|network is unreachable|no route to host|x509:|tls:|dial tcp|server misbehaving|internal ?error|50[0-9] /i,
    'unreachable',
  ],
  [
    /is there a repository at the following location|repository does not exist|config.*no such file/i,
    'no-repository',
  ],
]

/** What restic's complaint means; null when it is none that we know. */
export function troubleIn(complaint: string): ResticTrouble | null {
  return signs.find(([sign]) => sign.test(complaint))?.[1] ?? null
}

const sentenceOf = (is: ResticTrouble | null, { repository }: OutsidePlace, last: string): string => {
  switch (is) {
    case 'not-installed':
      return 'restic is not installed. Install it: sudo apt-get install restic'
    case 'wrong-password':
      return `The password does not open the repository ${repository}. Check SLIPWAY_BACKUP_PASSWORD_FILE.`
    case 'no-repository':
      return `There is no repository at ${repository}. Check that it is mounted and spelled correctly, or create it: npm run backup -- --init`
    case 'bad-bucket': {
      const [why = last] = /(the specified )?bucket .*/i.exec(last) ?? []
      return `The S3 bucket in ${repository} is not valid: ${why}. Check SLIPWAY_BACKUP_REPOSITORY.`
    }
    case 'refused':
      return `Access to the repository ${repository} was refused (${last}). Check the S3 keys, or who may write to the directory.`
    case 'locked':
      return `The repository ${repository} is in use by another process. Try again when it is done.`
    case 'full':
      return `The repository ${repository}, or the disk for temporary files, is full. Make room, then try again.`
    case 'damaged':
      return `The repository ${repository} is damaged: ${last}. Check it with npm run backup -- --check, and keep it as it is until you know which backups can be restored.`
    case 'unreachable':
      return `The repository ${repository} cannot be reached: ${last}.`
    case 'too-slow':
      return `The repository ${repository} did not respond in time${last && `: ${last}`}.`
    default:
      return `The repository ${repository} cannot be used: ${last}.`
  }
}

export interface ResticOptions {
  signal: AbortSignal
  cwd?: string
  /** Ended after so long in all. */
  timeoutMs: number
  /** Ended after so long without a line that differs from the one before. */
  silentMs?: number
  onLine?: (line: string) => void
}

/** No password and no key is ever an argument or printed: arguments are for all users of the host to see. */
export async function environmentOf(
  place: OutsidePlace,
  cacheDir: string | null,
): Promise<Record<string, string>> {
  const secretIn = async (file: string, setting: string) => {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new ResticError('refused', `${file} (${setting}) cannot be read: ${error.code ?? error.message}.`)
    })
    if (text.trim() === '') throw new ResticError('wrong-password', `${file} (${setting}) is empty.`)
    return text.trim()
  }
  await secretIn(place.passwordFile, 'SLIPWAY_BACKUP_PASSWORD_FILE')
  const { s3 } = place
  return {
    RESTIC_REPOSITORY: place.repository,
    RESTIC_PASSWORD_FILE: place.passwordFile,
    RESTIC_PROGRESS_FPS: '1',
    ...(cacheDir && { RESTIC_CACHE_DIR: cacheDir }),
    ...(s3 && {
      AWS_ACCESS_KEY_ID: s3.keyId,
      AWS_SECRET_ACCESS_KEY:
        s3.secret ?? (await secretIn(s3.secretFile ?? '', 'SLIPWAY_BACKUP_S3_SECRET_FILE')),
      ...(s3.region && { AWS_DEFAULT_REGION: s3.region }),
    }),
  }
}

/** Runs restic and resolves with what it printed. Throws a {@link ResticError}, or the reason of the signal. */
export function makeRestic(place: OutsidePlace, dataDir: string | null) {
  const cacheDir = dataDir && path.join(dataDir, 'backup-cache')

  return async function restic(args: readonly string[], options: ResticOptions): Promise<string> {
    const env = await environmentOf(place, cacheDir)
    const stalled = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const { silentMs, onLine } = options
    const wait = () => {
      clearTimeout(timer)
      if (silentMs !== undefined) timer = setTimeout(() => stalled.abort(), silentMs)
    }
    let last = ''
    wait()
    try {
      return await run('restic', [...(cacheDir ? [] : ['--no-cache']), ...args], {
        ...(options.cwd && { cwd: options.cwd }),
        env,
        timeoutMs: options.timeoutMs,
        signal: AbortSignal.any([options.signal, stalled.signal]),
        attend(child) {
          child.stdin.end()
          const take = lineSplitter(
            (line) => {
              if (line !== last) wait()
              last = line
              onLine?.(line)
            },
            { maxBytes: 64 * 1024 ** 2, onTooLong: () => {} },
          )
          child.stdout.on('data', take)
        },
      })
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof CommandError)) throw error
      const is =
        error.code === 'ENOENT'
          ? 'not-installed'
          : stalled.signal.aborted || error.code === 'ETIMEDOUT'
            ? 'too-slow'
            : troubleIn(error.stderr)
      throw new ResticError(is, sentenceOf(is, place, reasonIn(error)), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The line that says why: not those around it that restic prints to everybody. */
function reasonIn({ stderr }: CommandError): string {
  const lines = stderr.split('\n').map((line) => line.trim().replace(/^Fatal: /, ''))
  const telling = lines.filter(
    (line) =>
      line !== '' &&
      !/^(is there a repository|s3:|\/|repository contains errors|there were \d+ errors|the `unlock`)/i.test(
        line,
      ),
  )
  return (telling.at(-1) ?? '').replace(/[.:]+$/, '').slice(0, 300)
}
