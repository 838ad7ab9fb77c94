import { Link } from 'react-router'
import { useHost } from '../api/host.ts'
import { paths } from '../paths.ts'
import { cx } from '../ui/cx.ts'
import { Mark } from '../ui/Mark.tsx'

export function useProductName(): string {
  return useHost()?.product_name ?? 'Slipway'
}

/** Logo and name, linked to the home page. */
export function Brand({ className }: { className?: string }) {
  const name = useProductName()
  return (
    <Link
      to={paths.home}
      className={cx(
        'flex items-center gap-[9px] font-semibold tracking-[-.01em] text-ink no-underline',
        className,
      )}
    >
      <Mark />
      {name}
    </Link>
  )
}
