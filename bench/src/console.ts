/**
 * The console of a real guest: twenty viewers while it prints 10 MB, and how soon a reloaded page shows again what it
 * showed.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConsoleSaying, fillPath, projectApi, routeOf, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { clear, newDataDir, startRealServer } from '@slipway/e2e/real'
import { WebSocket } from 'ws'
import { contextOf, launchBrowser } from './browser.ts'
import { newPublicKey } from './fleet.ts'
import { newPerson, type Person } from './person.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report } from './report.ts'

const viewers = 20
const printedBytes = 10_000_000
const reloads = 7

async function newRunningVm(person: Person): Promise<Vm> {
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: newPublicKey() },
  })
  const project = await person.call(projectApi.create, { body: { name: 'bench' } })
  const params = { projectId: project.id }
  const body = { name: 'bench', template_id: 'starter', ssh_key_id: key.id }
  const { id } = await person.call(vmApi.create, { params, body })
  for (;;) {
    const vm = await person.call(vmApi.get, { params: { ...params, vmId: id } })
    if (vm.status === 'running') return vm
    await sleep(100)
  }
}

/** A window from an offset on: what came, as its hash, and the last of it as text. */
function look(url: string, cookie: string, from: number) {
  const socket = new WebSocket(`${url}?from=${from}`, { headers: { cookie } })
  const hash = createHash('sha256')
  const seen = { socket, bytes: 0, tail: '', digest: () => hash.copy().digest('hex'), gaps: 0 }
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      hash.update(data)
      seen.bytes += data.length
      seen.tail = (seen.tail + data.toString('latin1')).slice(-200)
    } else if (ConsoleSaying.parse(JSON.parse(data.toString())).type === 'at') seen.gaps++
  })
  return seen
}

export async function benchConsole(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  const browser = await launchBrowser()
  try {
    const person = await newPerson(server)
    const vm = await newRunningVm(person)
    const path = fillPath(routeOf('vm.console').path, { projectId: vm.project_id, vmId: vm.id })
    const url = server.url.replace('http', 'ws') + path
    const windows = Array.from({ length: viewers }, () => look(url, person.cookie, 0))
    await sleep(2000)
    const before = { memory: await memoryMb(server.pid), cpu: await cpuSeconds(server.pid) }
    const start = performance.now()
    windows[0]?.socket.send(
      Buffer.from(
        `stty -onlcr; base64 /dev/urandom | head -c ${printedBytes}; stty onlcr; echo the-$((1+1))nd\r`,
      ),
    )
    let most = before.memory
    while (!windows.every(({ tail }) => tail.includes('the-2nd'))) {
      await sleep(250)
      most = Math.max(most, await memoryMb(server.pid))
    }
    const seconds = (performance.now() - start) / 1000
    const cpu = (await cpuSeconds(server.pid)) - before.cpu
    const different = new Set(windows.map(({ digest }) => digest())).size
    for (const { socket } of windows) socket.close()

    const context = await contextOf(browser, server, person)
    const page = await context.newPage()
    await page.addInitScript(() => {
      const observer = new MutationObserver(() => {
        // Its rows, plain at first and then those of the terminal.
        const text = [...document.querySelectorAll('[aria-label=Console] pre, .xterm-rows')]
        if (!text.some(({ textContent }) => textContent.includes('the-2nd'))) return
        observer.disconnect()
        Object.assign(window, { repaintedAt: performance.now() })
      })
      observer.observe(document, { subtree: true, childList: true, characterData: true })
    })
    const repaintedAt = async () => {
      const handle = await page.waitForFunction(() => Object(window).repaintedAt as number | undefined)
      return Number(await handle.jsonValue())
    }
    await page.goto(`${server.url}/projects/${vm.project_id}/vms/${vm.id}/console`)
    await repaintedAt()
    const repaints: number[] = []
    for (let i = 0; i < reloads; i++) {
      await page.waitForTimeout(500)
      await page.reload()
      repaints.push(await repaintedAt())
    }
    return report(`Console: ${viewers} viewers while the guest prints ${printedBytes / 1e6} MB`, [
      { what: 'different transcripts', value: different, unit: '', goal: 1 },
      { what: 'gaps', value: Math.max(...windows.map(({ gaps }) => gaps)) - 1, unit: '', goal: 0 },
      { what: 'the guest printed', value: printedBytes / 1000 / seconds, unit: 'kB/s', goal: null },
      { what: 'server memory, more than before', value: most - before.memory, unit: 'MB', goal: 60 },
      { what: 'server CPU, of one core', value: (cpu / seconds) * 100, unit: '%', goal: null },
      { what: 'text is back after a reload, median', value: quantile(repaints, 0.5), unit: 'ms', goal: 150 },
      { what: 'text is back after a reload, slowest', value: Math.max(...repaints), unit: 'ms', goal: null },
    ])
  } finally {
    await browser.close()
    await server.stop()
    await clear(dataDir)
  }
}
