import { readFileSync } from 'node:fs'
import { node24 } from './node24.mjs'
import { inTree } from './tree.mjs'

/** How the server is started: the program, its arguments, and what its environment needs beside the settings. */
export function serverCommand() {
  const { nodeFlags, environment } = JSON.parse(readFileSync(inTree('packages/server/launch.json'), 'utf8'))
  return { program: node24(), args: [...nodeFlags, 'packages/server/src/main.ts'], env: environment }
}
