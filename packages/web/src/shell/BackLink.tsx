import { ArrowLeft } from 'lucide-react'
import { Link } from 'react-router'
import { Button } from '../ui/Button.tsx'

/** The link above the title of a form, back to its list. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<ArrowLeft size={14} strokeWidth={1.6} aria-hidden />}
      className="-ml-2.5 mb-1 phone:h-10"
      render={<Link to={to} />}
    >
      {children}
    </Button>
  )
}
