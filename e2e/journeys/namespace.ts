/** The network namespace of a data directory's guests, found as an operator would: by the files of what serves it. */
import { execFile } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const files = '/run'

/** The name of the namespace; null when no guest of the data directory has run. */
export async function namespaceOf(dataDir: string): Promise<string | null> {
  for (const name of await readdir(files)) {
    if (!/^slipway-[0-9a-f]{8}$/.test(name)) continue
    const owner = await readFile(join(files, name, 'data-directory'), 'utf8').catch(() => null)
    if (owner === dataDir) return name
  }
  return null
}

/** The table of rules on the host that goes with a namespace. */
export const hostTableOf = (namespace: string): string => namespace.replaceAll('-', '_')

/** Removes it with all that is in it. */
export async function clearNamespace(dataDir: string): Promise<void> {
  const name = await namespaceOf(dataDir)
  if (name === null) return
  const { stdout } = await run('ip', ['netns', 'pids', name]).catch(() => ({ stdout: '' }))
  const forwarder = await readFile(join(files, name, 'forwarder.pid'), 'utf8').catch(() => '')
  for (const pid of [...stdout.split('\n'), forwarder].map(Number).filter((one) => one > 1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
  const table = `inet ${hostTableOf(name)}`
  await run('ip', ['netns', 'delete', name]).catch(() => {})
  await run('nft', [`delete table ${table}`]).catch(() => {})
  await rm(join(files, name), { recursive: true, force: true })
}
