import { useEffect, useState, useSyncExternalStore } from 'react'
import { useBlocker } from 'react-router'
import { askingDialog, forgetAllUnsaved, isHeldBack, type LeaveQuestion } from '../shell/unsaved.ts'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { later } from '../ui/later.tsx'
import { newVersion } from './new-version.ts'

const DiscardQuestion = later(async () => (await import('../shell/DiscardQuestion.tsx')).DiscardQuestion, {
  isOpen: ({ question }) => question !== null,
  // Without the question nobody leaves.
  close: ({ question, onAnswered }) => {
    onAnswered()
    question?.keep()
  },
})

/** Once for all pages: no link, no Back and no new version discards input without asking. */
export function LeaveGuard() {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isHeldBack(currentLocation, nextLocation))
  const [question, setQuestion] = useState<LeaveQuestion | null>(null)
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    const asked: LeaveQuestion = {
      keep: blocker.reset,
      discard: () => {
        forgetAllUnsaved()
        blocker.proceed()
      },
    }
    const dialog = askingDialog()
    if (dialog) dialog.ask(asked)
    else setQuestion(asked)
  }, [blocker])
  return (
    <>
      <DiscardQuestion question={question} onAnswered={() => setQuestion(null)} />
      <NewVersion />
    </>
  )
}

function NewVersion() {
  const ready = useSyncExternalStore(newVersion.subscribe, newVersion.isReady)
  if (!ready) return null
  return (
    <div role="status">
      <Banner
        tone="warn"
        className="mb-5"
        action={
          <Button size="sm" onClick={() => window.location.reload()}>
            Reload
          </Button>
        }
      >
        A new version of the console is ready. Reload the page when you have finished this form.
      </Banner>
    </div>
  )
}
