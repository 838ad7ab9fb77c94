import type { Vm } from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useStartScript } from '../../api/start-scripts.ts'
import { formatDateTime } from '../../time.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { lookOf } from './start-script-words.ts'

/** The start script of a VM, on its page; nothing where there is none, or the user may not read it. */
export function VmStartScript({ vm }: { vm: Vm }) {
  const isAllowed = useMay(vm.project_id)('startScript.get') === true
  const { data, error, refetch } = useStartScript(vm, isAllowed)
  if (!isAllowed) return null
  if (error && !data)
    return (
      <Sheet title="Start script">
        <p className="px-4 py-3 text-ink-2">
          {errorText(error, 'The start script could not be loaded.')}{' '}
          <button type="button" className="link" onClick={() => void refetch()}>
            Try Again
          </button>
        </p>
      </Sheet>
    )
  if (!data || data.script === null) return null
  const { script, state, message, exit_code, finished_at, output } = data
  const { glyph, label } = lookOf(state)
  return (
    <Sheet title="Start script">
      <div className="grid min-w-0 gap-3 px-4 py-3">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5" role="status">
          <StatusGlyph word={glyph} />
          <span className="font-medium">{label}</span>
          {exit_code !== null && <span className="text-ink-2">Exit code {exit_code}</span>}
          {finished_at !== null && <span className="text-ink-3">{formatDateTime(finished_at)}</span>}
        </p>
        {message !== null && <p className="text-ink-2 wrap-anywhere">{message}</p>}
        {output !== '' && <Text title="Output" text={output} what="the output" />}
        <details>
          <summary className="cursor-pointer text-dense font-medium text-ink-2 hover:text-ink">
            Show the script
          </summary>
          <div className="mt-2">
            <Text title="Script" text={script} what="the script" />
          </div>
        </details>
      </div>
    </Sheet>
  )
}

/** A long text, which scrolls in its own box. */
function Text({ title, text, what }: { title: string; text: string; what: string }) {
  return (
    <section className="min-w-0" aria-label={title}>
      <div className="mb-1 flex items-center gap-1">
        <h3 className="text-hint text-ink-3">{title}</h3>
        <CopyButton
          text={text}
          label={`Copy ${what}`}
          success="Copied to clipboard!"
          failure={`Failed to copy ${what}. Select the text and copy it.`}
        />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-control border border-line bg-sunken px-2.5 py-2 text-hint whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </pre>
    </section>
  )
}
