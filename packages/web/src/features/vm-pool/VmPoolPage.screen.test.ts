import { type CallOutput, scalingDefaults, vmPoolApi } from '@slipway/contract'
import { shownMoment } from '@slipway/e2e/dates'
import { makeVmPool } from '@slipway/e2e/objects'
import { vmPoolListPath, vmPoolPath } from '@slipway/e2e/paths'
import { describe, expect, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { answer, callsOf, withoutStream } from '../../screen/network.test-kit.ts'
import { call, templateId, test, visit } from '../../screen/screen.test-kit.ts'
import { expectCount, expectRefused, expectText, expectTexts, said } from '../../screen/shown.test-kit.ts'
import { cardOf } from '../vm-group/vm-group.test-kit.ts'
import { makePool } from './vm-pool.test-kit.ts'

describe('the page of a VM pool', () => {
  // The first test of this file: what one of them has loaded, the others have.
  test('draws the last hour, and tells what the autoscaler goes by and thinks', async ({ project }) => {
    const pool = makeVmPool('web', { project_id: project.id, status: 'scaling', desired_size: 3 })
    const drawn = loadsOf(/\/Plot\.tsx/)
    answer(vmPoolApi.list, 200, [pool])
    answer(vmPoolApi.get, 200, { ...pool, vms: [] })
    answer(vmPoolApi.history, 200, historyOf())
    await visit(vmPoolListPath(project.id))
    await expect.element(cardOf('web')).toBeVisible()
    expect(drawn()).toEqual([])
    await cardOf('web').getByRole('link', { name: 'web', exact: true }).click()
    await expect
      .element(page.getByRole('img', { name: 'Size over the last hour: from 1 to 2 VMs, now 2, desired 3.' }))
      .toBeVisible()
    const load = page.getByRole('img', { name: 'CPU load over the last hour: from 40% to 82%, now 82%.' })
    await expect.poll(() => load.query()?.querySelector('canvas')).toBeVisible()
    expect(drawn()).toHaveLength(1)
    await expectText(page.getByRole('main'), '2 VMs to come. Scaling since')
    await expect.element(page.getByText('CPU 82 % over 15 s: it waits.')).toBeVisible()
    await expectText(
      page.getByRole('main'),
      'Adds a VM when the mean CPU load stays above 75% for 60 s, and removes one when it stays below 20% for 5 min.',
    )
    const rows = page.getByRole('table').getByRole('row')
    await expectCount(rows, 6)
    await expectText(rows.nth(1), 'CPU 82 % over 60 s, above 75 %: 2 to 3')
    await page.getByRole('button', { name: 'Show 2 more' }).click()
    await expectCount(rows, 8)
    await expect.element(said('The pool has no VMs yet.')).toBeVisible()
  })

  test('says why a pool is in error and what comes', async ({ project }) => {
    const pool = makeVmPool('web', {
      project_id: project.id,
      status: 'error',
      status_message: 'Needs 2.0 GB of memory, the host has 1.2 GB',
    })
    answer(vmPoolApi.get, 200, { ...pool, vms: [] })
    await visit(vmPoolPath(pool))
    const why = page.getByRole('main').getByRole('alert')
    await expectText(why, `Error since ${shownMoment(pool.status_since)}`)
    await expectText(
      why,
      'Needs 2.0 GB of memory, the host has 1.2 GB. The pool recovers automatically once that is fixed.',
    )
  })

  test('says why a roll-out is paused, which VMs have which settings, and lets it continue or stop', async ({
    project,
    sshKey,
  }) => {
    const made = await makePool(project.id, {
      name: 'web',
      template_id: templateId,
      ssh_key_id: sshKey.id,
      desired_size: 2,
      auto_scaling: false,
    })
    const params = { projectId: project.id, poolId: made.id }
    const pool = await call(vmPoolApi.get, { params })
    const paused = {
      ...pool,
      status: 'error' as const,
      status_message:
        'The roll-out is paused, and no VM is created. No space. Continue or stop the roll-out.',
      roll_out: { revision: 2, state: 'paused' as const, message: 'No space.', renewed_vms: 1, total_vms: 2 },
      revisions: pool.vms.map(({ id }, i) => ({ vm_id: id, revision: 2 - i })),
    }
    withoutStream()
    answer(vmPoolApi.get, 200, paused)
    await visit(vmPoolPath(pool))
    const why = page.getByRole('main').getByRole('alert')
    await expectText(why, 'The roll-out is paused, and no VM is created. No space.')
    await expect.element(why).not.toMatchTextContent('recovers automatically')
    const settings = page.getByRole('region', { name: 'Settings of the VMs' })
    await expectText(settings.getByRole('status'), '1 of 2 VMs has the new settings')
    await expectTexts(settings.getByRole('term'), ['Revision 2', 'Revision 1'])
    await expectTexts(settings.getByRole('definition'), ['web-1', 'web-2'])
    const resume = settings.getByRole('button', { name: 'Continue Roll-Out' })
    const stop = settings.getByRole('button', { name: 'Stop Roll-Out' })
    for (const [button, endpoint, text] of [
      [resume, vmPoolApi.continueRollOut, 'Failed to continue the roll-out.'],
      [stop, vmPoolApi.stopRollOut, 'Failed to stop the roll-out.'],
    ] as const) {
      await expectRefused(endpoint, () => button.click(), text)
      const accepted = answer(endpoint, 200, paused)
      const calls = callsOf(endpoint)
      await button.click()
      await expect.poll(() => calls).toHaveLength(1)
      await accepted.end()
    }
  })
})

/** What the page loads from now on, of some name. */
function loadsOf(name: RegExp): () => string[] {
  const loads: PerformanceEntryList = []
  const observer = new PerformanceObserver((list) => loads.push(...list.getEntries()))
  observer.observe({ type: 'resource' })
  onTestFinished(() => observer.disconnect())
  return () => {
    loads.push(...observer.takeRecords())
    return loads.map((load) => load.name).filter((one) => name.test(one))
  }
}

function historyOf(): CallOutput<typeof vmPoolApi.history> {
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString()
  return {
    samples: [
      { at: at(120), cpu: 40, current_size: 1, desired_size: 1 },
      { at: at(60), cpu: null, current_size: 1, desired_size: 2 },
      { at: at(0), cpu: 82, current_size: 2, desired_size: 3 },
    ],
    events: Array.from({ length: 7 }, (_, i) => ({
      id: String(i),
      at: at(i),
      kind: 'scaled' as const,
      message: `CPU 82 % over 60 s, above 75 %: ${2 - i} to ${3 - i}`,
      from_size: 2,
      to_size: 3,
    })),
    policy: scalingDefaults,
    verdict: 'CPU 82 % over 15 s: it waits.',
  }
}
