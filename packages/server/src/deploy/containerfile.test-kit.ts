/** deploy/Containerfile as data, and what its last stage holds as a directory, without a builder of containers. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '../../../..')
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
export const jsonOf = (name: string) => JSON.parse(read(name))

export interface Instruction {
  word: string
  rest: string
}

/** The stages, each a list of instructions that begins with FROM. */
export function stagesOf(): Instruction[][] {
  const lines = read('deploy/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (word === 'FROM') stages.push([])
    stages.at(-1)?.push({ word, rest })
  }
  return stages
}

/** What a COPY takes from the repository, and from another stage, and where to. */
export const copiesOf = (stage: Instruction[]) =>
  stage
    .filter(({ word }) => word === 'COPY')
    .map(({ rest }) => {
      const words = rest.split(/\s+/)
      const from = words[0]?.startsWith('--from=') ? words.shift() : undefined
      return { from, to: words.at(-1) ?? '', sources: words.slice(0, -1) }
    })

const ignoreLines = read('deploy/Containerfile.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** Whether a build gets to see a path of the repository. */
export function isInContext(name: string): boolean {
  const parts = name.split('/')
  const isLetIn = ignoreLines.some(
    (line) => line.startsWith('!') && (name === line.slice(1) || name.startsWith(`${line.slice(1)}/`)),
  )
  return isLetIn && !parts.some((part) => isLeftOut(part))
}

const isLeftOut = (part: string): boolean =>
  ignoreLines
    .filter((line) => line.startsWith('**/'))
    .map((line) => line.slice(3))
    .some((line) => (line.startsWith('*') ? part.endsWith(line.slice(1)) : part === line))

/** The packages that the server needs at run time, by their path in the lock file. */
function runtimePackages(): string[] {
  const { packages } = jsonOf('package-lock.json') as { packages: Record<string, Locked> }
  const found = new Set<string>()
  const visit = (from: string) => {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      // As Node looks: beside the one that asks, then further up.
      let at = from
      while (!packages[place(at, name)] && at !== '') at = at.replace(/(^|\/)[^/]+$/, '')
      const target = place(at, name)
      if (!packages[target] || found.has(target)) continue
      found.add(target)
      visit(packages[target].link ? (packages[target].resolved ?? '') : target)
    }
  }
  visit('packages/server')
  return [...found].filter((one) => !packages[one]?.link)
}

interface Locked {
  dependencies?: Record<string, string>
  link?: boolean
  resolved?: string
}

const place = (at: string, name: string) => `${at === '' ? '' : `${at}/`}node_modules/${name}`

/** Fills a directory with what the last stage copies, and takes away the right to write to it. */
export function layOut(dir: string): void {
  const last = stagesOf().at(-1) ?? []
  for (const { from, to, sources } of copiesOf(last)) {
    if (from !== undefined) continue
    for (const source of sources)
      cpSync(path.join(root, source), path.join(dir, to === './' ? source : to), {
        recursive: true,
        filter: (file) => isInContext(path.relative(root, file)),
      })
  }
  for (const name of runtimePackages())
    cpSync(path.join(root, name), path.join(dir, name), {
      recursive: true,
      // A package inside of another is one of its own; types and maps are for people.
      filter: (file) =>
        file === path.join(root, name) ||
        !/\/node_modules|\.(d\.[cm]?ts|map|md)$/.test(file.slice(root.length + name.length + 1)),
    })
  mkdirSync(path.join(dir, 'node_modules/@slipway'), { recursive: true })
  symlinkSync('../../packages/contract', path.join(dir, 'node_modules/@slipway/contract'))
  const web = path.join(root, 'packages/web/dist')
  if (existsSync(web)) cpSync(web, path.join(dir, 'packages/web/dist'), { recursive: true })
  setModes(dir, 0o555)
}

/** Gives the right back, so that the directory can be removed. */
export const layDown = (dir: string): void => setModes(dir, 0o755)

function setModes(dir: string, mode: number): void {
  chmodSync(dir, mode)
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const file = path.join(dir, entry.name)
    if (entry.isDirectory()) setModes(file, mode)
    else if (entry.isFile()) chmodSync(file, mode)
  }
}
