import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CommandError, run } from '../lib/command.ts'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { reseedProgram } from './reseed-program.ts'

const program = join(directoryOfFile(), 'reseed')

test('the program runs, and says by its status what the kernel answers', async () => {
  await writeFile(program, reseedProgram(), { mode: 0o755 })
  const statusOn = (output: string) =>
    run('sh', ['-c', `exec "$0" > ${output}`, program]).then(
      () => 0,
      (error: unknown) => (error instanceof CommandError ? error.status : null),
    )
  // ENOTTY: this is no source of random numbers. EPERM: only root may ask for it.
  expect(await statusOn('/dev/null')).toBe(25)
  expect(await statusOn('/dev/urandom')).toBe(process.getuid?.() === 0 ? 0 : 1)
})
