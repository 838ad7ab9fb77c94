import { type BinKind, binDaysText, binEffectText, binNouns } from '@slipway/contract'
import { useBinPreview } from '../../api/bin.ts'
import { useHost } from '../../api/host.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

interface BinChoiceProps {
  /** `many`: several objects at once. */
  kind: BinKind | 'project' | 'template' | 'many'
  /** What is deleted, and in which project: its bin has limits. Templates belong to none. */
  of?: { projectId: string; ids: readonly string[] }
  /** Whether it goes to the bin unless it is deleted for good. */
  goesToBin: boolean
  forGood: boolean
  onChange: (forGood: boolean) => void
}

/** In the question before a deletion: for how long it can be restored, what leaves the bin for it, and the choice not to keep it. */
export function BinChoice({ kind, of, goesToBin, forGood, onChange }: BinChoiceProps) {
  const days = useHost()?.bin_days ?? 0
  const isKept = goesToBin && days !== 0
  const { effect, isUnknown, isError } = useBinPreview(isKept ? of : undefined)
  if (!isKept) return null
  const isMany = kind === 'many'
  const they = isMany ? 'They' : `The ${kind === 'project' || kind === 'template' ? kind : binNouns[kind]}`
  const be = isMany ? 'are' : 'is'
  const lost = effect && binEffectText(effect, { they, isMany })
  function text(): string {
    if (forGood) return `${they} ${be} deleted for good at once and cannot be restored.`
    if (isError) return 'The limits of the bin could not be checked. What does not fit is deleted for good.'
    if (isUnknown) return 'Checking the limits of the bin...'
    const kept = `${they} ${be} kept in the bin for ${binDaysText(days)}, and can be restored from there.`
    return [effect?.fits !== false && kept, lost].filter(Boolean).join(' ')
  }

  return (
    <div className="mt-3 grid gap-2.5">
      <p role="status" className="text-ink-2">
        {text()}
      </p>
      <Checkbox label="Delete for good" checked={forGood} onCheckedChange={onChange} />
    </div>
  )
}
