import { Link, useLocation } from 'react-router'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { AppFrame } from './AppFrame.tsx'

/** Shown for any unknown URL, to users and visitors. */
export function Component() {
  const { pathname } = useLocation()
  return (
    <AppFrame>
      <title>Page not found</title>
      <h1 className="text-h1">Page not found</h1>
      <p className="mt-0.5 mb-5 max-w-[72ch] text-ink-2">
        There is nothing at <span className="mono wrap-anywhere">{pathname}</span>.
      </p>
      <Button render={<Link to={paths.home} />}>Back to Home</Button>
    </AppFrame>
  )
}
