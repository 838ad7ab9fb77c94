import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inTree } from './tree.mjs'

/** A script that becomes a program which prints its process id and stays. */
async function start(before = '') {
  const program = `console.log(process.pid); setInterval(() => {}, 1000)`
  const script = `${before}
    const { become } = await import(${JSON.stringify(inTree('scripts/setup/run.mjs'))})
    await become(process.execPath, ['--eval', ${JSON.stringify(program)}])`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  const [line] = await once(child.stdout, 'data')
  return { child, pid: Number(String(line)) }
}

/** Whether a process runs; one that ended may still wait for its parent to read how. */
function runs(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

it('a program that a script becomes has its process, so a signal to the script is one to the program', async () => {
  const { child, pid } = await start()
  expect(pid).toBe(child.pid)
  child.kill('SIGKILL')
  await once(child, 'exit')
})

it('a program ends with its script where Node cannot replace the process, however that ended', async () => {
  const { child, pid } = await start('process.execve = undefined')
  expect(pid).not.toBe(child.pid)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await expect.poll(() => runs(pid)).toBe(false)
})
