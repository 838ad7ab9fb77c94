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
  const effect = useBinPreview(isKept ? of : undefined)
  if (!isKept) return null
  const isMany = kind === 'many'
  const they = isMany ? 'They' : `The ${kind === 'project' || kind === 'template' ? kind : binNouns[kind]}`
  const be = isMany ? 'are' : 'is'
  const lost = effect && binEffectText(effect, { they, isMany })
  return (
    <div className="mt-3 grid gap-2.5">
      <p role="status" className="text-ink-2">
        {forGood
          ? `${they} ${be} deleted for good at once and cannot be restored.`
          : [
              effect?.fits !== false &&
                `${they} ${be} kept in the bin for ${binDaysText(days)}, and can be restored from there.`,
              lost,
            ]
              .filter(Boolean)
              .join(' ')}
      </p>
      <Checkbox label="Delete for good" checked={forGood} onCheckedChange={onChange} />
    </div>
  )
}
