import { RefreshCw } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Mark } from '../ui/Mark.tsx'

/** Shown when a page fails to render or to load its code. It needs nothing that may be broken as well. */
export function Component() {
  return (
    <main className="mx-auto max-w-130 px-4 pt-[18vh]">
      <title>Something went wrong</title>
      <Mark size={28} />
      <h1 className="mt-6 text-h1">Something went wrong</h1>
      <p className="mt-1 mb-5 text-ink-2">
        This page failed to show. Your VMs are not affected. Refresh to load it again.
      </p>
      <Button
        variant="primary"
        icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
        onClick={() => window.location.reload()}
      >
        Refresh Page
      </Button>
    </main>
  )
}
