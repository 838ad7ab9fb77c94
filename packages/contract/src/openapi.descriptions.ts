import { readdirSync, readFileSync } from 'node:fs'
import type { Json } from './openapi.schemas.ts'

/** The comments of schemas and their fields, by where they stand: `Vm`, `Vm.status_message`, `vm.console.query.from`. */
export type Descriptions = Readonly<Record<string, string>>

const opening = /^(?:export )?const (\w+) = (?:(\w+)\.(?:extend|partial|required)\()?/
const ofEndpoint = /^\w+: endpoint\('([\w.]+)'/
const field = /^(\w+):/
const spread = /^\.\.\.(\w+),?$/
const query = /^query: (\w+),$/
const ownName = /\.meta\(\{ id: '(\w+)' \}\)/

/**
 * Reads the comments of the contract, so that readers of the document get what those who read the source have. What stands
 * deeper is indented by two, as the formatter sees to.
 */
export function readDescriptions(folder = new URL('.', import.meta.url)): Descriptions {
  const found: Record<string, string> = {}
  /** Whose fields something has, too. */
  const takes: { to: string; from: string }[] = []
  for (const file of readdirSync(folder).filter((name) => /^[\w-]+\.ts$/.test(name))) {
    let path: { indent: number; name: string }[] = []
    let comment: string[] | null = null
    let text = ''
    for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n')) {
      const indent = line.search(/\S/)
      const said = line.trim()
      if (comment || said.startsWith('/**')) {
        comment = [
          ...(comment ?? []),
          said
            .replace(/^\/?\*+\/?/, '')
            .replace(/\*\/$/, '')
            .trim(),
        ]
        if (!said.endsWith('*/')) continue
        text = comment.join(' ').trim()
        comment = null
        continue
      }
      const [, constant, parent] = opening.exec(said) ?? []
      const call = ofEndpoint.exec(said)?.[1]
      const name = call ?? constant ?? field.exec(said)?.[1]
      if (name !== undefined) {
        path = call || constant ? [] : path.filter((one) => one.indent < indent)
        path.push({ indent, name })
        const where = path.map((one) => one.name).join('.')
        if (text !== '') found[where] = text
        for (const from of [parent, query.exec(said)?.[1]]) if (from) takes.push({ to: where, from })
      }
      const [id, root] = [ownName.exec(said)?.[1], path[0]?.name]
      if (id !== undefined && root !== undefined) takes.push({ to: id, from: root })
      const from = spread.exec(said)?.[1]
      if (from !== undefined)
        takes.push({ to: path.flatMap((one) => (one.indent < indent ? [one.name] : [])).join('.'), from })
      text = ''
    }
  }
  // Twice: what one takes may have been taken from another.
  for (const { to, from } of [...takes, ...takes])
    for (const [where, text] of Object.entries(found))
      if (where.startsWith(`${from}.`)) found[to + where.slice(from.length)] ??= text
  return found
}

/** A schema with the comments of it and its fields. */
export function describe(schema: Json, path: string, descriptions: Descriptions): Json {
  const text = descriptions[path]
  const { properties, items, anyOf } = schema
  const within = (one: Json, name: string) => describe(one, `${path}.${name}`, descriptions)
  return {
    ...(text && { description: text }),
    ...schema,
    ...(properties !== undefined && {
      // Zod says what kind it is.
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, Json>).map(([name, one]) => [name, within(one, name)]),
      ),
    }),
    ...(anyOf !== undefined && {
      anyOf: (anyOf as Json[]).map((one) => ('properties' in one ? fieldsOf(one, path, descriptions) : one)),
    }),
    ...(items !== undefined && { items: fieldsOf(items as Json, path, descriptions) }),
  }
}

/** The same without the comment of the whole, which stands around it. */
const fieldsOf = (schema: Json, path: string, descriptions: Descriptions): Json =>
  describe(schema, path, { ...descriptions, [path]: '' })
