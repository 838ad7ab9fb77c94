/** What programs of the server find in their environment when tests start them as people do. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../../../..')
const launch: { environment: { NODE_COMPILE_CACHE: string } } = JSON.parse(
  readFileSync(path.join(root, 'packages/server/launch.json'), 'utf8'),
)

/** With stripped and compiled sources kept, a program takes half of the processor's time to start. */
export const launched = {
  PATH: process.env.PATH,
  ...launch.environment,
  NODE_COMPILE_CACHE: path.join(root, launch.environment.NODE_COMPILE_CACHE),
}
