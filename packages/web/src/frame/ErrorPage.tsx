import { RefreshCw } from 'lucide-react'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { Mark } from '../ui/Mark.tsx'

/** Shown when a page fails to render or to load its code. Uses nothing else that could be broken, too. */
export function Component() {
  return (
    <main className="mx-auto max-w-130 px-4 pt-[18vh]">
      <title>Something went wrong</title>
      <Mark size={28} />
      <h1 className="mt-6 text-h1">Something went wrong</h1>
      <p className="mt-1 mb-5 text-ink-2">
        This page could not be displayed. Your VMs are not affected. Refresh the page to try again.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
          onClick={() => window.location.reload()}
        >
          Refresh Page
        </Button>
        {/* No link of the router: a new start also helps where the console itself is broken. */}
        <Button render={<a href={paths.home} />}>Back to Home</Button>
      </div>
    </main>
  )
}
