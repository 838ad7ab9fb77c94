/** What a first visit costs: JS and CSS as sent (gzip) and the number of requests, with an empty cache. */
import { gzipSync } from 'node:zlib'
import { projectApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { contextOf, launchBrowser } from './browser.ts'
import { newPerson } from './person.ts'
import { report } from './report.ts'

export async function benchPageWeight(): Promise<boolean> {
  const server = await startServer()
  const browser = await launchBrowser()
  try {
    const person = await newPerson(server)
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const pages = {
      'landing page': { path: '/', goal: 150 },
      'sign-up': { path: '/signup', goal: 150 },
      'sign-in': { path: '/signin', goal: 150 },
      'VM list, signed in': { path: `/projects/${project.id}/vms`, goal: 170 },
    }
    const figures = []
    for (const [what, { path, goal }] of Object.entries(pages)) {
      const context = await (what.endsWith('signed in')
        ? contextOf(browser, server, person)
        : browser.newContext())
      const page = await context.newPage()
      let requests = 0
      let bytes = 0
      const reading: Promise<void>[] = []
      page.on('response', (response) => {
        requests++
        if (!['script', 'stylesheet'].includes(response.request().resourceType())) return
        reading.push(
          response.body().then((body) => {
            bytes += gzipSync(body, { level: 9 }).length
          }),
        )
      })
      await page.goto(server.url + path)
      await page.waitForTimeout(2_000)
      await Promise.all(reading)
      figures.push({ what: `${what}: JS and CSS, gzip`, value: bytes / 1000, unit: 'kB', goal })
      figures.push({ what: `${what}: requests`, value: requests, unit: '', goal: 25 })
      await context.close()
    }
    return report('First visit', figures)
  } finally {
    await browser.close()
    await server.stop()
  }
}
