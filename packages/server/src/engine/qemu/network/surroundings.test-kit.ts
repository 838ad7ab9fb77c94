/** A little Internet for tests: a namespace beside that of the guests, behind the host, which answers at many addresses. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { run } from '../../../lib/command.ts'

/** Addresses that answer there, with what each stands for. Nobody has the public one where tests run. */
export const elsewhere = {
  public: '11.77.0.1',
  private: '10.250.77.1',
  carrier: '100.127.77.1',
  office: '172.31.77.1',
  home: '192.168.177.1',
  metadata: '169.254.169.254',
} as const
/** A port at which everything there answers, and every address of the host. */
export const PORT = 7077

const answers = `
  require('node:net').createServer((socket) => { socket.on('error', () => {}); socket.end('open\\n') })
    .listen(${PORT}, '0.0.0.0', () => console.log('listening'))
`

/** The host has a name server of its own, at all of its addresses. */
const taken = `
  const done = () => console.log('listening')
  require('node:net').createServer().listen(53, '0.0.0.0', done).on('error', done)
  require('node:dgram').createSocket('udp4').on('error', () => {}).bind(53, '0.0.0.0')
`

export async function makeSurroundings(): Promise<{ close(): Promise<void> }> {
  const name = `slipway-world-${process.pid}`
  const link = `sww-${process.pid}`
  const servers: ChildProcess[] = []
  const serve = async (script: string, ...entry: string[]) => {
    const [program = process.execPath, ...args] = [...entry, process.execPath, '-e', script]
    const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    servers.push(server)
    await once(server.stdout, 'data')
  }
  const inside = (...args: string[]) => run('ip', ['-n', name, ...args])
  await run('ip', ['netns', 'add', name])
  await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'out', 'netns', name])
  await run('ip', ['link', 'set', link, 'up'])
  // No address on the host: browsers on it would end what they are loading.
  await run('ip', ['route', 'add', 'local', '11.77.0.254', 'dev', link])
  await inside('link', 'set', 'lo', 'up')
  for (const address of Object.values(elsewhere)) await inside('address', 'add', `${address}/32`, 'dev', 'lo')
  await inside('address', 'add', '11.77.0.2/24', 'dev', 'out')
  await inside('link', 'set', 'out', 'up')
  // Where packets of guests leave by a link without an address, they have one of another link.
  await inside('route', 'add', 'default', 'via', '11.77.0.254')
  for (const address of Object.values(elsewhere))
    await run('ip', `route add ${address}/32 via 11.77.0.2 dev ${link} onlink src 11.77.0.254`.split(' '))
  await serve(answers, 'nsenter', `--net=/run/netns/${name}`, '--')
  await serve(answers)
  await serve(taken)
  return {
    async close() {
      for (const server of servers) server.kill('SIGKILL')
      await run('ip', ['link', 'delete', link])
      await run('ip', ['netns', 'delete', name])
    },
  }
}
