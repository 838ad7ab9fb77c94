import { vmPath } from '@slipway/e2e/paths'
import { describe, expect } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '../../screen/a11y.test-kit.ts'
import { expectCopied } from '../../screen/clipboard.test-kit.ts'
import { test, visit } from '../../screen/screen.test-kit.ts'
import { expectText } from '../../screen/shown.test-kit.ts'
import { script, startScriptHeading, startScriptSection } from './start-script.test-kit.ts'

describe('a start script', () => {
  test('has run once, and its page shows how it ended and what it printed', async ({ makeVm }) => {
    const vm = await makeVm('loom', undefined, { start_script: script })
    await visit(vmPath(vm))
    const section = await startScriptSection()
    await expectText(section.getByRole('status'), /^Failed *Exit code 3/)
    await expectText(section.getByRole('region', { name: 'Output' }), 'Spinning up')
    await expectCopied(section.getByRole('button', { name: 'Copy the output' }), 'Spinning up\n')
    await expect.element(page.getByText('Copied to clipboard!')).toBeVisible()
    await section.getByText('Show the script').click()
    await expectText(section.getByRole('region', { name: 'Script' }), 'echo Spinning up')
    await expectAccessible()
  })

  test('is not there where none was given', async ({ makeVm }) => {
    await visit(vmPath(await makeVm('loom', 'running')))
    await expect.element(page.getByRole('heading', { name: 'Last start' })).toBeVisible()
    expect(startScriptHeading.elements()).toHaveLength(0)
  })
})
