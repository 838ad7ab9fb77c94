import { cx } from '../../ui/cx.ts'

interface ScreenSwitchProps {
  shown: 'serial' | 'screen'
  onShow: (shown: 'serial' | 'screen') => void
}

/** Chooses between the serial console and the screen. */
export function ScreenSwitch({ shown, onShow }: ScreenSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div role="group" aria-label="View" className="flex rounded-control border border-line">
      {(['serial', 'screen'] as const).map((which) => (
        <button
          key={which}
          type="button"
          aria-pressed={shown === which}
          onClick={() => onShow(which)}
          className={cx(
            'h-[26px] px-2.5 text-hint font-medium first:rounded-l-control last:rounded-r-control not-first:border-l not-first:border-line phone:h-9',
            shown === which ? 'bg-hover text-ink' : 'text-ink-3 hover:text-ink',
          )}
        >
          {which === 'serial' ? 'Serial' : 'Screen'}
        </button>
      ))}
    </div>
  )
}
