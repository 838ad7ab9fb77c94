import { binDaysText } from '@slipway/contract'
import { useHost } from '../../api/host.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

interface BinChoiceProps {
  /** Whether it goes to the bin unless it is deleted for good. */
  goesToBin: boolean
  forGood: boolean
  onChange: (forGood: boolean) => void
}

/** In the question before a deletion: for how long it can be restored, and the choice not to keep it. */
export function BinChoice({ goesToBin, forGood, onChange }: BinChoiceProps) {
  const days = useHost()?.bin_days ?? 0
  if (!goesToBin || days === 0) return null
  return (
    <div className="mt-3 grid gap-2.5">
      <p role="status">
        {forGood
          ? 'It is deleted for good at once and cannot be restored.'
          : `It is kept in the bin for ${binDaysText(days)}, and can be restored from there.`}
      </p>
      <Checkbox label="Delete for good" checked={forGood} onCheckedChange={onChange} />
    </div>
  )
}
