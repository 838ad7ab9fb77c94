/**
 * Project networks beside user networking, in one run: bytes from guest to guest and from guest to host, and how long a
 * name takes in a guest. The other guest is started by hand, with the same image and flags.
 */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { recipeOf, SPARE_PORT, startByHand } from './bare-guest.ts'
import { newPerson } from './person.ts'
import { quantile, report } from './report.ts'

const run = promisify(execFile)
const isQuick = process.argv.includes('--quick')
const turns = isQuick ? 1 : 5
/** What a guest of the smallest size can keep in memory. */
const megabytes = isQuick ? 16 : 64
const lookups = isQuick ? 5 : 50

interface Reachable {
  address: string
  port: number
}

/** Has a guest serve a file by the kernel's own way from file to network: no program of the guest touches the bytes. */
const serve = `mkdir -p /tmp/served && dd if=/dev/zero of=/tmp/served/file bs=1M count=${megabytes} 2> /dev/null && httpd -p ${SPARE_PORT} -h /tmp/served`

/** Fetches that file; the milliseconds that it took. */
const receive = (host: string, port: number) =>
  new Promise<number>((resolve, reject) => {
    const start = performance.now()
    let got = 0
    const line = connect(port, host, () => line.write('GET /file HTTP/1.0\r\n\r\n'))
    line.on('data', (part) => {
      got += part.length
    })
    line.on('error', reject).on('close', () => {
      if (got < megabytes * 2 ** 20) reject(new Error(`Only ${got} bytes came`))
      else resolve(performance.now() - start)
    })
  })

export async function benchNetwork(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  let recipeDir: string | null = null
  let byHand: Awaited<ReturnType<typeof startByHand>> | null = null
  try {
    const person = await newPerson(server)
    const { file, publicKey } = await newKeyPair(dataDir)
    const shell = ({ address, port }: Reachable, command: string) =>
      run('ssh', [
        ...['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'].flatMap((o) => [
          '-o',
          o,
        ]),
        ...['-i', file, '-p', `${port}`, `root@${address}`, command],
      ]).then(({ stdout }) => stdout.trim())
    const key = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: publicKey },
    })
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId: project.id }
    const body = { template_id: 'starter', ssh_key_id: key.id }
    const made = []
    for (const name of ['one', 'two'])
      made.push(await person.call(vmApi.create, { params, body: { ...body, name } }))
    const running = async (id: string): Promise<Vm> => {
      for (;;) {
        const vm = await person.call(vmApi.get, { params: { ...params, vmId: id } })
        if (vm.status === 'running') return vm
        if (vm.status === 'failed') throw new Error(vm.status_message ?? 'failed')
        await sleep(100)
      }
    }
    const [one, two] = await Promise.all(made.map(({ id }) => running(id)))
    if (!one || !two) throw new Error('There are not two VMs')
    const recipe = await recipeOf((await guestsOf(dataDir))[0]?.pid ?? 0)
    recipeDir = recipe.dir
    byHand = await startByHand(recipe)
    const at = (vm: Vm): Reachable => ({ address: vm.ip_address ?? '', port: vm.ssh_port })

    for (const guest of [at(one), at(two), recipe]) await shell(guest, serve)
    /** Megabytes in a second, by the clock of the guest that receives. */
    async function betweenGuests(): Promise<number> {
      const fetched = `wget -q -O /dev/null http://two:${SPARE_PORT}/file`
      const uptime = 'cut -d" " -f1 /proc/uptime'
      const [start = 0, end = 0] = (await shell(at(one as Vm), `${uptime}; ${fetched}; ${uptime}`))
        .split('\n')
        .map(Number)
      return megabytes / (end - start)
    }
    const toHost = async (host: string, port: number) => megabytes / ((await receive(host, port)) / 1000)

    const bridged: number[] = []
    const joined: number[] = []
    const alone: number[] = []
    const names: number[] = []
    for (let turn = 0; turn <= turns; turn++) {
      const figures = [
        await betweenGuests(),
        await toHost(at(one).address, SPARE_PORT),
        await toHost(recipe.address, recipe.sparePort),
      ] as const
      const start = performance.now()
      await shell(at(one), `i=0; while [ $i -lt ${lookups} ]; do nslookup two > /dev/null; i=$((i+1)); done`)
      if (turn === 0) continue
      names.push((performance.now() - start) / lookups)
      bridged.push(figures[0])
      joined.push(figures[1])
      alone.push(figures[2])
    }
    const median = (all: readonly number[]) => quantile(all, 0.5)
    return report('Project networks beside user networking', [
      { what: 'guest to guest', value: median(bridged), unit: 'MB/s', goal: null },
      { what: 'guest to host', value: median(joined), unit: 'MB/s', goal: null },
      { what: 'guest to host, user networking', value: median(alone), unit: 'MB/s', goal: null },
      {
        what: 'user networking / project network, guest to host',
        value: median(alone) / median(joined),
        unit: 'x',
        goal: 0.5,
      },
      {
        what: 'user networking / guest to guest',
        value: median(alone) / median(bridged),
        unit: 'x',
        goal: 0.5,
      },
      { what: 'a name in a guest, with its program', value: median(names), unit: 'ms', goal: null },
    ])
  } finally {
    await byHand?.end()
    await server.stop()
    await clear(dataDir)
    if (recipeDir) await rm(recipeDir, { recursive: true, force: true })
  }
}
