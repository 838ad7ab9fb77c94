import { CopyButton } from '../../ui/CopyButton.tsx'

/** A long text, which scrolls in its own box. */
export function ScriptText({ title, text, what }: { title: string; text: string; what: string }) {
  return (
    <section className="min-w-0" aria-label={title}>
      <div className="mb-1 flex items-center gap-1">
        <p className="text-hint text-ink-3">{title}</p>
        <CopyButton
          text={text}
          label={`Copy ${what}`}
          success="Copied to clipboard!"
          failure={`Failed to copy ${what}. Select the text and copy it.`}
        />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-control border border-line bg-sunken px-2.5 py-2 text-hint whitespace-pre-wrap wrap-anywhere"
      >
        {text}
      </pre>
    </section>
  )
}
