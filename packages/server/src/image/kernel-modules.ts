import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run } from '../lib/command.ts'

export interface KernelModule {
  name: string
  /** Path below the module directory, as Debian has it. */
  path: string
  content: Buffer
}

/** Reads the wanted modules and all they depend on, in an order in which they can be loaded. */
export async function readModules(moduleDir: string, wanted: readonly string[]): Promise<KernelModule[]> {
  // Newer releases of Debian pack them.
  const packed = (await readdir(moduleDir, { recursive: true })).filter((entry) => entry.endsWith('.ko.xz'))
  if (packed.length > 0) await run('xz', ['--decompress', '--', ...packed], { cwd: moduleDir })
  const paths = new Map<string, string>()
  for (const entry of await readdir(moduleDir, { recursive: true })) {
    if (entry.endsWith('.ko')) paths.set(moduleName(entry), entry)
  }
  const ordered = new Map<string, KernelModule>()
  const add = async (name: string): Promise<void> => {
    if (ordered.has(name)) return
    const path = paths.get(name)
    // Not every kernel builds everything as a module; what is missing is built in.
    if (!path) return
    const content = await readFile(join(moduleDir, path))
    for (const dependency of dependenciesOf(content)) await add(dependency)
    ordered.set(name, { name, path, content })
  }
  for (const name of wanted) await add(name.replaceAll('-', '_'))
  return [...ordered.values()]
}

/** Kernel module names treat `-` and `_` alike; file names do not. */
const moduleName = (path: string): string => basename(path, '.ko').replaceAll('-', '_')

/** The `depends=` line of the module's `.modinfo` section. */
function dependenciesOf(content: Buffer): string[] {
  const at = content.indexOf('\0depends=')
  if (at < 0) return []
  const start = at + '\0depends='.length
  const text = content.toString('latin1', start, content.indexOf(0, start))
  return text
    .split(',')
    .filter(Boolean)
    .map((name) => name.replaceAll('-', '_'))
}
