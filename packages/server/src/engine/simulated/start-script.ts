import type { StartScriptResult } from '../engine.ts'

/** How long a start script runs, once its guest is up. */
export const startScriptMs = 1_500

/** What a guest would have printed and ended with: of a program only `echo` and `exit` are understood. */
export function simulatedEnd(script: string, endedAt: number): StartScriptResult {
  const lines = script.split('\n')
  const exit = lines.findIndex((line) => /^exit \d{1,3}$/.test(line))
  const exitCode = exit < 0 ? 0 : Number(lines[exit]?.slice(5))
  const output = lines
    .slice(0, exit < 0 ? undefined : exit)
    .filter((line) => line.startsWith('echo '))
    .map((line) => `${line.slice(5)}\n`)
    .join('')
  return { state: 'ended', how: exitCode === 0 ? 'succeeded' : 'failed', exitCode, endedAt, output }
}
