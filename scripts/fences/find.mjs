import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { filesUnder } from '../setup/tree.mjs'
import { emptyNames, layers, mayReadEnvironment, mayWriteEveryTable, ownerOf } from './layers.mjs'

const code = /\.(ts|tsx|mjs|js)$/
/** How a table is written: by these methods of Kysely, and in SQL. */
const writingMethods = ['insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto']
const writingSql = /\b(?:insert\s+into|replace\s+into|merge\s+into|delete\s+from|update)\s+"?(?!set\b)(\w*)/gi

/**
 * Checks every import of a tree against the table of layers, and every write of a table against its owner.
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
      ...sources.flatMap(foreignWrites),
      ...circles(sources),
      ...circlesOfHomes(sources),
      ...namelessPlaces(all),
    ],
  }
}

/**
 * `target` is a path of the tree or the name of a package; `loads` tells that the target runs before the importer.
 * @typedef {{ target: string, line: number, loads: boolean }} Import
 * `table` is null when what is written is not named in place.
 * @typedef {{ table: string | null, line: number }} Write
 * @typedef {{ file: string, imports: Import[], environment: number[], writes: Write[] }} Source
 * @returns {Source}
 */
function read(root, file) {
  const text = readFileSync(join(root, file), 'utf8')
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const lineOf = (offset) => text.slice(0, offset).split('\n').length
  const imports = []
  const environment = []
  const writes = []
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
    CallExpression: ({ callee, arguments: [what], start }) => {
      if (callee.type !== 'MemberExpression' || !writingMethods.includes(callee.property.name)) return
      const named = what?.type === 'ArrayExpression' ? what.elements : [what]
      for (const one of named) {
        // `disk as d` is the table disk.
        const table = typeof one?.value === 'string' ? one.value.split(' ')[0] : null
        writes.push({ table, line: lineOf(start) })
      }
    },
    TaggedTemplateExpression: ({ tag, quasi }) => {
      if (tag.name !== 'sql') return
      for (const { value, start } of quasi.quasis) {
        for (const { 1: table, index } of value.raw.matchAll(writingSql)) {
          writes.push({ table: table || null, line: lineOf(start + index) })
        }
      }
    },
    ImportSpecifier: (node) => {
      // `import { env } from 'node:process'` is the same thing in other words.
      if (node.imported.name === 'env' && /from\s+['"](node:)?process['"]/.test(text)) {
        environment.push(lineOf(node.start))
      }
    },
  }).visit(program)
  return { file, imports, environment, writes }
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

/** A table that several features write has no place where its rules can be read. */
function foreignWrites({ file, writes }) {
  const [, folder] = file.match(/^packages\/server\/src\/([^/]+)/) ?? []
  if (folder === undefined || mayWriteEveryTable.test(file)) return []
  return writes
    .filter(({ table }) => table === null || ownerOf(table) !== folder)
    .map(({ table, line }) => {
      if (table === null)
        return `${file}:${line}: writes a table that is not named there. Name it, so that its owner can be told.`
      const owner = ownerOf(table)
      return `${file}:${line}: writes the table ${table}, which is owned by ${owner}/. Call a function of ${owner}/${owner}.writes.ts in your transaction.`
    })
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

/** What only tests import may stand beside what it tests. */
const isOfTests = (file) => /\.(test|test-kit|suite)\.\w+$/.test(file)

/**
 * The same walk from folder to folder, where types count too: of two folders that need each other neither can be read
 * without the other.
 */
function circlesOfHomes(sources) {
  /** By home, the first import that leads to each other one. */
  const homes = new Map()
  for (const { file, imports } of sources) {
    const from = homeOf(file)
    if (!from || isOfTests(file)) continue
    const ways = homes.get(from) ?? homes.set(from, new Map()).get(from)
    for (const { target, line } of imports) {
      const to = homeOf(target)
      if (to && to !== from && !isOfTests(target) && !ways.has(to)) ways.set(to, `${file}:${line}`)
    }
  }
  const done = new Set()
  const found = []
  const walk = (home, trail) => {
    for (const [to, place] of homes.get(home) ?? []) {
      const start = trail.indexOf(to)
      if (start >= 0) {
        const circle = [...trail.slice(start), to].map((one) => one.split('/src/')[1]).join(' → ')
        found.push(
          `${place}: closes a circle of folders: ${circle}. Move what both need to a folder of its own, or pass it in.`,
        )
      } else if (!done.has(to)) {
        walk(to, [...trail, to])
      }
    }
    done.add(home)
  }
  for (const home of homes.keys()) if (!done.has(home)) walk(home, [home])
  return found
}

function namelessPlaces(files) {
  return files
    .filter((file) => file.split('/').some((part) => emptyNames.test(part.replace(/\..*$/, ''))))
    .map((file) => `${file}:1: a folder or file called so can hold anything. Name it after what it holds.`)
}
