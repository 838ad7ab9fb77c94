/** The command line with a project of 100 VMs: whole processes, from their start until they have ended. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { apiTokenApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { newFleet } from './fleet.ts'
import { newPerson } from './person.ts'
import { quantile, report, timed } from './report.ts'

const isQuick = process.argv.includes('--quick')
const size = isQuick ? 5 : 100
const times = isQuick ? 3 : 30
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway', import.meta.url))

export async function benchCli(): Promise<boolean> {
  const server = await startServer({ SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const person = await newPerson(server)
    const { project } = await newFleet(person, size)
    const body = { name: 'bench', access: 'read', project_ids: null } as const
    const { token } = await person.call(apiTokenApi.create, { body: { ...body, expires_in_days: 1 } })
    const env = {
      PATH: process.env.PATH,
      SLIPWAY_SERVER: server.url,
      SLIPWAY_TOKEN: token,
      SLIPWAY_PROJECT: project.id,
    }
    const run = (file: string, args: string[]) => promisify(execFile)(file, args, { env })
    const measure = async (file: string, ...args: string[]) => {
      await run(file, args)
      return quantile(await timed(times, () => run(file, args)), 0.5)
    }
    return report(`command line, ${size} VMs`, [
      {
        what: 'node alone, median',
        value: await measure(process.execPath, '-e', '0'),
        unit: 'ms',
        goal: null,
      },
      { what: 'slipway vm list, median', value: await measure(program, 'vm', 'list'), unit: 'ms', goal: 250 },
      {
        what: 'slipway vm get NAME, median',
        value: await measure(program, 'vm', 'get', 'vm-3'),
        unit: 'ms',
        goal: 250,
      },
      {
        what: 'completion of a name, median',
        value: await measure(program, '__complete', '--', 'vm', 'stop', 'vm-'),
        unit: 'ms',
        goal: 250,
      },
      { what: 'slipway help, median', value: await measure(program, 'help'), unit: 'ms', goal: null },
    ])
  } finally {
    await server.stop()
  }
}
