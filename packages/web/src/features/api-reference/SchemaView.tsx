import { Link } from 'react-router'
import type { ApiSchema } from '../../api/api-reference.ts'
import { schemaName } from './calls.ts'
import { Prose } from './Prose.tsx'
import { limitsText, typeParts } from './schema-words.ts'

export type Schemas = Readonly<Record<string, ApiSchema>>

/** A type in words; names lead to their definitions. A search that would hide them is left. */
export function TypeText({ schema }: { schema: ApiSchema }) {
  return typeParts(schema).map((part, index) =>
    typeof part === 'string' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of a type never change their order
      <span key={index}>{part}</span>
    ) : (
      <Link key={part.schema} className="link mono" to={{ search: '', hash: part.schema }}>
        {part.schema}
      </Link>
    ),
  )
}

/** The object that a schema is, behind its name or beside null. */
function objectIn(schema: ApiSchema, schemas: Schemas): ApiSchema | undefined {
  const name = schemaName(schema)
  if (name !== null) return objectIn(schemas[name] ?? {}, schemas)
  return schema.properties ? schema : schema.anyOf?.find(({ properties }) => properties)
}

/** The words that a value may be, behind the name of an enumeration. */
function wordsOf(schema: ApiSchema, schemas: Schemas): ApiSchema['enum'] {
  const name = [schema, ...(schema.anyOf ?? [])].map(schemaName).find((one) => one !== null)
  return name ? schemas[name]?.enum : undefined
}

/** The fields of an object, those of objects without a name within it, too. Null where it has none. */
export function Fields({ schema, schemas }: { schema: ApiSchema; schemas: Schemas }) {
  const object = objectIn(schema, schemas)
  if (!object?.properties || Object.keys(object.properties).length === 0) return null
  return (
    <dl className="divide-y divide-line">
      {Object.entries(object.properties).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          schemas={schemas}
          required={object.required?.includes(name) ?? false}
        />
      ))}
    </dl>
  )
}

interface FieldProps {
  name: string
  schema: ApiSchema
  schemas: Schemas
  required: boolean
  description?: string | undefined
  /** Of a parameter. */
  where?: string
}

/** One field, or parameter: its name, type, limits and what it is. */
export function Field({
  name,
  schema,
  schemas,
  required,
  description = schema.description,
  where,
}: FieldProps) {
  const limits = limitsText(schema)
  const words = wordsOf(schema, schemas)
  return (
    <div className="grid gap-x-4 py-2 md:grid-cols-[minmax(0,13rem)_minmax(0,1fr)]">
      <dt className="mono wrap-anywhere">{name}</dt>
      <dd className="grid min-w-0 gap-0.5 text-dense">
        <p className="wrap-anywhere text-ink-2">
          <TypeText schema={schema} />
          {where && ` in ${where}`}
          {limits && `, ${limits}`}
          {!required && <span className="text-ink-3">, optional</span>}
        </p>
        {description && (
          <p className="max-w-prose">
            <Prose text={description} />
          </p>
        )}
        {words && <p className="text-hint text-ink-3 wrap-anywhere">{words.join(', ')}</p>}
        {/* One with a name has its own definition. */}
        {schemaName(schema) === null && <Fields schema={schema} schemas={schemas} />}
      </dd>
    </div>
  )
}
