/** What the limits leave, before a form is filled in. Nothing without limits; the foot of the form says what is too much. */
export function QuotaNote({ left }: { left: string | null }) {
  return left === null ? null : <p className="px-4 py-3 text-hint text-ink-2 md:px-5">{left}</p>
}
