import { type BinKind, binDaysText, binNouns } from '@slipway/contract'
import { useHost } from '../../api/host.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

interface BinChoiceProps {
  /** `many`: several objects at once. */
  kind: BinKind | 'project' | 'template' | 'many'
  /** Whether it goes to the bin unless it is deleted for good. */
  goesToBin: boolean
  forGood: boolean
  onChange: (forGood: boolean) => void
}

/** In the question before a deletion: for how long it can be restored, and the choice not to keep it. */
export function BinChoice({ kind, goesToBin, forGood, onChange }: BinChoiceProps) {
  const days = useHost()?.bin_days ?? 0
  if (!goesToBin || days === 0) return null
  const they =
    kind === 'many'
      ? 'They are'
      : `The ${kind === 'project' || kind === 'template' ? kind : binNouns[kind]} is`
  return (
    <div className="mt-3 grid gap-2.5">
      <p role="status" className="text-ink-2">
        {forGood
          ? `${they} deleted for good at once and cannot be restored.`
          : `${they} kept in the bin for ${binDaysText(days)}, and can be restored from there.`}
      </p>
      <Checkbox label="Delete for good" checked={forGood} onCheckedChange={onChange} />
    </div>
  )
}
