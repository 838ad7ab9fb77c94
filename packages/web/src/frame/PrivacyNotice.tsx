import { useState } from 'react'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'

const key = 'slipway.analytics-consent'

function isChosen(): boolean {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false
  }
}

/**
 * Asks once whether page visits may be counted. Only the answer is kept, as `true` or `false`: this console has no
 * analytics at all. It floats at the lower edge of the screen and has its place at the end of the page. On a page
 * with a form it does not float, so that it covers no field and no button.
 */
export function PrivacyNotice({ className }: { className?: string }) {
  const [chosen, setChosen] = useState(isChosen)
  if (chosen) return null
  const choose = (consent: boolean) => {
    try {
      localStorage.setItem(key, String(consent))
    } catch {
      // Without storage the question is asked again on the next visit.
    }
    setChosen(true)
  }
  return (
    <section
      aria-label="Privacy notice"
      className={cx(
        'privacy-notice rounded-sheet border border-line bg-raised px-4 py-3.5 sm:max-w-95',
        className,
      )}
    >
      <p className="mb-3 text-ink-2">
        May we count page visits? Nothing is measured until you choose.{' '}
        {/* biome-ignore lint/a11y/noAmbiguousAnchorText: the specification gives these words; the sentence before says of what. */}
        <a href={paths.privacy} target="_blank" rel="noreferrer" className="link">
          Learn more
        </a>
      </p>
      <div className="flex gap-2">
        <Button onClick={() => choose(false)} className="phone:flex-1">
          Decline
        </Button>
        <Button onClick={() => choose(true)} className="phone:flex-1">
          Accept
        </Button>
      </div>
    </section>
  )
}
