import { CopyButton } from './CopyButton.tsx'

interface CodeLineProps {
  code: string
  copyLabel: string
  success: string
  failure: string
}

/** A command to copy, of one line or several. It wraps, so that all of it is visible. */
export function CodeLine({ code, copyLabel, success, failure }: CodeLineProps) {
  return (
    <div className="flex min-h-9 min-w-0 items-start gap-2 rounded-control border border-line bg-sunken py-[5px] pr-1.5 pl-2.5">
      <code className="min-w-0 flex-1 self-center text-hint/5 whitespace-pre-wrap wrap-anywhere">{code}</code>
      <CopyButton text={code} label={copyLabel} success={success} failure={failure} />
    </div>
  )
}
