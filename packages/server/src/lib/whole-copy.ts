import { chmod, stat } from 'node:fs/promises'
import { run } from './command.ts'
import { flush } from './flush.ts'

const everyName = 500

/**
 * Copies a file that nobody writes to: holes stay holes, and file systems that can share its blocks do. Read back and
 * compared, for its owner alone, and on the disk when it resolves. The processor's work is done by other processes.
 */
export async function copyWhole(from: string, to: string, signal: AbortSignal): Promise<void> {
  await copyGrowing(from, to, signal)
  await run('cmp', ['--', from, to], { signal })
}

/** The same of a file that may grow meanwhile: as much of it as there was. */
export async function copyGrowing(from: string, to: string, signal: AbortSignal): Promise<void> {
  await run('cp', ['--reflink=auto', '--preserve=timestamps', '--', from, to], { signal })
  await chmod(to, (await stat(from)).mode & 0o600)
  await flush(to)
}

/** SHA-256 of files, in hex, in their order. */
export async function sha256Of(files: readonly string[], signal: AbortSignal): Promise<string[]> {
  const sums: string[] = []
  for (let at = 0; at < files.length; at += everyName) {
    // `--zero` keeps it from writing names in another way when there is something odd in them.
    const printed = await run('sha256sum', ['--zero', '--', ...files.slice(at, at + everyName)], { signal })
    for (const line of printed.split('\0')) if (line !== '') sums.push(line.slice(0, 64))
  }
  return sums
}
