import type { Template } from '@slipway/contract'
import { useState } from 'react'
import { errorText } from '../../api/errors.ts'
import { useTemplateStartScript } from '../../api/templates.ts'
import { ScriptText } from '../start-script/ScriptText.tsx'

interface TemplateScriptNoteProps {
  template: Template | undefined
  /** Whether the form has a start script, which takes the place of that of the template. */
  isReplaced: boolean
}

/** In a create form: that the chosen template has a start script, and what is in it; else nothing. */
export function TemplateScriptNote({ template, isReplaced }: TemplateScriptNoteProps) {
  if (!template?.has_start_script) return null
  return (
    <div className="grid min-w-0 gap-2">
      <p className="text-dense text-ink-2 wrap-anywhere">
        {isReplaced ? (
          <>
            The script below runs instead of the start script of the template <bdi>{template.name}</bdi>.
          </>
        ) : (
          <>
            The template <bdi>{template.name}</bdi> has a start script, which runs at the first boot. A script
            that you enter below runs instead.
          </>
        )}
      </p>
      <ScriptOfTemplate key={template.id} templateId={template.id} />
    </div>
  )
}

/** Folded away, and loaded when it is opened. */
function ScriptOfTemplate({ templateId }: { templateId: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useTemplateStartScript(templateId, isOpen)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-dense font-medium text-ink-2 hover:text-ink">
        Show the script of the template
      </summary>
      <div className="mt-2">
        {data ? (
          <ScriptText
            title="Script of the template"
            text={data.script ?? ''}
            what="the script of the template"
          />
        ) : (
          <p className="text-hint text-ink-2">
            {error ? (
              <>
                {errorText(error, 'The start script could not be loaded.')}{' '}
                <button type="button" className="link" onClick={() => void refetch()}>
                  Try Again
                </button>
              </>
            ) : (
              'Loading...'
            )}
          </p>
        )}
      </div>
    </details>
  )
}
