import type { ReactNode } from 'react'
import { errorText } from '../../api/errors.ts'
import { useTemplates } from '../../api/templates.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { imageHint } from './template-image.ts'
import { templateOptions } from './template-options.tsx'

interface TemplateFieldProps {
  /** An unknown one is no choice. */
  templateId: string
  onChange: (templateId: string) => void
  hint?: ReactNode
}

/** The choice of a template in a create form. */
export function TemplateField({ templateId, onChange, hint }: TemplateFieldProps) {
  const { templates, loading, error, retry } = useTemplates()
  const chosen = templates.find(({ id }) => id === templateId)
  const image = chosen && imageHint(chosen)
  return (
    <Field
      label="Template"
      hint={
        image && hint ? (
          <>
            <p>{image}</p>
            {hint}
          </>
        ) : (
          image || hint
        )
      }
      error={error ? errorText(error, 'Failed to load templates. Please try again.') : undefined}
      aside={
        error && (
          <button type="button" className="link" onClick={retry}>
            Try Again
          </button>
        )
      }
    >
      <Select
        value={chosen?.id ?? null}
        onValueChange={onChange}
        placeholder={loading ? 'Loading templates...' : 'Choose a template'}
        options={templateOptions(templates)}
      />
    </Field>
  )
}
