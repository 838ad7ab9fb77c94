/** The mark: a machine on its ramp. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      aria-hidden="true"
      className="flex-none text-accent"
    >
      <path d="M1.5 10.2 22.5 18.6M1.5 21.5h21" />
      <rect
        x="-4.6"
        y="-9.6"
        width="9.2"
        height="7.6"
        rx=".6"
        transform="translate(10.6 13.8) rotate(21.8)"
        fill="currentColor"
        stroke="none"
      />
    </svg>
  )
}
