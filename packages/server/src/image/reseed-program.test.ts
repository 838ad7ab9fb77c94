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
    const statusOn = (output: string) =>
      run('sh', ['-c', `exec "$0" > ${output}`, program]).then(
        () => 0,
        (error: unknown) => (error instanceof CommandError ? error.status : null),
      )
    // ENOTTY: this is no source of random numbers. EPERM: only root may ask for it.
    expect(await statusOn('/dev/null')).toBe(25)
    expect(await statusOn('/dev/urandom')).toBe(process.getuid?.() === 0 ? 0 : 1)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
})
