import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, createZstdCompress, gzip } from 'node:zlib'
import { run } from '../lib/command.ts'
import { bootstrap, TREE } from './bootstrap.ts'
import type { BuildWork, BuiltImage } from './builder.ts'
import { cpioOf } from './cpio.ts'
import { makeExt4 } from './ext4.ts'
import { applyChanges, listingOf } from './ext4-changes.ts'
import { readModules } from './kernel-modules.ts'
import { packagesIn } from './package-list.ts'
import type { DebianRecipe } from './recipe.ts'
import { withTar } from './tar.ts'
import { plant, plantFiles, type Tree } from './tree.ts'

/**
 * Builds a whole Debian from its packages. The same packages and recipe give the same bytes. Needs mmdebstrap and the
 * keys of the Debian archive on this machine; throws an error with the code `ENOENT` when a program is missing.
 */
export async function buildDebian(
  recipe: DebianRecipe & { id: string; dir: string },
  { mirror }: { mirror: string },
  { workDir, signal, onProgress }: BuildWork,
): Promise<BuiltImage> {
  await bootstrap({
    suite: recipe.suite,
    mirror,
    packages: recipe.packages,
    upon: null,
    recipeDir: recipe.dir,
    npm: [],
    extra: { program: kernelStep, env: { SLIPWAY_KERNEL: recipe.kernelPackage } },
    takeOut: '/slipway-boot',
    workDir,
    signal,
    onProgress: (fraction) => onProgress(fraction * 0.8),
  })
  onProgress(0.8)

  const boot = join(workDir, 'slipway-boot')
  const unpacked = join(workDir, 'unpacked')
  const kernelPackages = await readdir(boot)
  for (const file of kernelPackages) await run('dpkg-deb', ['-x', join(boot, file), unpacked], { signal })
  const [release] = await readdir(join(unpacked, 'usr/lib/modules'))
  if (!release) throw new Error('The kernel package carries no modules')
  const initrd = join(workDir, 'initrd')
  await writeFile(initrd, await initrdOf(recipe, unpacked, release))

  const archive = join(workDir, TREE)
  const raw = join(workDir, 'root.raw')
  const disk = join(workDir, 'disk')
  await makeExt4(raw, recipe.rootSizeMb, { signal })
  const installed = await withTar(archive, async (tar) => {
    const after = await listingOf(tar)
    onProgress(0.82)
    await applyChanges(raw, new Map(), after, tar, workDir, { signal })
    return packagesIn(after, tar)
  })
  onProgress(0.92)
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', '-o', 'compat=1.1', raw, disk], { signal })
  await rm(raw)
  onProgress(0.95)

  const tree = join(workDir, 'tree')
  const packing = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 6 } })
  await pipeline(createReadStream(archive), packing, createWriteStream(tree), { signal })
  onProgress(1)
  return {
    disk,
    kernel: join(unpacked, 'boot', `vmlinuz-${release}`),
    initrd,
    cmdline: recipe.cmdline,
    tree,
    sources: [...installed, ...kernelPackages.map((file) => decodeURIComponent(file))],
  }
}

const kernelStep = fileURLToPath(new URL('./bootstrap-kernel.sh', import.meta.url))

/** The RAM disk: a shell, the drivers that it takes to reach the root disk, and the recipe's own `initrd/`. */
async function initrdOf(recipe: DebianRecipe & { dir: string }, unpacked: string, release: string) {
  const tree: Tree = new Map()
  for (const path of ['/dev', '/proc', '/sys', '/root']) plant(tree, path, { kind: 'directory', mode: 0o755 })
  const busybox = await readFile(join(unpacked, 'usr/bin/busybox'))
  plant(tree, '/bin/busybox', { kind: 'file', mode: 0o755, content: busybox })
  await plantFiles(tree, join(recipe.dir, 'initrd'))
  const modules = await readModules(join(unpacked, 'usr/lib/modules', release), recipe.bootModules)
  modules.forEach((module, index) => {
    const path = `/modules/${String(index).padStart(2, '0')}-${module.name}.ko`
    plant(tree, path, { kind: 'file', mode: 0o644, content: module.content })
  })
  return promisify(gzip)(cpioOf(tree), { level: 9 })
}
