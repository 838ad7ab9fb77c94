import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** The modules of Node itself that are loaded once all the server's modules are, in a process of their own. */
async function builtInsOf(modules: readonly string[]): Promise<string[]> {
  const imports = modules.map(
    (module) => `await import(${JSON.stringify(new URL(module, import.meta.url).href)})`,
  )
  const script = `${imports.join('\n')}\nconsole.log(process.moduleLoadList.join('\\n'))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return stdout.split('\n')
}

test('takes in nothing of Node that costs memory and is not used: it fetches by itself', async () => {
  const loaded = await builtInsOf([
    './app.ts',
    './qemu.ts',
    './mail/mail.ts',
    './seed.ts',
    './gateway/gateway.thread.ts',
  ])
  expect(loaded).toContain('NativeModule http')
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([])
})
