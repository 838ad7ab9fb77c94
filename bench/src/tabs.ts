/** Many tabs of one browser: how many event streams they cost, and how soon each of them shows a change. */
import { projectApi } from '@slipway/contract'
import { startServer } from '@slipway/e2e/server'
import { contextOf, launchBrowser } from './browser.ts'
import { newPerson } from './person.ts'
import { quantile, report } from './report.ts'

const tabCount = 20
const changes = 10

export async function benchTabs(): Promise<boolean> {
  const server = await startServer()
  const browser = await launchBrowser()
  try {
    const person = await newPerson(server)
    await person.call(projectApi.create, { body: { name: 'first' } })
    const context = await contextOf(browser, server, person)
    const tabs = []
    for (let i = 0; i < tabCount; i++) {
      const tab = await context.newPage()
      await tab.goto(`${server.url}/projects`)
      await tab.getByRole('heading', { level: 3, name: 'first' }).or(tab.getByText('first')).first().waitFor()
      tabs.push(tab)
    }
    const lags: number[] = []
    for (let i = 0; i < changes; i++) {
      const name = `project-${i}`
      // Each tab says itself when it shows the name: asking them one by one would take longer.
      const shown = tabs.map((tab) =>
        tab.evaluate(
          (text) =>
            new Promise<number>((resolve) => {
              const look = () => document.querySelector('main')?.textContent?.includes(text)
              const observer = new MutationObserver(() => {
                if (!look()) return
                observer.disconnect()
                resolve(Date.now())
              })
              observer.observe(document.body, { childList: true, subtree: true, characterData: true })
            }),
          name,
        ),
      )
      await tabs[0]?.waitForTimeout(500)
      const start = Date.now()
      await person.call(projectApi.create, { body: { name } })
      for (const at of await Promise.all(shown)) lags.push(at - start)
    }
    const session = await browser.newBrowserCDPSession()
    const { targetInfos } = await session.send('Target.getTargets')
    const workers = targetInfos.filter(({ type }) => type === 'shared_worker').length
    return report(`${tabCount} tabs of one browser`, [
      { what: 'workers with an event stream', value: workers, unit: '', goal: 1 },
      { what: 'a change in a tab, median', value: quantile(lags, 0.5), unit: 'ms', goal: null },
      { what: 'a change in the last tab', value: Math.max(...lags), unit: 'ms', goal: 300 },
    ])
  } finally {
    await browser.close()
    await server.stop()
  }
}
