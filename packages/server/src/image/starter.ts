import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { run } from '../lib/command.ts'
import type { BuildWork, BuiltImage } from './builder.ts'
import { cpioOf } from './cpio.ts'
import { fetchPackages } from './debian-packages.ts'
import { neededLibraries } from './elf.ts'
import { writeExt4 } from './ext4.ts'
import { readModules } from './kernel-modules.ts'
import type { StarterRecipe } from './recipe.ts'
import { reseedProgram } from './reseed-program.ts'
import { plant, plantFiles, type Tree } from './tree.ts'

type Recipe = StarterRecipe & { id: string; dir: string }

/**
 * Builds Starter Linux from Debian packages into an empty work directory: a small Linux that answers SSH within
 * seconds. The same packages and recipe give the same bytes.
 */
export async function buildStarter(recipe: Recipe, { workDir, signal }: BuildWork): Promise<BuiltImage> {
  const { unpacked, files } = await fetchPackages(recipe.kernelPackage, recipe.packages, workDir, signal)
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
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-o', 'compat=1.1', raw, disk], { signal })
  await rm(raw)

  const kernel = join(unpacked, 'boot', `vmlinuz-${release}`)
  return { disk, kernel, initrd, cmdline: recipe.cmdline, sources: files }
}

async function initrdTree(recipe: Recipe, unpacked: string, moduleDir: string): Promise<Tree> {
  const tree: Tree = new Map()
  for (const path of ['/dev', '/proc', '/sys', '/root']) plant(tree, path, { kind: 'directory', mode: 0o755 })
  await plantProgram(tree, unpacked, '/bin/busybox', '/bin/busybox')
  await plantFiles(tree, join(recipe.dir, 'initrd'))
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
  await plantFiles(tree, join(recipe.dir, 'root'))
  plant(tree, '/usr/lib/slipway/reseed', { kind: 'file', mode: 0o755, content: reseedProgram() })
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

function fileIn(tree: Tree, path: string) {
  const entry = tree.get(path)
  if (entry?.kind !== 'file') throw new Error(`The recipe lacks ${path}`)
  return entry
}
