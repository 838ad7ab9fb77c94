/** A project of 1,000 objects as a file: whole processes of the command line, from their start until they have ended. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { apiTokenApi, diskApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson } from './person.ts'
import { quantile, report, timed } from './report.ts'

const isQuick = process.argv.includes('--quick')
const each = isQuick ? 5 : 500
const times = isQuick ? 2 : 5
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway', import.meta.url))

export async function benchProjectFile(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '100' })
  try {
    const person = await newPerson(server)
    const { project } = await newFleet(person, each)
    const params = { projectId: project.id }
    for (let i = 0; i < each; i += 1)
      await person.call(diskApi.create, { params, body: { name: `disk-${i}`, size: '1Gi', source: 'EMPTY' } })
    const body = { name: 'bench', access: 'read', project_ids: null } as const
    const { token } = await person.call(apiTokenApi.create, { body: { ...body, expires_in_days: 1 } })
    const env = { PATH: process.env.PATH, SLIPWAY_SERVER: server.url, SLIPWAY_TOKEN: token }
    const run = (...args: string[]) => promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 ** 2 })
    const path = join(dir, 'project.yaml')
    await writeFile(path, (await run('export', project.id)).stdout)
    const median = async (...args: string[]) => quantile(await timed(times, () => run(...args)), 0.5)
    return report(`project as a file, ${each} VMs and ${each} disks`, [
      { what: 'slipway export, median', value: await median('export', project.id), unit: 'ms', goal: 2000 },
      { what: 'slipway plan, median', value: await median('plan', path), unit: 'ms', goal: 2000 },
    ])
  } finally {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
}
