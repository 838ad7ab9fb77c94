import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { run } from '../lib/command.ts'
import { cpioOf } from './cpio.ts'
import { fetchPackages } from './debian-packages.ts'
import { neededLibraries } from './elf.ts'
import { writeExt4 } from './ext4.ts'
import { readModules } from './kernel-modules.ts'
import { plant, type Tree } from './tree.ts'

/** What stands in `images/starter/recipe.json`. */
interface Recipe {
  name: string
  revision: number
  kernelPackage: string
  packages: string[]
  /** Path in the guest to path in the packages. */
  programs: Record<string, string>
  links: Record<string, string>
  directories: Record<string, string>
  bootModules: string[]
  rootModules: string[]
  rootSizeMb: number
  cmdline: string
}

/** Files a builder has left in its work directory, and how a machine boots from them. */
export interface BuiltImage {
  disk: string
  kernel: string
  initrd: string
  cmdline: string
  /** What it was made of, for the record. */
  sources: string[]
}

/** Changes whenever anything in the recipe does, so that an image of an older recipe is replaced. */
export async function starterVersion(): Promise<string> {
  const hash = createHash('sha256')
  for (const entry of (await readdir(recipeDir, { recursive: true })).sort()) {
    const path = join(recipeDir, entry)
    if ((await stat(path)).isFile())
      hash
        .update(`${entry}\0`)
        .update(await readFile(path))
        .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

const recipeDir = fileURLToPath(new URL('../../../../images/starter/', import.meta.url))

/**
 * Builds Starter Linux from Debian packages into an empty work directory: a small Linux that answers SSH within
 * seconds. The same packages and recipe give the same bytes.
 */
export async function buildStarter(workDir: string): Promise<BuiltImage> {
  const recipe: Recipe = JSON.parse(await readFile(join(recipeDir, 'recipe.json'), 'utf8'))
  const { unpacked, files } = await fetchPackages(recipe.kernelPackage, recipe.packages, workDir)
  const [release] = await readdir(join(unpacked, 'lib/modules'))
  if (!release) throw new Error('The kernel package carries no modules')
  const moduleDir = join(unpacked, 'lib/modules', release)

  const initrd = join(workDir, 'initrd')
  await writeFile(
    initrd,
    await promisify(gzip)(cpioOf(await initrdTree(recipe, unpacked, moduleDir)), { level: 9 }),
  )

  const raw = join(workDir, 'root.raw')
  const disk = join(workDir, 'disk')
  await writeExt4(raw, await rootTree(recipe, unpacked, moduleDir, release), recipe.rootSizeMb, workDir)
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-o', 'compat=1.1', raw, disk])
  await rm(raw)

  const kernel = join(unpacked, 'boot', `vmlinuz-${release}`)
  return { disk, kernel, initrd, cmdline: recipe.cmdline, sources: files }
}

async function initrdTree(recipe: Recipe, unpacked: string, moduleDir: string): Promise<Tree> {
  const tree: Tree = new Map()
  for (const path of ['/dev', '/proc', '/sys', '/root']) plant(tree, path, { kind: 'directory', mode: 0o755 })
  await plantProgram(tree, unpacked, '/bin/busybox', '/bin/busybox')
  await plantFiles(tree, join(recipeDir, 'initrd'))
  const modules = await readModules(moduleDir, recipe.bootModules)
  modules.forEach((module, index) => {
    const path = `/modules/${String(index).padStart(2, '0')}-${module.name}.ko`
    plant(tree, path, { kind: 'file', mode: 0o644, content: module.content })
  })
  return tree
}

async function rootTree(recipe: Recipe, unpacked: string, moduleDir: string, release: string): Promise<Tree> {
  const tree: Tree = new Map()
  for (const [path, mode] of Object.entries(recipe.directories)) {
    plant(tree, path, { kind: 'directory', mode: Number.parseInt(mode, 8) })
  }
  for (const [target, source] of Object.entries(recipe.programs)) {
    await plantProgram(tree, unpacked, target, source)
  }
  for (const applet of await busyboxApplets(unpacked)) {
    if (!tree.has(`/${applet}`)) plant(tree, `/${applet}`, { kind: 'link', target: '/bin/busybox' })
  }
  await plantFiles(tree, join(recipeDir, 'root'))
  plant(tree, '/etc/shadow', { ...fileIn(tree, '/etc/shadow'), mode: 0o600 })
  for (const [path, target] of Object.entries(recipe.links)) plant(tree, path, { kind: 'link', target })

  const modules = await readModules(moduleDir, [...recipe.bootModules, ...recipe.rootModules])
  const below = `/lib/modules/${release}`
  for (const { path, content } of modules) {
    plant(tree, `${below}/${path}`, { kind: 'file', mode: 0o644, content })
  }
  return tree
}

/** Where busybox wants its names, such as `sbin/init`. */
async function busyboxApplets(unpacked: string): Promise<string[]> {
  const busybox = join(unpacked, 'bin/busybox')
  await chmod(busybox, 0o755)
  const names = await run(busybox, ['--list-full'])
  return names.split('\n').filter((name) => name && name !== 'bin/busybox')
}

/** A program together with the libraries it is linked with. */
async function plantProgram(tree: Tree, unpacked: string, target: string, source: string): Promise<void> {
  const content = await readFile(join(unpacked, source))
  plant(tree, target, { kind: 'file', mode: 0o755, content })
  const { interpreter, libraries } = neededLibraries(content)
  if (interpreter && !tree.has(interpreter)) {
    await plantProgram(
      tree,
      unpacked,
      interpreter,
      await librarySource(unpacked, interpreter.split('/').at(-1)),
    )
  }
  for (const library of libraries) {
    const home = `/lib/x86_64-linux-gnu/${library}`
    if (!tree.has(home)) await plantProgram(tree, unpacked, home, await librarySource(unpacked, library))
  }
}

async function librarySource(unpacked: string, library = ''): Promise<string> {
  const places = ['lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'lib64', 'usr/lib64']
  for (const place of places) {
    const path = join(place, library)
    if (await stat(join(unpacked, path)).catch(() => null)) return path
  }
  throw new Error(`The packages lack the library ${library}`)
}

/** Every file below a directory of the recipe, at the same place in the guest. */
async function plantFiles(tree: Tree, from: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const mode = (await stat(path)).mode & 0o100 ? 0o755 : 0o644
    plant(tree, path.slice(from.length), { kind: 'file', mode, content: await readFile(path) })
  }
}

function fileIn(tree: Tree, path: string) {
  const entry = tree.get(path)
  if (entry?.kind !== 'file') throw new Error(`The recipe lacks ${path}`)
  return entry
}
