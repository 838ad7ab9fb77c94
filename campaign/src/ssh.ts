/** OpenSSH's client with a key that a text repeats. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyOf } from './public-key.ts'

export interface Visit {
  user: string
  address: string
  port: number
  /** The text that the key was made of. */
  key: string
  command: string
  timeoutMs: number
  /** The address to come from. */
  from?: string
}

export interface End {
  /** Null when it was ended from outside. */
  code: number | null
  output: string
}

const options = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'BatchMode=yes',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'ConnectTimeout=10',
]

/** Never throws for what the other side does. */
export async function ssh({ user, address, port, key, command, timeoutMs, from }: Visit): Promise<End> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-campaign-key-'))
  try {
    const file = join(dir, 'key')
    await writeFile(file, privateKeyOf(key), { mode: 0o600 })
    const args = ['-F', '/dev/null', '-i', file, '-p', `${port}`, ...(from ? ['-b', from] : [])]
    for (const option of options) args.push('-o', option)
    args.push('-l', user, address, command)
    return await new Promise<End>((resolve) => {
      const child = execFile('ssh', args, { timeout: timeoutMs, killSignal: 'SIGKILL' }, (_error, out, err) =>
        resolve({ code: child.exitCode, output: `${out}${err}` }),
      )
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
