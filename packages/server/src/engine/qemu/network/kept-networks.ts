/** What is kept of networks, `<dataDir>/networks/`: a file for each project, and the range that all of them share. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { NetworkSpec } from '../../engine.ts'
import { ifThere, readJson, type Shape, writeDurably } from '../durable.ts'
import { isMachineId } from '../machine-dir.ts'

export interface KeptNetwork {
  /** Which part of the range is its own. */
  index: number
  /** The places of its machines, by id; they stay for the life of a machine. */
  places: Record<string, number>
  /** Null until somebody said what it is like. */
  spec: NetworkSpec | null
}

const name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
export const NetworkSpecShape = z.object({
  label: name,
  internet: z.boolean(),
  names: z.record(name, z.array(z.string())),
})
const network = z.looseObject({
  index: z.number(),
  places: z.record(z.string(), z.number()),
  spec: NetworkSpecShape.nullable(),
})
const isNetwork: Shape<KeptNetwork> = (value): value is KeptNetwork => network.safeParse(value).success
const isRange: Shape<string> = (value): value is string => typeof value === 'string'

/** Reads and writes them. What cannot be read throws an UnreadableError, and is never written over. */
export function keptNetworksIn(dataDir: string) {
  const top = join(dataDir, 'networks')
  const fileOf = (projectId: string) => join(top, `${projectId}.json`)
  const rangeFile = join(top, 'range')

  return {
    async ids(): Promise<string[]> {
      const files = (await ifThere(top, readdir(top))) ?? []
      return files.flatMap((file) => {
        const id = file.replace(/\.json$/, '')
        return file.endsWith('.json') && isMachineId(id) ? [id] : []
      })
    },
    read: (projectId: string): Promise<KeptNetwork | null> => readJson(fileOf(projectId), isNetwork),
    async write(projectId: string, kept: KeptNetwork): Promise<void> {
      await mkdir(top, { recursive: true, mode: 0o700 })
      await writeDurably(fileOf(projectId), kept)
    },
    remove: (projectId: string): Promise<void> => rm(fileOf(projectId), { force: true }),
    /** The range as text; null before one was taken. */
    readRange: (): Promise<string | null> => readJson(rangeFile, isRange),
    async writeRange(range: string): Promise<void> {
      await mkdir(top, { recursive: true, mode: 0o700 })
      await writeDurably(rangeFile, range)
    },
  }
}
