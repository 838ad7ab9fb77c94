import { OctagonAlert, RefreshCw } from 'lucide-react'
import { Button } from './Button.tsx'

interface ErrorStateProps {
  title: string
  message: string
  onRetry?: () => void
}

/** Shown in place of the content. The header of the page stays. */
export function ErrorState({ title, message, onRetry }: ErrorStateProps) {
  return (
    <section role="alert" className="sheet flex gap-3.5 p-4">
      <OctagonAlert size={20} strokeWidth={1.6} aria-hidden className="flex-none text-bad-mark" />
      <div className="min-w-0">
        <h2 className="text-card">{title}</h2>
        <p className="mt-0.5 wrap-anywhere text-ink-2">{message}</p>
        {onRetry && (
          <Button
            className="mt-3"
            icon={<RefreshCw size={16} strokeWidth={1.6} aria-hidden />}
            onClick={onRetry}
          >
            Try Again
          </Button>
        )}
      </div>
    </section>
  )
}
