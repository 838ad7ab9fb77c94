import { type ReactNode, useState } from 'react'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { accessSentences } from './access-words.ts'
import type { ApiCall } from './calls.ts'
import { curlOf } from './curl.ts'
import { Fold } from './Fold.tsx'
import { Prose } from './Prose.tsx'
import { Field, Fields, type Schemas, TypeText } from './SchemaView.tsx'

interface CallDetailsProps {
  call: ApiCall
  schemas: Schemas
  origin: string
}

/** Everything there is to know of a call. */
export function CallDetails({ call, schemas, origin }: CallDetailsProps) {
  const { access, parameters, body, answer, refusals, id } = call
  const command = curlOf(call, schemas, origin)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t border-line px-4 py-4 md:pl-10">
      <p className="text-dense text-ink-2">
        {accessSentences[access]} Operation <span className="mono text-ink">{id}</span>.
      </p>
      {command && (
        <Part title="Example">
          <CodeLine
            code={command}
            copyLabel="Copy the command"
            success="Command copied to clipboard!"
            failure="Failed to copy to clipboard."
          />
        </Part>
      )}
      {parameters.length > 0 && (
        <Part title="Parameters">
          <dl className="divide-y divide-line">
            {parameters.map((one) => (
              <Field
                key={one.in + one.name}
                name={one.name}
                schema={one.schema}
                schemas={schemas}
                required={one.required}
                description={one.description}
                where={one.in}
              />
            ))}
          </dl>
        </Part>
      )}
      {body && (
        <Part title="Body">
          <p className="text-dense text-ink-2">
            <TypeText schema={body.schema} />, as <span className="mono">{body.type}</span>
            {!body.required && <span className="text-ink-3">, optional</span>}
          </p>
          <Fields schema={body.schema} schemas={schemas} />
        </Part>
      )}
      <Part title="Response">
        <p className="text-dense text-ink-2">
          <span className="mono text-ink">{answer.status}</span>{' '}
          {answer.type === null ? (
            answer.status === '101' ? (
              'The connection becomes a WebSocket'
            ) : (
              'No content'
            )
          ) : (
            <>
              {answer.schema && <TypeText schema={answer.schema} />}, as{' '}
              <span className="mono">{answer.type}</span>
            </>
          )}
        </p>
        {answer.schema && <AnswerFields schema={answer.schema.items ?? answer.schema} schemas={schemas} />}
      </Part>
      <Part title="Errors">
        <dl className="divide-y divide-line">
          {refusals.map(({ status, meaning, sentences }) => (
            <div
              key={status}
              className="grid gap-x-4 py-2 text-dense md:grid-cols-[minmax(0,13rem)_minmax(0,1fr)]"
            >
              <dt className="text-ink-2">
                <span className="mono text-ink">{status}</span> <Prose text={meaning} />
              </dt>
              <dd>
                <ul className="grid list-disc gap-0.5 pl-4 marker:text-ink-3">
                  {sentences.map((sentence) => (
                    <li key={sentence} className="wrap-anywhere">
                      <Prose text={sentence} />
                    </li>
                  ))}
                </ul>
              </dd>
            </div>
          ))}
        </dl>
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-section">{title}</h3>
      {children}
    </section>
  )
}

/** Folded: answers are long, and most readers know the object. */
function AnswerFields({ schema, schemas }: Pick<Parameters<typeof Fields>[0], 'schema' | 'schemas'>) {
  const [open, setOpen] = useState(false)
  if (Fields({ schema, schemas }) === null) return null
  return (
    <Fold
      open={open}
      onToggle={() => setOpen(!open)}
      summary="Fields of the response"
      className="rounded-control border border-line text-dense"
    >
      {() => (
        <div className="border-t border-line px-4">
          <Fields schema={schema} schemas={schemas} />
        </div>
      )}
    </Fold>
  )
}
