import { Link } from 'react-router'
import { Button } from '../ui/Button.tsx'
import { letThrough } from './unsaved.ts'

/** Leaves a form page without a question: the label says what happens. */
export function CancelLink({ to }: { to: string }) {
  return <Button render={<Link to={to} onClick={letThrough} />}>Cancel</Button>
}
