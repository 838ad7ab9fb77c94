/** Beside a form's buttons: the first broken rule, or what happens now. */
export function FormNote({ children }: { children: string | null | undefined }) {
  return (
    <p role="status" className="min-w-0 flex-1 self-center text-ink-3 phone:flex-[1_0_100%]">
      {children}
    </p>
  )
}
