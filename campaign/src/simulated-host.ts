/** The simulated world in a process of its own, which several servers reach. */
import { type Program, startProgram } from '@slipway/e2e/program'

export interface SimulatedHost {
  socket: string
  /** 0 while it is down. */
  pid: () => number
  start: () => Promise<void>
  kill: () => Promise<void>
  /** Everything it printed so far. */
  output: () => string
}

export function makeSimulatedHost(dataDir: string, settings: Record<string, string>): SimulatedHost {
  const socket = `${dataDir}.sock`
  let program: Program | null = null
  /** What earlier processes printed. */
  let printed = ''
  return {
    socket,
    pid: () => (program?.isUp() ? program.pid : 0),
    output: () => printed + (program?.output() ?? ''),
    async start() {
      if (program?.isUp()) return
      printed += program?.output() ?? ''
      program = await startProgram('simulated-host.ts', /The simulated host is ready at (\S+)/, {
        SLIPWAY_ENGINE: 'simulated',
        SLIPWAY_DATA_DIR: dataDir,
        SLIPWAY_SIMULATED_SOCKET: socket,
        ...settings,
      })
    },
    kill: async () => program?.end('SIGKILL'),
  }
}
