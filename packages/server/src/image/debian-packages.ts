import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../lib/command.ts'

/** Debian's servers get so long for all that is asked for at once. */
const fetchMs = 600_000

/**
 * Fetches Debian packages and the libraries they need, and unpacks them below `<workDir>/unpacked`; nothing is
 * installed on the host. apt checks every file against Debian's signatures. Works without privileges.
 *
 * @returns the file names of the packages, which carry their versions
 */
export async function fetchPackages(
  kernelPackage: string,
  packages: readonly string[],
  workDir: string,
  signal: AbortSignal,
): Promise<{ unpacked: string; files: string[] }> {
  const downloads = join(workDir, 'packages')
  const unpacked = join(workDir, 'unpacked')
  await mkdir(downloads)
  await mkdir(unpacked)

  const download = async (apt: readonly string[]) => {
    const names = [await kernelBehind(kernelPackage, apt), ...(await withLibraries(packages, apt))]
    await run('apt-get', [...apt, 'download', '-q', ...names], { cwd: downloads, signal, timeoutMs: fetchMs })
  }
  try {
    await download([])
  } catch {
    signal.throwIfAborted()
    // The host's own lists are missing or out of date: use fresh ones of our own.
    const apt = await ownLists(workDir)
    await run('apt-get', [...apt, 'update', '-q'], { signal, timeoutMs: fetchMs })
    await download(apt)
  }

  const files = (await readdir(downloads)).filter((file) => file.endsWith('.deb')).sort()
  for (const file of files) await run('dpkg-deb', ['-x', join(downloads, file), unpacked], { signal })
  return { unpacked, files }
}

async function ownLists(workDir: string): Promise<string[]> {
  const lists = join(workDir, 'apt-lists')
  const cache = join(workDir, 'apt-cache')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true })
  return ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${cache}`, '-o', 'APT::Sandbox::User=']
}

/** The package with the kernel itself; `linux-image-cloud-amd64` only points at the newest one. */
async function kernelBehind(kernelPackage: string, apt: readonly string[]): Promise<string> {
  const text = await run('apt-cache', [...apt, 'depends', '--important', kernelPackage])
  const name = /Depends: (linux-image-\S+)/.exec(text)?.[1]
  if (!name) throw new Error(`The package lists of this machine have no kernel behind ${kernelPackage}`)
  return name
}

/** The packages and, through library packages only, every library package they depend on. */
async function withLibraries(packages: readonly string[], apt: readonly string[]): Promise<string[]> {
  const all = new Set(packages)
  for (let fresh = [...packages]; fresh.length > 0; ) {
    const text = await run('apt-cache', [...apt, 'depends', '--important', ...fresh])
    const libraries = [...text.matchAll(/Depends: ((?:lib|zlib)[a-z0-9.+-]*)$/gm)].map(
      (match) => match[1] ?? '',
    )
    fresh = [...new Set(libraries)].filter((library) => !all.has(library))
    for (const library of fresh) all.add(library)
  }
  return [...all]
}
