import { vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectText, said } from '../../screen/shown.test-kit.ts'

// Slow enough to look at each step.
test.override('serverOptions', () => ({ speed: 2 }))

describe('the page of a VM', () => {
  test('shows the steps of the start as they happen, with the times the server saw', async ({
    project,
    makeVm,
  }) => {
    // All of the page is loaded before there is something to see.
    await visit(vmPath({ project_id: project.id, id: 'nobody' }))
    await expect.element(page.getByRole('heading', { level: 1, name: 'VM not found' })).toBeVisible()
    const vm = await makeVm('fault-flaky')
    const step = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    await visit(vmPath(vm))
    await expect.element(page.getByRole('heading', { name: 'Starting up' })).toBeVisible()
    // The line has no height of its own, so it does not count as visible here.
    await expect
      .element(page.getByRole('progressbar', { name: new RegExp(`^${vm.name}: `) }))
      .toHaveAttribute('aria-valuenow', expect.stringMatching(/^\d+$/))
    await expect.element(step('Waiting for SSH, to come')).toBeVisible()
    await expect.element(said('at the latest')).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'SSH Connect', exact: true })).toBeDisabled()
    await expect.element(page.getByRole('heading', { name: 'Last start' })).toBeVisible()
    for (const text of ['Root disk cloned', 'Guest started', 'SSH responded'])
      await expectText(step(text), /, done.*\d/)
    await expect.element(page.getByText('Running', { exact: true })).toBeVisible()
    const aloud = () =>
      [...document.querySelectorAll('[aria-live=polite]')].map((region) => region.textContent).join(' ')
    await expect.poll(aloud).toContain(`${vm.name} is running`)
  })
})
