/** The one program beside several servers that all of them reach: the simulated world, or the recorder of a cluster. */
import { type Program, startProgram } from '@slipway/e2e/program'
import type { Cluster } from './cluster.ts'

export interface Beside {
  /** What every server is started with to reach it; once it was started. */
  settings: () => Record<string, string>
  /** 0 while it is down. */
  pid: () => number
  start: () => Promise<void>
  kill: () => Promise<void>
  /** Everything it printed so far. */
  output: () => string
}

/** @param launch starts it, once it is not there */
function makeBeside(launch: () => Promise<Program>, settings: () => Record<string, string>): Beside {
  let program: Program | null = null
  /** What earlier processes printed. */
  let printed = ''
  return {
    settings,
    pid: () => (program?.isUp() ? program.pid : 0),
    output: () => printed + (program?.output() ?? ''),
    async start() {
      if (program?.isUp()) return
      printed += program?.output() ?? ''
      program = await launch()
    },
    kill: async () => program?.end('SIGKILL'),
  }
}

/** The simulated world in a process of its own. */
export function besideSimulated(dataDir: string, speed: string): Beside {
  const settings = { SLIPWAY_SIMULATED_SOCKET: `${dataDir}.sock` }
  const ready = /The simulated host is ready at (\S+)/
  const launch = () =>
    startProgram('simulated-host.ts', ready, {
      SLIPWAY_ENGINE: 'simulated',
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_SIMULATED_SPEED: speed,
      ...settings,
    })
  return makeBeside(launch, () => settings)
}

/** The recorder of consoles on a cluster. It keeps the port that it found first, as servers know it by that. */
export function besideCluster(dataDir: string, cluster: Cluster): Beside {
  const token = { SLIPWAY_RECORDER_TOKEN: 'campaign-recorder-token' }
  let port = '0'
  async function launch(): Promise<Program> {
    const program = await startProgram('recorder.ts', /The recorder is ready at port (\d+)/, {
      ...cluster.settings,
      ...token,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_RECORDER_HOST: '127.0.0.1',
      SLIPWAY_RECORDER_PORT: port,
    })
    port = program.ready
    return program
  }
  return makeBeside(launch, () => ({
    ...cluster.settings,
    ...token,
    SLIPWAY_RECORDER_URL: `http://127.0.0.1:${port}`,
  }))
}
