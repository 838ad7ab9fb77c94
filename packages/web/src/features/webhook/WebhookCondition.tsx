import type { Webhook } from '@slipway/contract'
import { cx } from '../../ui/cx.ts'
import { StatusGlyph } from '../../ui/Status.tsx'
import { type Condition, conditionOf } from './webhook-words.ts'

const shown: Record<Condition, { word: string; glyph: string }> = {
  active: { word: 'Active', glyph: 'active' },
  paused: { word: 'Paused', glyph: 'suspended' },
  failing: { word: 'Failing', glyph: 'failed' },
}

/** How a webhook is: its sign and word. */
export function WebhookCondition({ webhook }: { webhook: Webhook }) {
  const condition = conditionOf(webhook)
  const { word, glyph } = shown[condition]
  return (
    <span
      className={cx(
        'inline-flex items-center gap-[7px] text-dense font-medium whitespace-nowrap',
        condition === 'failing' && 'text-bad',
      )}
    >
      <StatusGlyph word={glyph} />
      {word}
    </span>
  )
}
