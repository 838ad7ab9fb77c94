/** `backup.json`, the list of what a backup is made of. It is written last: a directory without it is no backup. */
import { open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { flush } from '../lib/flush.ts'

export const MANIFEST = 'backup.json'
/** Folders in a backup: the rows, and what is put into the data directory. */
export const ROWS = 'database'
export const DATA = 'data'

/** Of the data directory: keys that belong to the database and to guests. */
export const keptFiles = ['ssh_host_key', 'ssh_gateway_key', 'metrics.token', 'factor.key'] as const
/** What may stand in the first place of a path below `data/`. */
const tops = new Set<string>([
  ...keptFiles,
  ...['machines', 'volumes', 'snapshots', 'volume-snapshots', 'images', 'networks', 'simulated.jsonl'],
])

/** Whether a path stays in the backup, and in the data directory that it is restored to. */
export function isSafePath(text: string): boolean {
  const [top = '', name = '', ...rest] = text.split('/')
  const isName = (part: string) => /^[\w.-]{1,255}$/.test(part) && part !== '.' && part !== '..'
  if (!text.split('/').every(isName)) return false
  return top === DATA ? tops.has(name) : top === ROWS && /^\w+\.ndjson$/.test(name) && rest.length === 0
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)

const manifestSchema = z.strictObject({
  format: z.literal(1, 'This version of Slipway does not know its format'),
  /** The version that wrote it. */
  slipway: z.string(),
  made_at: z.string(),
  engine: z.enum(['qemu', 'kubevirt', 'simulated']),
  database: z.enum(['SQLite', 'PostgreSQL']),
  migrations: z.array(z.string()),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^\w+$/),
      columns: z.array(z.string()).min(1).readonly(),
      key: z.array(z.string()).min(1).readonly(),
      rows: count,
      sha256,
    }),
  ),
  files: z.array(
    z.strictObject({
      path: z.string().refine(isSafePath, 'The path leads out of the backup'),
      bytes: count,
      sha256,
    }),
  ),
  /** Objects whose rows are here and whose files are not. */
  left_out: z.array(
    z.strictObject({ type: z.string(), id: z.string(), name: z.string(), reason: z.string() }),
  ),
})

export type Manifest = z.infer<typeof manifestSchema>

/** Throws a sentence when there is none, or it is not one of ours. */
export async function readManifest(dir: string): Promise<Manifest> {
  const file = path.join(dir, MANIFEST)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new Error(`${file} cannot be read: ${error.message}`)
    throw new Error(`${dir} is not a complete backup: ${MANIFEST} is missing.`)
  })
  const damaged = (why: string) => new Error(`${file} is damaged or was changed: ${why}.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw damaged('it is not JSON')
  }
  const { success, data, error } = manifestSchema.safeParse(value)
  if (!success) {
    const [issue] = error.issues
    throw damaged(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  const names = data.files.map((one) => one.path)
  if (new Set(names).size !== names.length) throw damaged('it names a file twice')
  for (const { name } of data.tables)
    if (!names.includes(`${ROWS}/${name}.ndjson`)) throw damaged(`it does not name the file of ${name}`)
  return data
}

/** Makes a directory a backup. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const part = path.join(dir, `${MANIFEST}.part`)
  const file = await open(part, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 1)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path.join(dir, MANIFEST))
  await flush(dir)
}
