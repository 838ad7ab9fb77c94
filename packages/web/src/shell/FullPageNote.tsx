import { Arc } from '../ui/Arc.tsx'

/** A whole page that only waits. The text comes in softly, so that a short wait does not flash. */
export function FullPageNote({ text }: { text: string }) {
  return (
    <div className="grid min-h-dvh place-items-center p-4">
      <p
        role="status"
        className="flex items-center gap-2 text-ink-3 motion-safe:animate-[appear_160ms_ease-out_200ms_backwards]"
      >
        <Arc className="text-busy-mark" />
        {text}
      </p>
    </div>
  )
}
