import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryOfFile } from './directory.test-kit.ts'

const file = path.join(directoryOfFile(), 'program.ts')

/** Runs a program that listens for what nobody caught, and answers with its code and what it printed. */
async function run(text: string): Promise<{ code: number | null; out: string[] }> {
  const module = path.join(import.meta.dirname, 'uncaught.ts')
  await writeFile(
    file,
    `import { uncaughtErrors, watchUncaught } from ${JSON.stringify(module)}
     watchUncaught({ error: ({ err }: { err: Error }) => console.log(err.message) }, () => process.exit(1))
     process.on('exit', () => console.log('counted ' + uncaughtErrors()))
     ${text}`,
  )
  const child = spawn(process.execPath, ['--experimental-strip-types', '--no-warnings', file])
  let out = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out: out.trim().split('\n') }
}

describe('what nobody caught', () => {
  it('is logged and counted when it is a rejected promise, and the process goes on', async () => {
    const program = `Promise.reject(new Error('rejected')); setTimeout(() => console.log('goes on'), 50)`
    expect(await run(program)).toEqual({ code: 0, out: ['rejected', 'goes on', 'counted 1'] })
  })

  it('ends the process with code 1 when it was thrown', async () => {
    const program = `setTimeout(() => { throw new Error('thrown') }, 1); setTimeout(() => console.log('goes on'), 500)`
    expect(await run(program)).toEqual({ code: 1, out: ['thrown', 'counted 1'] })
  })
})
