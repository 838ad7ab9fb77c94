import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandError, run } from '../lib/command.ts'
import { reseedProgram } from './reseed-program.ts'

test('the program runs, and says by its status what the kernel answers', async () => {
  const work = await mkdtemp(join(tmpdir(), 'slipway-reseed-'))
  try {
    const program = join(work, 'reseed')
    await writeFile(program, reseedProgram())
    await chmod(program, 0o755)
    const statusOn = (output: string, input = '/dev/null') =>
      run('sh', ['-c', `exec "$0" < ${input} > ${output}`, program]).then(
        () => 0,
        (error: unknown) => (error instanceof CommandError ? error.status : null),
      )
    // ENOTTY: this is no source of random numbers. EPERM: only root may ask for it.
    expect(await statusOn('/dev/null')).toBe(25)
    if (process.getuid?.() !== 0) return expect(await statusOn('/dev/urandom')).toBe(1)
    expect(await statusOn('/dev/urandom')).toBe(0)
    // Half a time is none, and a time that cannot be is refused (EINVAL): neither sets the clock of this host.
    const half = join(work, 'half')
    await writeFile(half, Buffer.alloc(8))
    expect(await statusOn('/dev/urandom', half)).toBe(256 - 8)
    const wrong = join(work, 'wrong')
    await writeFile(wrong, Buffer.alloc(16, 0xff))
    expect(await statusOn('/dev/urandom', wrong)).toBe(22)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
})
