import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { livingProcess, thisProcess } from '../lib/process-identity.ts'

const OWNER = 'owner.json'

/** Directories in which images are made, in a directory that is there; each tells whose it is. */
export function makeWorkDirs(dir: string) {
  return {
    /** A directory of this process, with an empty one in it to build in. */
    async open(): Promise<{ workDir: string; buildDir: string }> {
      const workDir = await mkdtemp(join(dir, 'work-'))
      await writeFile(join(workDir, OWNER), JSON.stringify(await thisProcess()))
      const buildDir = join(workDir, 'build')
      await mkdir(buildDir)
      return { workDir, buildDir }
    },

    /** Clears the work of processes that are gone; `first` is done to each directory before. */
    async sweep(first: (workDir: string) => Promise<void>): Promise<void> {
      for (const name of await readdir(dir)) {
        if (!name.startsWith('work-')) continue
        const workDir = join(dir, name)
        if (await livingProcess(await readFile(join(workDir, OWNER), 'utf8').catch(() => ''))) continue
        await first(workDir)
        await rm(workDir, { recursive: true, force: true })
      }
    },
  }
}

export type WorkDirs = ReturnType<typeof makeWorkDirs>
