import type { Vm } from '@slipway/contract'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { useStartScript } from '../../api/start-scripts.ts'
import { formatDateTime } from '../../time.ts'
import { Sheet } from '../../ui/Sheet.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { ScriptText } from './ScriptText.tsx'
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
        {output !== '' && <ScriptText title="Output" text={output} what="the output" />}
        <details>
          <summary className="cursor-pointer text-dense font-medium text-ink-2 hover:text-ink">
            Show the script
          </summary>
          <div className="mt-2">
            <ScriptText title="Script" text={script} what="the script" />
          </div>
        </details>
      </div>
    </Sheet>
  )
}
