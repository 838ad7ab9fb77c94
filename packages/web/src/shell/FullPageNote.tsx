import { Arc } from '../ui/Arc.tsx'
import { Mark } from '../ui/Mark.tsx'

/**
 * A page that only waits: the logo in the same place as in index.html, and what the page waits for. The text fades in,
 * so that a short wait does not flash.
 */
export function FullPageNote({ text }: { text: string }) {
  return (
    <div className="grid min-h-dvh place-items-center p-4">
      <div className="relative">
        <Mark size={28} />
        <p
          role="status"
          className="absolute top-full left-1/2 mt-3 flex -translate-x-1/2 items-center gap-2 whitespace-nowrap text-ink-3 motion-safe:animate-[appear_160ms_ease-out_200ms_backwards]"
        >
          <Arc className="text-busy-mark" />
          {text}
        </p>
      </div>
    </div>
  )
}
