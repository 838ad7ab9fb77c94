import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { filesUnder } from '../setup/tree.mjs'
import { emptyNames, layers, mayReadEnvironment } from './layers.mjs'

const code = /\.(ts|tsx|mjs|js)$/

/**
 * Checks every import of a tree against the table of layers.
 * @param {string} root the repository
 * @returns {{ files: number, imports: number, violations: string[] }} violations read `file:line: what, what to do`
 */
export function findViolations(root) {
  const folders = ['packages', 'e2e', 'bench', 'campaign', 'scripts']
  const all = folders
    .flatMap((folder) => filesUnder(join(root, folder)))
    .map((file) => slashed(relative(root, file)))
  const sources = all.filter((file) => code.test(file)).map((file) => read(root, file))
  return {
    files: sources.length,
    imports: sources.reduce((sum, source) => sum + source.imports.length, 0),
    violations: [
      ...sources.flatMap(crossings),
      ...sources.flatMap(environmentReads),
      ...circles(sources),
      ...namelessPlaces(all),
    ],
  }
}

/**
 * `target` is a path of the tree or the name of a package; `loads` tells that the target runs before the importer.
 * @typedef {{ target: string, line: number, loads: boolean }} Import
 * @typedef {{ file: string, imports: Import[], environment: number[] }} Source
 * @returns {Source}
 */
function read(root, file) {
  const text = readFileSync(join(root, file), 'utf8')
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const lineOf = (offset) => text.slice(0, offset).split('\n').length
  const imports = []
  const environment = []
  const add = (source, loads) => {
    if (typeof source?.value === 'string') {
      imports.push({ target: resolve(file, source.value), line: lineOf(source.start), loads })
    }
  }
  const isProcess = (node) => node?.type === 'Identifier' && node.name === 'process'
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind !== 'type'),
    ExportNamedDeclaration: (node) => add(node.source, node.exportKind !== 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind !== 'type'),
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, false),
    MemberExpression: (node) => {
      const name = node.computed ? node.property.value : node.property.name
      if (isProcess(node.object) && name === 'env') environment.push(lineOf(node.start))
    },
    VariableDeclarator: (node) => {
      if (isProcess(node.init) && node.id.properties?.some((property) => property.key?.name === 'env')) {
        environment.push(lineOf(node.start))
      }
    },
    ImportSpecifier: (node) => {
      // `import { env } from 'node:process'` is the same thing in other words.
      if (node.imported.name === 'env' && /from\s+['"](node:)?process['"]/.test(text)) {
        environment.push(lineOf(node.start))
      }
    },
  }).visit(program)
  return { file, imports, environment }
}

/** A relative import becomes a path of the tree, and so does one of a workspace; the rest are packages. */
function resolve(file, specifier) {
  if (specifier.startsWith('.')) return slashed(join(dirname(file), specifier))
  const [, workspace, path] = specifier.match(/^@slipway\/(\w+)(\/.+)?$/) ?? []
  if (!workspace) return specifier
  return ['e2e', 'bench', 'campaign'].includes(workspace)
    ? `${workspace}${path ?? '/'}`
    : `packages/${workspace}/src${path ?? '/index.ts'}`
}

const slashed = (path) => path.replaceAll(sep, '/')
const isOfTree = (target) =>
  target.startsWith('..') || /^(packages|e2e|bench|campaign|scripts)\//.test(target)
/** The folder of a feature, of an engine, or of another piece of the server or the console. */
const homeOf = (file) => file.match(/^packages\/\w+\/src\/((engine|features)\/)?[^/]+/)?.[0]
const layerOf = (file) => layers.find((layer) => layer.path.test(file))

function crossings({ file, imports }) {
  const from = layerOf(file)
  if (!from)
    return [`${file}:1: stands in no layer. Move it to one of scripts/fences/layers.mjs, or add one there.`]
  return imports
    .filter((one) => !isAllowed(file, from, one.target))
    .map(({ target, line }) => {
      const to = isOfTree(target)
        ? `${target} (${layerOf(target)?.name ?? 'outside'})`
        : `the package ${target}`
      return `${file}:${line}: "${from.name}" may not import ${to}. ${from.why}`
    })
}

function isAllowed(file, from, target) {
  if (!isOfTree(target)) {
    return from.npm.some(
      (name) => name === '*' || name === target || (/[:/]$/.test(name) && target.startsWith(name)),
    )
  }
  const to = layerOf(target)?.name
  return from.may.some((name) => {
    if (name.endsWith(' *')) return to?.startsWith(name.slice(0, -1))
    if (name.startsWith('own ')) return to === name.slice(4) && homeOf(file) === homeOf(target)
    return to === name
  })
}

function environmentReads({ file, environment }) {
  if (mayReadEnvironment.test(file)) return []
  return environment.map(
    (line) =>
      `${file}:${line}: reads process.env. Add the setting to packages/server/src/config.ts and pass it in.`,
  )
}

/**
 * Walks the imports depth first; an import of a file that is still being walked closes a circle. Types and what is
 * loaded later do not count: they cannot find a module half made.
 */
function circles(sources) {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const done = new Set()
  const found = []
  const walk = (file, trail) => {
    for (const { target, line, loads } of byFile.get(file)?.imports ?? []) {
      if (!loads) continue
      const start = trail.indexOf(target)
      if (start >= 0) {
        const circle = [...trail.slice(start), target].join(' → ')
        found.push(
          `${file}:${line}: closes a circle of imports: ${circle}. Move what both need to a file of its own.`,
        )
      } else if (!done.has(target)) {
        walk(target, [...trail, target])
      }
    }
    done.add(file)
  }
  for (const { file } of sources) if (!done.has(file)) walk(file, [file])
  return found
}

function namelessPlaces(files) {
  return files
    .filter((file) => file.split('/').some((part) => emptyNames.test(part.replace(/\..*$/, ''))))
    .map((file) => `${file}:1: a folder or file called so can hold anything. Name it after what it holds.`)
}
