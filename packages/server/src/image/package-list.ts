import type { FileHandle } from 'node:fs/promises'
import type { Listing } from './ext4-changes.ts'
import { contentIn } from './tar.ts'

/** The Debian packages installed in an image, as sorted lines of `package=version`. */
export async function packagesIn(listing: Listing, archive: FileHandle): Promise<string[]> {
  const status = listing.get('/var/lib/dpkg/status')
  return status ? installedPackages((await contentIn(archive, status)).toString()) : []
}

/** The same, from the text of dpkg's status file. Format: deb-control(5), paragraphs with a `Status` field. */
export function installedPackages(status: string): string[] {
  const field = (paragraph: string, name: string) =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1] ?? ''
  return status
    .split('\n\n')
    .filter((paragraph) => field(paragraph, 'Status').endsWith(' installed'))
    .map((paragraph) => `${field(paragraph, 'Package')}=${field(paragraph, 'Version')}`)
    .sort()
}
